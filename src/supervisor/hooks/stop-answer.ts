import { goOn, LONGEST_REASON, type StopAnswer } from "../../claude/stop-hook.ts";
import { announcement, reviewedInstead } from "../review/announcement.ts";
import type { Outcome } from "../review/outcome.ts";

/** What the hook prints: nothing, or one JSON object. */
export function stopAnswer(outcome: Outcome, options: AnswerOptions): StopAnswer | undefined {
  const { announce, findings, notification } = options;
  const block =
    outcome.kind === "rework" ? goOn(cut(outcome.feedback, options.outputFile), options.takesFeedback) : undefined;
  if (!announce) return block;
  const instead = reviewedInstead(outcome);
  const notes = instead === undefined ? findings : [instead, ...findings];
  const systemMessage = [announcement(outcome, options.limit, options.log), ...notes].join("\n");
  const sequence = notification === undefined ? {} : { terminalSequence: notification };
  return { ...block, systemMessage, ...sequence };
}

export interface AnswerOptions {
  readonly limit: number;
  /** Whether the user sees the outcome too. */
  readonly announce: boolean;
  /** Whether this Claude Code lets a Stop hook give feedback without calling it an error. */
  readonly takesFeedback: boolean;
  /** What the terminal gets, to notify the user. */
  readonly notification: string | undefined;
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
