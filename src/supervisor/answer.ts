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
  /** Whether the user is told, beside the agent. */
  readonly announce: boolean;
  /** Where the whole of a feedback stands that is too long to be passed on. */
  readonly outputFile: string;
  /** What ccc noticed and the user should know. */
  readonly findings: readonly string[];
}

/** What the hook prints: nothing, or one JSON. */
export function stopAnswer(outcome: Outcome, options: AnswerOptions): StopAnswer | undefined {
  const block =
    outcome.kind === "rework"
      ? { decision: "block" as const, reason: cut(outcome.feedback, options.outputFile) }
      : undefined;
  if (!options.announce) return block;
  const told = [`${announcement(outcome, options.limit)} (${SWITCH_OFF})`, ...options.findings];
  return { ...block, systemMessage: told.join("\n") };
}

const SWITCH_OFF = "to switch it off: CCC_SUPERVISOR=0 and no --supervisor";

/** A stop in one line. */
export function announcement(outcome: Outcome, limit: number): string {
  switch (outcome.kind) {
    case "done":
      return `supervisor: done after ${outcome.rounds} ${outcome.rounds === 1 ? "round" : "rounds"}${seen(outcome.feedback)}`;
    case "rework":
      return `supervisor ${outcome.round}/${limit}: not done`;
    case "limit":
      return `supervisor: the limit of ${limit} reviews is reached, so this stop was not reviewed; the agent was allowed to stop`;
    case "waiting":
      return "supervisor: a delegated agent still works, the review comes when it has ended";
    case "unreviewed":
      return `supervisor could not review: ${outcome.why}; the agent was allowed to stop, see supervisor.log`;
  }
}

/** What the reviewer says that it checked, in a sentence. */
function seen(feedback: string): string {
  const [sentence = ""] = feedback.trim().split(/(?<=[.!?。])\s|\n/);
  return sentence === "" ? "" : `: ${sentence.slice(0, LONGEST_SENTENCE)}`;
}

const LONGEST_SENTENCE = 200;

/** Ends at a sentence, and says where the rest is. */
export function cut(text: string, outputFile: string): string {
  if (text.length <= LONGEST_REASON) return text;
  const note = `\n[cut; the whole review is in ${outputFile}]`;
  const head = text.slice(0, LONGEST_REASON - note.length);
  const end = Math.max(...[". ", ".\n", "! ", "? ", "。", "\n"].map((stop) => head.lastIndexOf(stop)));
  return (end > head.length / 2 ? head.slice(0, end + 1) : head).trimEnd() + note;
}
