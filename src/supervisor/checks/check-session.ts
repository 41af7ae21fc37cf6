import { join } from "node:path";
import * as v from "valibot";
import type { Files } from "../../os/files.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import type { Env, World } from "../../world.ts";
import type { Changes } from "../baseline/changes.ts";
import { bestEffort } from "../best-effort.ts";
import { STATE_FOLDER } from "../hook-options.ts";
import type { CheckResult } from "./describe-checks.ts";
import { fileTimes } from "./file-times.ts";
import { runChecks } from "./run-checks.ts";

/** The checks of a session, as they were settled at its launch. */
export interface SessionChecks {
  readonly commands: readonly string[];
  readonly env: Env;
  /** The file that keeps the last result; undefined if nothing is kept. */
  readonly memory: string | undefined;
}

export interface CheckedSession {
  readonly world: World;
  readonly project: string;
  readonly checks: SessionChecks;
  readonly timeoutSeconds: number;
  readonly clean: (text: string) => string;
  readonly say: (message: string) => void;
  /** Gets each command before it runs. */
  readonly onCheck: (command: string) => void;
}

/**
 * The results of a session's checks, until the first that fails. Undefined if ccc was asked to end. If all passed, that
 * counts for as long as the files are the same. A failed one runs again: the cause may be outside these files.
 */
export async function checkSession(
  { world, project, checks, timeoutSeconds, clean, say, onCheck }: CheckedSession,
  changes: () => Promise<Changes>,
): Promise<CheckResult[] | undefined> {
  const { commands, env, memory } = checks;
  if (commands.length === 0) return [];
  const files = filesNow(world, project, await changes());
  const known = memory === undefined ? undefined : readMemory(world.files, memory);
  if (known !== undefined && known.files === files && isSame(known.results, commands)) {
    say("checks: passed, with the same files as at their last run");
    return known.results.map((result) => ({ ...result, isReused: true }));
  }
  const run = () => runChecks(world, { commands, cwd: project, env, timeoutSeconds, clean, onCheck });
  if (memory === undefined) return run();
  bestEffort(say, "forget the last checks", () => world.files.remove(memory));
  const results = await run();
  if (results?.every(({ isPassed }) => isPassed) && files !== undefined) {
    bestEffort(say, "save the checks", () => world.files.writePrivate(memory, prettyJson({ files, results })));
  }
  return results;
}

/** Identifies the files as they are now; undefined if that is not known. */
function filesNow(world: World, project: string, changes: Changes): string | undefined {
  if ("tree" in changes) {
    const commit = commitNow(world.files, changes.top);
    return commit && `tree ${changes.tree} ${commit}`;
  }
  if (changes.why !== "not a git repository") return undefined;
  return fileTimes(world.files, project, { now: world.now, without: join(project, STATE_FOLDER) });
}

/** A check may look at the last commit. Undefined where it is not easily known, as in a worktree or with reftables. */
function commitNow(files: Files, top: string): string | undefined {
  try {
    const folder = join(top, ".git");
    const repository = files.guarded(top);
    const head = repository.read(join(folder, "HEAD"), LONGEST_REF)?.trim() ?? "";
    if (COMMIT_ID.test(head)) return head;
    // No part of a branch's name begins with a dot. Reftables are announced by such a name.
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

const MemorySchema = v.object({
  files: v.string(),
  results: v.array(
    v.object({
      command: v.string(),
      ending: v.string(),
      isPassed: v.literal(true),
      seconds: v.number(),
      output: v.string(),
    }),
  ),
});

function readMemory(files: Files, path: string) {
  const memory = v.safeParse(MemorySchema, parseJson(files.read(path) ?? ""));
  return memory.success ? memory.output : undefined;
}

function isSame(results: readonly CheckResult[], commands: readonly string[]): boolean {
  return JSON.stringify(results.map(({ command }) => command)) === JSON.stringify(commands);
}
