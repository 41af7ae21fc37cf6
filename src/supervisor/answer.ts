import { LONGEST_REASON, type StopAnswer } from "../claude/stop-hook.ts";

/** How a stop ends. */
export type Outcome =
  | { readonly kind: "done"; readonly rounds: number; readonly feedback: string; readonly costUsd: number }
  | { readonly kind: "rework"; readonly round: number; readonly feedback: string; readonly costUsd: number }
  | { readonly kind: "limit" }
  | { readonly kind: "waiting" }
  | { readonly kind: "unreviewed"; readonly why: string };

export interface AnswerOptions {
  readonly limit: number;
  /** Whether the user sees the outcome too. */
  readonly announce: boolean;
  /** Has the complete feedback when it is too long for Claude Code. */
  readonly outputFile: string;
  /** The log, as the user finds it from the project. */
  readonly log: string;
  /** What ccc noticed and the user should know. */
  readonly findings: readonly string[];
}

/** What the hook prints: nothing, or one JSON object. */
export function stopAnswer(outcome: Outcome, options: AnswerOptions): StopAnswer | undefined {
  const block =
    outcome.kind === "rework"
      ? { decision: "block" as const, reason: cut(outcome.feedback, options.outputFile) }
      : undefined;
  if (!options.announce) return block;
  const lines = [`${announcement(outcome, options.limit, options.log)} (${SWITCH_OFF})`, ...options.findings];
  return { ...block, systemMessage: lines.join("\n") };
}

const SWITCH_OFF = "to switch it off: CCC_SUPERVISOR=0 and no --supervisor";

/** The outcome in one line. */
export function announcement(outcome: Outcome, limit: number, log: string): string {
  switch (outcome.kind) {
    case "done":
      return `supervisor: done after ${outcome.rounds} ${outcome.rounds === 1 ? "round" : "rounds"}${firstSentence(outcome.feedback)}`;
    case "rework":
      return `supervisor ${outcome.round}/${limit}: not done`;
    case "limit":
      return `supervisor: ${limitReached(limit)}`;
    case "waiting":
      return "supervisor: a delegated agent is still working; the review starts when it finishes";
    case "unreviewed":
      return `supervisor could not review: ${outcome.why.replace(/\.$/, "")}. The agent was allowed to stop; see ${log}`;
  }
}

export function limitReached(limit: number): string {
  return `stopped after ${limit} ${limit === 1 ? "review" : "reviews"}: NOT done. The last changes were not reviewed.`;
}

/** The reviewer's first sentence. */
function firstSentence(feedback: string): string {
  const [sentence = ""] = feedback.trim().split(/(?<=[.!?。])\s|\n/);
  return sentence === "" ? "" : `: ${sentence.slice(0, LONGEST_SENTENCE)}`;
}

const LONGEST_SENTENCE = 200;

/** Cuts at the end of a sentence and names the file with the rest. */
export function cut(text: string, outputFile: string): string {
  if (text.length <= LONGEST_REASON) return text;
  const note = `\n[cut; the complete review is in ${outputFile}]`;
  const head = text.slice(0, LONGEST_REASON - note.length);
  const end = Math.max(...[". ", ".\n", "! ", "? ", "。", "\n"].map((stop) => head.lastIndexOf(stop)));
  return (end > head.length / 2 ? head.slice(0, end + 1) : head).trimEnd() + note;
}
