import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Sandbox, type Script, startSandbox } from "../src/sandbox/sandbox.ts";
import { haveEnded } from "./ended.ts";
import { inTurn } from "./in-turn.ts";

export { inTurn };

/** The binary under test, made by `bun run build`. */
export const CCC = join(import.meta.dir, "../dist/ccc");
/** The real Claude Code: the pinned dev dependency, or another version that the nightly workflow tests. */
export const OTHER_CLAUDE = process.env.CCC_TEST_CLAUDE;
export const CLAUDE = OTHER_CLAUDE || join(import.meta.dir, "../node_modules/.bin/claude");
/** The oldest version that the supervisor supports, a Node script. */
export const OLDEST_CLAUDE = join(import.meta.dir, "../node_modules/claude-code-oldest/cli.js");

/** Starts it quickly. */
const OLDEST_START = join(import.meta.dir, "oldest.mjs");

/** Answers --version at once: the real one loads all of Claude Code for that, which takes more than a second. */
const OLDEST_SAYS = `[ "$*" = --version ] && echo "2.0.77 (Claude Code)" && exit`;

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

/** An isolated home, project folder and PATH. */
export interface Place extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  /** A path in the home folder. */
  at(...parts: string[]): string;
  write(path: string, content: unknown): Promise<void>;
  config(content: unknown): Promise<void>;
  /** Replaces claude with a shell script, for faults that the real one does not produce on demand. */
  standIn(script: string): Promise<void>;
  /** Replaces claude with the oldest supported version. */
  oldest(): Promise<void>;
  start(args: readonly string[], options?: RunOptions): Bun.Subprocess<Blob, "pipe", "pipe">;
  ccc(args: readonly string[], options?: RunOptions): Promise<Result>;
}

/** Avoids launch-specific variables in the settings, so that the generated file is named after the provider. */
export const PLAIN_ENV = { CCC_KEYCHAIN: "" };

/** Spaces, quotes and non-ASCII letters, to find paths that are not quoted. */
const AWKWARD = `it's a "test" päth`;

/**
 * Claude Code and ccc are Bun programs that run for about a second here. These settings save a sixth of that: no optimizing
 * compiler, no garbage collection threads, and no certificates, which no server here uses.
 */
const SHORT_RUNS = {
  BUN_JSC_useDFGJIT: "0",
  BUN_JSC_numberOfGCMarkers: "1",
  SSL_CERT_FILE: "/dev/null",
  SSL_CERT_DIR: "/dev/null",
};

/** `parent`: where its folders are. */
export async function newPlace(parent = tmpdir()): Promise<Place> {
  const root = await realpath(await mkdtemp(join(parent, "ccc-test-")));
  const home = join(root, AWKWARD);
  const project = join(home, "my project");
  const bin = join(root, "bin");
  await mkdir(join(home, ".claude"), { recursive: true });
  await mkdir(project);
  await mkdir(bin);
  await symlink(await realpath(CLAUDE), join(bin, "claude"));
  // Tests about other things have no sandbox: trying it out takes seconds, and each command takes longer.
  await symlink("/bin/false", join(bin, "bwrap"));
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    TMPDIR: root,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // In a terminal Claude Code would clone its plugins from GitHub.
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    // The keychain belongs to the machine, whatever HOME is.
    CCC_KEYCHAIN: "0",
    ...SHORT_RUNS,
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
    oldest: () => standIn(`${OLDEST_SAYS}\nexec "${Bun.which("node")}" "${OLDEST_START}" "$@"`),
    ccc: async (args, options) => finish(start(args, options)),
    [Symbol.asyncDispose]: async () => {
      await stopBackground(home, env);
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Ends the background sessions of a home, and the service that runs them. */
async function stopBackground(home: string, env: Readonly<Record<string, string>>): Promise<void> {
  if (!existsSync(join(home, ".claude/daemon"))) return;
  await Bun.spawn([CLAUDE, "daemon", "stop", "--any"], { cwd: home, env, stdout: "ignore", stderr: "ignore" }).exited;
}

async function finish(child: Bun.Subprocess<Blob, "pipe", "pipe">): Promise<Result> {
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { exitCode: child.exitCode, signal: child.signalCode, stdout, stderr, pid: child.pid };
}

/** A sandbox that answers "ok", or as its script says, and stops with the test. */
export function newSandbox(script: Script = inTurn({})): Sandbox & AsyncDisposable {
  const sandbox = startSandbox(script);
  return { ...sandbox, [Symbol.asyncDispose]: sandbox.stop };
}

/** .credentials.json after a login to a Claude subscription. */
export const SUBSCRIPTION = {
  claudeAiOauth: {
    accessToken: "sk-ant-oat01-stored",
    refreshToken: "sk-ant-ort01-stored",
    expiresAt: 4_102_444_800_000,
    scopes: ["user:inference", "user:profile"],
    subscriptionType: "max",
  },
};

/** The credentials of each request to a sandbox. */
export function credentials({ headers }: Sandbox) {
  return headers.map((each) => ({ bearer: each.authorization, key: each["x-api-key"] }));
}

/** A provider in ccc.json that uses a sandbox. */
export function provider({ url }: Pick<Sandbox, "url">, token: string, env: Readonly<Record<string, unknown>> = {}) {
  return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: token, ...env } };
}

/**
 * `supervisor` in ccc.json, for tests about other subjects than confirmation: a "done" needs no second review, which would
 * be one more start of claude for each.
 */
export const ONE_REVIEW = { confirm: false };

/** Skips Claude Code's first-run screens and trusts the project folder. */
export async function settledIn(place: Place) {
  const projects = { [place.project]: { hasTrustDialogAccepted: true } };
  await place.write(place.at(".claude.json"), { hasCompletedOnboarding: true, projects });
}

/** All files in the home folder, with content and modification time. */
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

/** Starts a program and kills it as soon as the result of `look` changes, unless it exits before. */
export async function killWhenChanged(start: () => Bun.Subprocess, look: () => unknown): Promise<void> {
  const before = look();
  const child = start();
  while (child.exitCode === null && look() === before) await Bun.sleep(0);
  child.kill("SIGKILL");
  await child.exited;
}

/** Expects that the two processes listed in the file `pids` end without anybody's help. */
export async function expectGone(place: Place): Promise<void> {
  const pids = (await readFile(place.at("pids"), "utf8")).trim().split("\n");
  expect(pids).toHaveLength(2);
  expect(await haveEnded(...pids)).toBe(true);
}

if (!existsSync(CCC)) throw new Error("dist/ccc is missing: run `bun run build` first");
