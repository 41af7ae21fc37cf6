import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import type { MessagesRequest, ToolCall } from "../../../src/sandbox/sandbox.ts";
import { newSandbox, ONE_REVIEW, type Place, provider } from "../../harness.ts";
import { DONE, notDone } from "../../supervised.ts";

export const bash = (command: string): ToolCall => ({ use: "Bash", input: { command, description: "try" } });
export const read = (file_path: string): ToolCall => ({ use: "Read", input: { file_path } });

export type Context = "session" | "fresh";

export interface Trial {
  /** The settings in ccc.json that all providers share. */
  readonly settings?: object;
  /** More arguments for claude. */
  readonly options?: readonly string[];
  /** Changes the project between the agent's work and the review. */
  readonly plant?: () => Promise<unknown>;
}

/** Lets each reviewer of one real session use tools, all in one message, and returns the result of each, by reviewer. */
export async function tryTools(
  place: Place,
  calls: readonly ToolCall[],
  contexts: readonly Context[],
  { settings = {}, options = [], plant }: Trial = {},
): Promise<string[][]> {
  const answers: string[][] = [];
  let planted: Promise<unknown> | undefined;
  await using glm = newSandbox(({ role, body }) => {
    if (role !== "reviewer") {
      planted ??= plant?.();
      return { say: "done", ...(planted && { after: planted }) };
    }
    const heard = answersIn(body);
    if (heard.length === 0) return { calls };
    answers.push(heard);
    const next = contexts[answers.length];
    return next === undefined ? DONE : { ...notDone("again"), after: configure(next) };
  });
  const configure = (context: Context | undefined) =>
    place.config({ settings, providers: { glm: provider(glm, REVIEWER_KEY) }, supervisor: { ...ONE_REVIEW, context } });
  await configure(contexts[0]);
  const agent = await place.ccc(["--supervisor", "glm", "-p", "x", ...options]);
  if (agent.exitCode !== 0) throw new Error(agent.stderr);
  return answers;
}

/** The same for the standalone hook, with more variables. */
export async function tryToolsAlone(
  place: Place,
  calls: readonly ToolCall[],
  { plant, env = {} }: { plant?: () => Promise<unknown>; env?: Readonly<Record<string, string>> } = {},
): Promise<string[]> {
  let answers: string[] = [];
  await using glm = newSandbox(({ role, body }) => {
    if (role !== "reviewer") return { say: "done" };
    answers = answersIn(body);
    return answers.length === 0 ? { calls } : DONE;
  });
  const providers = { glm: provider(glm, REVIEWER_KEY) };
  // The stop of this session, in which no tool runs, is not reviewed.
  await place.config({ providers, supervisor: { when: "changes" } });
  const agent = await place.ccc(["--supervisor", "glm", "-p", "x"]);
  if (agent.exitCode !== 0) throw new Error(agent.stderr);
  await place.config({ providers });
  await plant?.();
  await reviewAlone(place, env);
  return answers;
}

const REVIEWER_KEY = "key-of-the-reviewer";

/** Runs the hook as if the only session had stopped again, without ccc's record of it. */
async function reviewAlone(place: Place, env: Readonly<Record<string, string>>): Promise<void> {
  const transcripts = await readdir(place.at(".claude/projects"), { recursive: true });
  const transcript = transcripts.find((name) => name.endsWith(".jsonl") && !basename(name).startsWith("agent-"));
  const settings = (await readdir(place.at(".claude/ccc"))).find((name) =>
    /^settings-glm-supervisor.*\.json$/.test(name),
  );
  const review = await place.ccc(["supervisor-hook", "--settings", place.at(".claude/ccc", settings ?? "")], {
    env,
    stdin: JSON.stringify({ session_id: basename(transcript ?? "", ".jsonl"), cwd: place.project }),
  });
  if (!review.stderr.includes("done")) throw new Error(review.stderr);
}

/** The result of each call, in call order: Claude Code sends them in the order in which they ended. */
function answersIn({ messages }: MessagesRequest): string[] {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const found = blocks as readonly { type?: string; id?: string; tool_use_id?: string; content?: unknown }[];
  const calls = found.filter(({ type }) => type === "tool_use");
  return calls.flatMap(({ id }) => {
    const result = found.find(({ type, tool_use_id }) => type === "tool_result" && tool_use_id === id);
    return result === undefined ? [] : [JSON.stringify(result.content)];
  });
}
