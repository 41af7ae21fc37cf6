import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { lenient } from "./lenient.ts";
import { readPrompt } from "./transcript.ts";

/** An answer that ended a turn. */
export interface LastAnswer {
  readonly at: string;
  /** The agent's folder at that time. */
  readonly cwd: string | undefined;
  /** The prompt that it answers: its id in newer versions, and its text if that is among the lines. */
  readonly promptId: string | undefined;
  readonly prompt: string | undefined;
  /** The status messages or commands of the Stop hooks that Claude Code ran afterwards, or failed to run. */
  readonly stopHooks: readonly string[];
}

/** The last answer in these lines of a transcript; undefined if there is none, or if the user interrupted after it. */
export function lastAnswer(lines: readonly string[]): LastAnswer | undefined {
  let answer: LastAnswer | undefined;
  let promptId: string | undefined;
  let prompt: string | undefined;
  for (const line of lines) {
    const entry = v.safeParse(EntrySchema, INTERESTING.test(line) ? parseJson(line) : undefined);
    if (!entry.success || entry.output.isSidechain) continue;
    if (entry.output.type === "user") {
      // The results of tools have the id of the prompt too.
      promptId = entry.output.promptId ?? promptId;
      const text = readPrompt(line)?.text;
      if (text?.startsWith("[Request interrupted")) answer = undefined;
      else prompt = text ?? prompt;
    } else if (entry.output.type === "system") {
      answer = answer && { ...answer, stopHooks: (entry.output.hookInfos ?? []).map(({ command }) => command) };
    } else if (isFinal(entry.output)) {
      const { timestamp: at, cwd } = entry.output;
      answer = { at, cwd, promptId, prompt, stopHooks: [] };
    }
  }
  return answer;
}

/** Most lines are something else, and long: not worth parsing. */
const INTERESTING = /"type":"(user|assistant)"|"subtype":"stop_hook_summary"/;

const AssistantSchema = v.object({
  type: v.literal("assistant"),
  timestamp: v.string(),
  cwd: lenient(v.string()),
  isSidechain: lenient(v.boolean()),
  isApiErrorMessage: lenient(v.boolean()),
  message: v.object({ stop_reason: v.nullish(v.string()), model: lenient(v.string()) }),
});

const EntrySchema = v.variant("type", [
  v.object({ type: v.literal("user"), isSidechain: lenient(v.boolean()), promptId: v.nullish(v.string()) }),
  AssistantSchema,
  v.object({
    type: v.literal("system"),
    subtype: v.literal("stop_hook_summary"),
    isSidechain: lenient(v.boolean()),
    hookInfos: lenient(v.array(v.object({ command: v.fallback(v.string(), "") }))),
  }),
]);

/** Errors of the API, and messages that Claude Code makes up itself, end no turn: no Stop hook runs after them. */
function isFinal({ message, isApiErrorMessage }: v.InferOutput<typeof AssistantSchema>): boolean {
  const isOwn = isApiErrorMessage === true || message.model === "<synthetic>";
  return !isOwn && (message.stop_reason === "end_turn" || message.stop_reason === "stop_sequence");
}
