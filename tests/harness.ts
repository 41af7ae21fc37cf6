import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Sandbox, startSandbox } from "../src/sandbox/server.ts";
import type { Role, Script, Turn } from "../src/sandbox/turns.ts";

/** The binary under test, as `bun run build` left it. */
export const CCC = join(import.meta.dir, "../dist/ccc");
/** The real Claude Code, a dev dependency; or another than the pinned one, which the nightly workflow tries. */
export const OTHER_CLAUDE = process.env.CCC_TEST_CLAUDE;
export const CLAUDE = OTHER_CLAUDE || join(import.meta.dir, "../node_modules/.bin/claude");
/** The oldest version that the supervisor supports: a script for Node. */
const OLDEST_CLAUDE = join(import.meta.dir, "../node_modules/claude-code-oldest/cli.js");

export interface Result {
  readonly exitCode: number | null;
  readonly signal: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: number;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly ccc?: string;
  readonly stdin?: string | Uint8Array;
}

/** A machine of its own: home, project folder and PATH with nothing of the caller's in them. */
export interface Place extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  /** Path below the home. */
  at(...parts: string[]): string;
  write(path: string, content: unknown): Promise<void>;
  config(content: unknown): Promise<void>;
  /** Puts a shell script in the place of claude, for what the real one does not do on demand. */
  standIn(script: string): Promise<void>;
  /** Puts the oldest supported Claude Code in the place of the pinned one. */
  oldest(): Promise<void>;
  start(args: readonly string[], options?: RunOptions): Bun.Subprocess<Blob, "pipe", "pipe">;
  ccc(args: readonly string[], options?: RunOptions): Promise<Result>;
}

/** For launches with nothing of the user's own in their settings: the generated file then has its provider's name. */
export const PLAIN_ENV = { CCC_KEYCHAIN: "" };

/** Spaces, quotes and letters beyond ASCII: paths that break what is not quoted. */
const AWKWARD = `it's a "test" päth`;

export async function newPlace(): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ccc-test-")));
  const home = join(root, AWKWARD);
  const project = join(home, "my project");
  const bin = join(root, "bin");
  await mkdir(join(home, ".claude"), { recursive: true });
  await mkdir(project);
  await mkdir(bin);
  await symlink(await realpath(CLAUDE), join(bin, "claude"));
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    TMPDIR: root,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    // The keychain is the machine's, whatever HOME says.
    CCC_KEYCHAIN: "0",
  };
  const at = (...parts: string[]) => join(home, ...parts);
  const write = async (path: string, content: unknown) => {
    await mkdir(dirname(path), { recursive: true });
    await Bun.write(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  };
  const start = (args: readonly string[], options: RunOptions = {}) =>
    Bun.spawn([options.ccc ?? CCC, ...args], {
      cwd: options.cwd ?? project,
      env: { ...env, ...options.env },
      stdin: new Blob([options.stdin ?? ""]),
      stdout: "pipe",
      stderr: "pipe",
    });
  const standIn = async (script: string) => {
    await rm(join(bin, "claude"), { force: true });
    await write(join(bin, "claude"), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, "claude"), 0o755);
  };
  return {
    home,
    project,
    bin,
    env,
    at,
    write,
    start,
    config: (content) => write(at(".claude/ccc.json"), content),
    standIn,
    oldest: () => standIn(`exec "${Bun.which("node")}" "${OLDEST_CLAUDE}" "$@"`),
    ccc: async (args, options) => finish(start(args, options)),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

async function finish(child: Bun.Subprocess<Blob, "pipe", "pipe">): Promise<Result> {
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { exitCode: child.exitCode, signal: child.signalCode, stdout, stderr, pid: child.pid };
}

/** Plays each role's turns in order, and the last one again from then on. */
export function inTurn(turns: Partial<Record<Role, readonly Turn[]>>): Script {
  return ({ role }, index) => {
    const own = turns[role] ?? [];
    return own[Math.min(index, own.length - 1)] ?? { say: "ok" };
  };
}

/** A sandbox that answers everything, or as its script says, and ends with the test. */
export function newSandbox(script: Script = inTurn({})): Sandbox & AsyncDisposable {
  const sandbox = startSandbox(script);
  return { ...sandbox, [Symbol.asyncDispose]: sandbox.stop };
}

/** What a login to a Claude subscription leaves in .credentials.json. */
export const SUBSCRIPTION = {
  claudeAiOauth: {
    accessToken: "sk-ant-oat01-stored",
    refreshToken: "sk-ant-ort01-stored",
    expiresAt: 4_102_444_800_000,
    scopes: ["user:inference", "user:profile"],
    subscriptionType: "max",
  },
};

/** The credentials of each request that reached a sandbox. */
export function credentials({ headers }: Sandbox) {
  return headers.map((each) => ({ bearer: each.authorization, key: each["x-api-key"] }));
}

/** A provider of ccc.json that leads to a sandbox. */
export function provider({ url }: Pick<Sandbox, "url">, token: string, env: Readonly<Record<string, unknown>> = {}) {
  return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: token, ...env } };
}

/** Claude Code's first-run screens are behind us, and the folder is trusted. */
export async function settledIn(place: Place) {
  const projects = { [place.project]: { hasTrustDialogAccepted: true } };
  await place.write(place.at(".claude.json"), { hasCompletedOnboarding: true, projects });
}

/** Every file below the home, with its content and time. */
export async function fingerprint(place: Place): Promise<string> {
  const names = (await readdir(place.home, { recursive: true })).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const file = Bun.file(join(place.home, name));
      const stat = await file.stat();
      return [name, stat.mtimeMs, stat.isFile() ? Bun.hash(await file.bytes()).toString() : "folder"];
    }),
  );
  return JSON.stringify(files);
}

/** Starts a program and kills it as soon as what `look` sees is another than before, or when it has ended by itself. */
export async function killWhenChanged(start: () => Bun.Subprocess, look: () => unknown): Promise<void> {
  const before = look();
  const child = start();
  while (child.exitCode === null && look() === before) await Bun.sleep(0);
  child.kill("SIGKILL");
  await child.exited;
}

/** None of the processes in `pids` runs any more. What only waits to be reaped by init does not run. */
export async function expectGone(place: Place): Promise<void> {
  const pids = (await readFile(place.at("pids"), "utf8")).trim().split("\n");
  expect(pids).toHaveLength(2);
  for (const pid of pids) {
    const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", pid]).stdout.toString().trim();
    expect(state).toMatch(/^(Z.*)?$/);
  }
}

if (!existsSync(CCC)) throw new Error("dist/ccc is missing: run `bun run build` first");
