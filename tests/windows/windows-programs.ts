import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dir, "../..");
const IS_WINDOWS = process.platform === "win32";

/** The program under test, made by `bun run test:windows`. */
export const CCC_EXE = join(ROOT, "dist/ccc.exe");

/** The version of Claude Code: the pinned one, or another that the nightly workflow tests. */
export const CLAUDE_VERSION = process.env.CCC_TEST_CLAUDE_VERSION || devDependencies["@anthropic-ai/claude-code"];

export const IS_PINNED = CLAUDE_VERSION === devDependencies["@anthropic-ai/claude-code"];

/** Not in the repository. */
const CACHE = join(ROOT, ".cache/windows");
export const CLAUDE_PACKAGE = "@anthropic-ai/claude-code-win32-x64";
export const CLAUDE_FOLDER = join(CACHE, `claude-${CLAUDE_VERSION}`);
/** The real Claude Code for Windows. */
export const CLAUDE_EXE = join(CLAUDE_FOLDER, "node_modules", CLAUDE_PACKAGE, "claude.exe");

/** A path of this machine as Windows programs see it. Wine shows the root folder as drive Z. */
export function windowsPath(path: string): string {
  return IS_WINDOWS ? path : `Z:${path.replaceAll("/", "\\")}`;
}

/** A program to run on Windows. All paths are Windows paths. */
export interface StartRequest {
  readonly command: readonly string[];
  readonly cwd: string;
  /** All variables except those of the system. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

let requests = 0;

/** Runs a program on Windows or under Wine. `folder` is for temporary files. */
export function runOnWindows(folder: string, request: StartRequest): Bun.Subprocess<"ignore", "pipe", "pipe"> {
  const file = join(folder, `request-${requests++}.json`);
  writeFileSync(file, JSON.stringify(request));
  // In another folder, so that its Bun does not find this project's package.json and tsconfig.json.
  const starter = join(folder, "starter.js");
  copyFileSync(join(import.meta.dir, "starter.js"), starter);
  const command = [...bun(), windowsPath(starter), windowsPath(file)];
  // Detached, so that only its process group is interrupted.
  const options = { cwd: folder, env: hostEnvironment(), detached: !IS_WINDOWS };
  return Bun.spawn(command, { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

/** A Bun for Windows: ccc.exe contains one. */
function bun(): string[] {
  return IS_WINDOWS ? [process.execPath] : ["/usr/lib/wine/wine64", windowsPath(CCC_EXE)];
}

function hostEnvironment(): Record<string, string | undefined> {
  if (IS_WINDOWS) return process.env;
  const wine = { WINEPREFIX: join(CACHE, "prefix"), WINEDEBUG: "-all" };
  return { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", BUN_BE_BUN: "1", ...wine };
}
