import { withoutSession } from "../../claude/sessions.ts";
import type { SupervisorSettings } from "../../config/defaults.ts";
import type { ChildRequest, ChildResult } from "../../os/child.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { withoutProvider } from "../../providers/variables.ts";
import type { Redactor } from "../../text/redact.ts";
import type { Env, World } from "../../world.ts";
import type { Changes } from "../changes/changes.ts";
import { bestEffort, STATE_FOLDER, type SupervisorLog } from "../project.ts";
import type { PassedChecks, SessionRecord } from "../record/session.ts";
import type { CheckResult } from "../record/stops.ts";
import { lastLines } from "./result.ts";

/** The environment of the launch without the providers' keys, under whatever name, and without ccc's own variables. */
export function checkEnvironment(launched: Env, hasKey: (value: string) => boolean): Env {
  const kept = Object.entries(withoutSession(withoutProvider(launched))).filter(
    ([name, value = ""]) => !name.startsWith("CCC_") && !hasKey(value),
  );
  return Object.fromEntries(kept);
}

/** The checks of a session, as they were settled at its launch. */
export interface SessionChecks {
  readonly commands: readonly string[];
  readonly env: Env;
  /** Keeps those that passed last; undefined if nothing is kept. */
  readonly memory: SessionRecord["checks"] | undefined;
  /**
   * How many tools the agent has used since a prompt, by default the current one. Undefined if that is uncertain, or if
   * something of the agent's still runs.
   */
  readonly toolCalls: (since?: string) => Promise<PassedChecks["tools"] | undefined>;
}

/** What the checks need to know of a stop. */
interface CheckedStop {
  readonly world: World;
  readonly project: string;
  readonly checks: SessionChecks;
  readonly options: Pick<SupervisorSettings, "check_timeout_seconds">;
  readonly redactor: Pick<Redactor, "known">;
  readonly log: SupervisorLog;
}

/**
 * The results of a session's checks, up to the first that fails. Undefined if ccc was asked to end. If all passed, that
 * counts until the agent uses a tool, which may change what no comparison of files shows: an ignored file, a file elsewhere,
 * a service. After a failure they run again. `onCheck` gets each command before it runs.
 */
export async function checkStop(
  stop: CheckedStop,
  changes: Changes,
  onCheck: (command: string) => void,
): Promise<CheckResult[] | undefined> {
  const { world, project, checks, log } = stop;
  const { commands, memory, toolCalls } = checks;
  if (commands.length === 0) return [];
  const files = filesNow(world, project, changes);
  const known = memory?.read();
  const isUnchanged = known !== undefined && known.files === files && isSame(known.results, commands);
  if (isUnchanged && (await toolCalls(known.tools.since))?.calls === known.tools.calls) {
    log.say("checks: passed at their last run, and the agent has used no tool since");
    return known.results.map((result) => ({ ...result, isReused: true }));
  }
  if (memory === undefined) return runChecks(stop, onCheck);
  bestEffort(log.say, "forget the last checks", memory.remove);
  const tools = await toolCalls();
  const results = await runChecks(stop, onCheck);
  const passed = results?.flatMap((result) => (result.isPassed ? [{ ...result, isPassed: true as const }] : []));
  if (passed !== undefined && passed.length === results?.length && files !== undefined && tools !== undefined) {
    bestEffort(log.say, "save the checks", () => memory.save({ files, tools, results: passed }));
  }
  return results;
}

/** Identifies the files as they are now; undefined if unknown. */
export function filesNow(world: World, project: string, changes: Changes): string | undefined {
  if ("tree" in changes) {
    const commit = commitNow(world.files, changes.top);
    return commit && `tree ${changes.tree} ${commit}`;
  }
  if (changes.why !== "not a git repository") return undefined;
  return fileTimes(world.files, project, { now: world.now, without: join(project, STATE_FOLDER) });
}

/** The current commit, which a check may look at. Undefined where it is hard to find, as in a worktree or with reftables. */
function commitNow(files: Files, top: string): string | undefined {
  try {
    const folder = join(top, ".git");
    const repository = files.guarded(top);
    const head = repository.read(join(folder, "HEAD"), LONGEST_REF)?.trim() ?? "";
    if (COMMIT_ID.test(head)) return head;
    // No part of a branch's name begins with a dot. With reftables, HEAD has such a name.
    const [, ref] = /^ref: (refs(?:\/[^./][^/]*)+)$/.exec(head) ?? [];
    // A name that is not UTF-8 was read as another one.
    if (ref === undefined || ref.includes("\uFFFD")) return undefined;
    const commit = repository.read(join(folder, ref), LONGEST_REF)?.trim();
    // A branch can be a link to another one.
    if (commit !== undefined && !COMMIT_ID.test(commit)) return undefined;
    // Without a file of its own, the branch is among the packed ones, or has no commit yet.
    return `${head} ${commit ?? `packed ${files.modified(join(folder, "packed-refs"))}`}`;
  } catch {
    return undefined;
  }
}

