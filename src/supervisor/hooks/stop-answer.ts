import { LONGEST_REASON, type StopAnswer } from "../../claude/stop-hook.ts";
import { announcement, type Outcome } from "../review/outcome.ts";

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

/** Cuts at the end of a sentence and names the file with the rest. */
export function cut(text: string, outputFile: string): string {
  if (text.length <= LONGEST_REASON) return text;
  const note = `\n[cut; the complete review is in ${outputFile}]`;
  const head = text.slice(0, LONGEST_REASON - note.length);
  const end = Math.max(...[". ", ".\n", "! ", "? ", "。", "\n"].map((stop) => head.lastIndexOf(stop)));
  return (end > head.length / 2 ? head.slice(0, end + 1) : head).trimEnd() + note;
}
