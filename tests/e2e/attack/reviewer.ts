import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Turn } from "../../../src/sandbox/turns.ts";
import { newSandbox, type Place, provider } from "../../harness.ts";
import { DONE } from "../../supervised.ts";

export const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "try" } });
export const read = (file_path: string): Turn => ({ use: "Read", input: { file_path } });

export interface Trial {
  /** What the reviewer sees; without it the hook is run on its own, as the source documents have it. */
  readonly context?: "session" | "fresh";
  /** More arguments for claude. */
  readonly options?: readonly string[];
  /** More variables for the hook. */
  readonly hookEnv?: Readonly<Record<string, string>>;
  /** Changes the project between the agent's work and the review. */
  readonly plant?: () => Promise<unknown>;
}

/** Lets the reviewer of a real session use tools in turn, and returns the result of each. */
export async function tryTools(place: Place, calls: readonly Turn[], trial: Trial = {}): Promise<string[]> {
  let planned: readonly Turn[] = [DONE];
  let heard: readonly unknown[] = [];
  await using glm = newSandbox(({ role, body }) => {
    if (role !== "reviewer") return { say: "done" };
    heard = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const [next = DONE, ...rest] = planned;
    planned = rest;
    return next;
  });
  const { context } = trial;
  await place.config({
    providers: { glm: provider(glm, "key-of-the-reviewer") },
    supervisor: context === undefined ? {} : { context },
  });
  const agent = await place.ccc(["--supervisor", "glm", "-p", "x", ...(trial.options ?? [])]);
  if (agent.exitCode !== 0) throw new Error(agent.stderr);
  await trial.plant?.();

  planned = [...calls, DONE];
  const [state] = (await readdir(join(place.project, ".claude/ccc"))).filter((name) =>
    /^supervisor-.*\.json$/.test(name),
  );
  const settings = (await readdir(place.at(".claude/ccc"))).find((name) =>
    /^settings-glm-supervisor.*\.json$/.test(name),
  );
  const session_id = state?.slice("supervisor-".length, -".json".length);
  const record = context === undefined ? [] : ["--config-dir", place.at(".claude")];
  const review = await place.ccc(
    ["supervisor-hook", "--settings", place.at(".claude/ccc", settings ?? ""), ...record],
    {
      env: trial.hookEnv ?? {},
      stdin: JSON.stringify({ session_id, cwd: place.project }),
    },
  );
  if (!review.stderr.includes("done")) throw new Error(review.stderr);
  return answersIn(heard);
}

function answersIn(blocks: readonly unknown[]): string[] {
  const results = blocks.filter((block) => (block as { type?: string }).type === "tool_result");
  return results.map((result) => JSON.stringify((result as { content: unknown }).content));
}