const LONGEST_REF = 1_000;
const COMMIT_ID = /^[0-9a-f]{40,64}$/;

function isSame(results: readonly CheckResult[], commands: readonly string[]): boolean {
  return JSON.stringify(results.map(({ command }) => command)) === JSON.stringify(commands);
}

const MOST_FILES = 20_000;
const LONGEST_MS = 2_000;

/**
 * Identifies the files below a folder by their sizes and times, for folders without git. Undefined if that takes too long,
 * or if a link leads to another folder, whose files would be missing.
 */
function fileTimes(
  files: Pick<Files, "list" | "entry" | "identify">,
  top: string,
  { now, without }: { readonly now: () => Date; readonly without: string },
): string | undefined {
  const hash = new Bun.CryptoHasher("sha256");
  const endsAt = now().getTime() + LONGEST_MS;
  const folders = [top];
  let count = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (now().getTime() > endsAt) return undefined;
    for (const name of files.list(folder)) {
      const path = join(folder, name);
      if (path === without) continue;
      const entry = files.entry(path);
      if (entry === undefined || ++count > MOST_FILES) return undefined;
      if (entry.kind === "link" && files.identify(path)?.isFolder === true) return undefined;
      if (entry.kind === "folder") folders.push(path);
      // The time of a folder changes with ccc's own files in it; what it contains is listed anyway.
      const facts = entry.kind === "folder" ? [] : [entry.size, entry.modified];
      hash.update(`${JSON.stringify([path, entry.kind, ...facts])}\n`);
    }
  }
  return `times ${hash.digest("hex")}`;
}

/** Runs the checks in order, until one fails. Undefined if ccc was asked to end meanwhile. */
async function runChecks(stop: CheckedStop, onCheck: (command: string) => void): Promise<CheckResult[] | undefined> {
  const { world, project: cwd, checks, options, redactor } = stop;
  const timeoutMs = options.check_timeout_seconds * 1000;
  const results: CheckResult[] = [];
  for (const command of checks.commands) {
    onCheck(command);
    const ended = await runCheck(world, { command, cwd, env: checks.env, timeoutMs, clean: redactor.known });
    if (ended === undefined) return undefined;
    const { isTimedOut: _, ...result } = ended;
    results.push(result);
    if (!result.isPassed) break;
  }
  return results;
}

interface CheckRun {
  readonly command: string;
  readonly cwd: string;
  readonly env: Env;
  readonly timeoutMs: number;
  /** Masks the secrets of the session. */
  readonly clean: (text: string) => string;
}

/** Runs one check. Undefined if ccc was asked to end meanwhile. */
export async function runCheck(
  world: Pick<World, "run" | "now" | "platform">,
  { command, cwd, env, timeoutMs, clean }: CheckRun,
): Promise<(CheckResult & { readonly isTimedOut: boolean }) | undefined> {
  const startedAt = world.now().getTime();
  const output = lastLines();
  const ended = await world.run({
    program: shellProgram(command, env, world.platform),
    cwd,
    stdin: "",
    timeoutMs,
    onLine: (line) => {
      output.add(line);
      return false;
    },
  });
  if (ended.ending === "interrupted") return undefined;
  return {
    command,
    ending: describeEnding(ended, timeoutMs / 1000),
    isPassed: ended.ending === "exited" && ended.exitCode === 0,
    isTimedOut: ended.ending === "timeout",
    seconds: Math.round((world.now().getTime() - startedAt) / 1000),
    output: output.text(clean),
  };
}

/** stdout and stderr as one stream, in the order of their lines. */
export function shellProgram(command: string, env: Env, platform: NodeJS.Platform): ChildRequest["program"] {
  if (platform === "win32")
    return { file: env.COMSPEC || "cmd.exe", args: ["/d", "/s", "/c", `(${command}) 2>&1`], env };
  return { file: "/bin/sh", args: ["-c", 'exec /bin/sh -c "$1" 2>&1', "sh", command], env };
}

function describeEnding({ ending, exitCode }: ChildResult, timeoutSeconds: number): string {
  if (ending === "timeout") return `timed out after ${timeoutSeconds} ${timeoutSeconds === 1 ? "second" : "seconds"}`;
  return exitCode === null ? "killed by a signal" : `exit ${exitCode}`;
}
