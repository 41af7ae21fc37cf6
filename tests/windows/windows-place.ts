import { expect } from "bun:test";
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Script, startSandbox } from "../../src/sandbox/sandbox.ts";
import { CCC_EXE, CLAUDE_EXE, runOnWindows, windowsPath } from "./windows-programs.ts";

export interface WindowsResult {
  readonly exitCode: number;
  /** With \n line endings. */
  readonly stdout: string;
  readonly stderr: string;
}

/** An isolated home and project folder on Windows, and a sandbox as the only provider. */
export interface WindowsPlace extends AsyncDisposable {
  readonly sandbox: ReturnType<typeof startSandbox>;
  /** A path in the home folder, as this machine sees it. */
  at(...parts: string[]): string;
  /** The same, as Windows programs see it. */
  windowsAt(...parts: string[]): string;
  write(path: string, content: unknown): Promise<void>;
  start(args: readonly string[], options?: WindowsOptions): Bun.Subprocess<"ignore", "pipe", "pipe">;
  ccc(args: readonly string[], options?: WindowsOptions): Promise<WindowsResult>;
}

export interface WindowsOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The program to run instead of ccc.exe; a name or a Windows path. */
  readonly program?: string;
}

export const TOKEN = "glm-token-0123456789";

/** Everything that cmd.exe, PowerShell and the C library treat specially and Windows allows in a name. */
const AWKWARD = `it's a täst & 100% 好`;

export async function windowsPlace(
  script: Script,
  config: Readonly<Record<string, unknown>> = {},
): Promise<WindowsPlace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ccc-windows-")));
  const home = join(root, AWKWARD);
  const project = join(home, "my project");
  const programs = join(home, "bin");
  await mkdir(project, { recursive: true });
  await mkdir(programs);
  const ccc = join(programs, "ccc.exe");
  await copyFile(CCC_EXE, ccc);
  const sandbox = startSandbox(script);
  const at = (...parts: string[]) => join(home, ...parts);
  const write = async (path: string, content: unknown) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  };
  const env = {
    USERPROFILE: windowsPath(home),
    APPDATA: windowsPath(at("AppData/Roaming")),
    LOCALAPPDATA: windowsPath(at("AppData/Local")),
    TEMP: windowsPath(root),
    TMP: windowsPath(root),
    // As Windows itself spells it.
    Path: `${windowsPath(dirname(CLAUDE_EXE))};C:\\Windows\\System32;C:\\Windows;C:\\Windows\\System32\\WindowsPowerShell\\v1.0`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    // The keychain belongs to the machine, whatever the home is.
    CCC_KEYCHAIN: "0",
  };
  const start = (args: readonly string[], options: WindowsOptions = {}) =>
    runOnWindows(root, {
      command: [options.program ?? windowsPath(ccc), ...args],
      cwd: windowsPath(project),
      env: { ...env, ...options.env },
      stdin: options.stdin ?? "",
    });
  const provider = { env: { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: TOKEN } };
  // One review is enough for a "done": these tests are about other subjects than confirmation.
  await write(at(".claude/ccc.json"), { providers: { glm: provider }, supervisor: { confirm: false }, ...config });
  const projects = { [windowsPath(project).replaceAll("\\", "/")]: { hasTrustDialogAccepted: true } };
  await write(at(".claude.json"), { hasCompletedOnboarding: true, projects });
  return {
    sandbox,
    at,
    windowsAt: (...parts) => windowsPath(at(...parts)),
    write,
    start,
    ccc: async (args, options) => {
      const result = await finish(start(args, options));
      expect(mixedSlashes(result.stdout + result.stderr, windowsPath(home))).toEqual([]);
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.stop();
      // Windows may still hold files of programs that have just ended.
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

export async function finish(child: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<WindowsResult> {
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  return { exitCode, stdout: stdout.replaceAll("\r\n", "\n"), stderr: withoutWine(stderr.replaceAll("\r\n", "\n")) };
}

/** Paths below a folder that have both kinds of slashes, in a text. In JSON, backslashes are doubled. */
function mixedSlashes(text: string, folder: string): string[] {
  const [, ...rests] = text.replaceAll("\\\\", "\\").split(folder);
  const paths = rests.map((rest) => /^(\\my project)?[^\s"'`]*/.exec(rest)?.[0] ?? "");
  return paths.filter((path) => path.includes("/"));
}

/** Without Wine's own messages: one of its threads may crash while a program exits, after all output. */
function withoutWine(stderr: string): string {
  return stderr.replace(/^wine: .*\n/gm, "");
}
