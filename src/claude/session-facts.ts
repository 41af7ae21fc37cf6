import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { lenient } from "./lenient.ts";
import { isTerminalSession } from "./session-env.ts";
import { type Prompt, readPrompt } from "./transcript.ts";

/** What the transcript of a session says about it. */
export interface SessionFacts {
  /** Where the agent was, each folder once. The session started in the first. */
  readonly folders: readonly string[];
  /** Where it was last. */
  readonly cwd: string | undefined;
  /** Whether it last ran in a terminal, not with `-p`. Older versions do not say. */
  readonly isTerminal: boolean;
  /** Whether a model has ever answered. */
  readonly hasAnswer: boolean;
  readonly prompts: readonly Prompt[];
}

/** Collects the facts from the lines of a transcript. */
export function sessionFacts(): { readonly add: (line: string) => void; readonly facts: () => SessionFacts } {
  const folders = new Set<string>();
  const prompts: Prompt[] = [];
  let cwd: string | undefined;
  let isTerminal = true;
  let hasAnswer = false;
  const add = (line: string) => {
    // Most lines are about something else, and long: not worth parsing.
    if (!line.includes('"type":"user"') && !line.includes('"type":"assistant"')) return;
    const entry = v.safeParse(EntrySchema, parseJson(line));
    if (!entry.success || entry.output.isSidechain) return;
    const prompt = readPrompt(line);
    if (prompt !== undefined) prompts.push(prompt);
    const { type, entrypoint, message } = entry.output;
    cwd = entry.output.cwd ?? cwd;
    if (cwd !== undefined) folders.add(cwd);
    if (entrypoint !== undefined) isTerminal = isTerminalSession({ CLAUDE_CODE_ENTRYPOINT: entrypoint });
    // Claude Code's own messages, about errors for example, have the model <synthetic>.
    if (type === "assistant" && !message.model?.startsWith("<")) hasAnswer = true;
  };
  return { add, facts: () => ({ folders: [...folders], cwd, isTerminal, hasAnswer, prompts }) };
}

const EntrySchema = v.object({
  type: v.picklist(["user", "assistant"]),
  message: v.object({ model: lenient(v.string()) }),
  cwd: lenient(v.string()),
  entrypoint: lenient(v.string()),
  isSidechain: lenient(v.boolean()),
});
