import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { lenient } from "./lenient.ts";
import { tellingInput, textOf } from "./stream.ts";
import { readPrompt } from "./transcript.ts";

/** What happened in a session, as its transcript tells it: the user's prompts and the agent's tool calls. */
export type SessionStep =
  | { readonly kind: "prompt"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      /** The file, command or pattern that it was about. */
      readonly about: string;
      readonly hasFailed: boolean;
      /** What it returned; empty while it runs. */
      readonly output: string;
    };

/** A session's steps in order, and the agent's last words. */
export interface SessionLog {
  readonly steps: readonly SessionStep[];
  readonly lastMessage: string;
}

/**
 * Whether a tool of Claude Code changed a file since the user's last prompt, other than a plan or a memory of its own.
 * Commands may change files unseen.
 */
export function hasWritten(steps: readonly SessionStep[]): boolean {
  const since = steps.findLastIndex(({ kind }) => kind === "prompt");
  return steps
    .slice(since + 1)
    .some(
      (step) => step.kind === "tool" && WRITING.includes(step.name) && !step.hasFailed && !OWN_FILES.test(step.about),
    );
}

const OWN_FILES = /[/\\]\.claude[/\\](?:plans|projects)[/\\]/;

const WRITING: readonly string[] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/** Collects the steps from the lines of a transcript. */
export function sessionSteps(): { readonly add: (line: string) => void; readonly log: () => SessionLog } {
  const steps: SessionStep[] = [];
  let lastMessage = "";
  const places = new Map<string, number>();
  const add = (line: string) => {
    // Most lines are about neither, and long: not worth parsing.
    if (!MAY_MATTER.test(line)) return;
    const prompt = readPrompt(line);
    if (prompt?.byUser) steps.push({ kind: "prompt", text: prompt.text });
    const entry = v.safeParse(EntrySchema, parseJson(line));
    if (!entry.success || entry.output.isSidechain) return;
    if (entry.output.type === "assistant") lastMessage = textOf(entry.output.message.content) || lastMessage;
    for (const block of blocksIn(entry.output.message.content)) {
      if (v.is(CallSchema, block)) {
        places.set(block.id, steps.length);
        const about = tellingInput(block.input);
        steps.push({ kind: "tool", name: block.name, about, hasFailed: false, output: "" });
      } else if (v.is(ResultSchema, block)) {
        const place = places.get(block.tool_use_id) ?? -1;
        const step = steps[place];
        if (step?.kind !== "tool") continue;
        steps[place] = { ...step, hasFailed: block.is_error === true, output: textOf(block.content) };
      }
    }
  };
  return { add, log: () => ({ steps, lastMessage }) };
}

const MAY_MATTER = /"type":"(user|assistant)"/;

const EntrySchema = v.object({
  type: v.picklist(["user", "assistant"]),
  message: v.object({ content: v.unknown() }),
  isSidechain: lenient(v.boolean()),
});

const CallSchema = v.object({
  type: v.literal("tool_use"),
  id: v.string(),
  name: v.string(),
  input: v.record(v.string(), v.unknown()),
});

const ResultSchema = v.object({
  type: v.literal("tool_result"),
  tool_use_id: v.string(),
  is_error: lenient(v.boolean()),
  content: v.unknown(),
});

function blocksIn(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [];
}
