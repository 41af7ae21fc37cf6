import type { LastAnswer } from "../../claude/last-answer.ts";
import { type Prompt, startsTurn } from "../../claude/transcript.ts";
import { leftOutFinding } from "../../supervisor/checks/describe-checks.ts";
import { type Instructions, instructionsChange } from "../../supervisor/review/instructions.ts";

/** What is known of a session that the user and the reviewer should know, too. */
export interface ReviewedFacts {
  /** The instructions that it started with, if it was supervised, and the current ones. */
  readonly launched: Instructions | undefined;
  readonly instructions: Instructions;
  /** Checks of the project that do not run. */
  readonly leftOut: readonly string[];
  readonly project: string;
  readonly prompts: readonly Prompt[];
  readonly answer: LastAnswer | undefined;
  /** Whether the baseline is that of an earlier prompt. */
  readonly isBaselineOlder: boolean;
}

export function sessionFindings(facts: ReviewedFacts): string[] {
  const { launched, instructions, leftOut, project, isBaselineOlder } = facts;
  return [
    launched && instructionsChange(launched, instructions, "current"),
    leftOutFinding(leftOut, project),
    hasEnded(facts) ? undefined : UNFINISHED,
    isBaselineOlder ? OLDER_BASELINE : undefined,
  ].filter((each) => each !== undefined);
}

/** Whether the last answer is one to the last prompt. Of a long session, the prompt may not be known. */
function hasEnded({ prompts, answer }: ReviewedFacts): boolean {
  const last = prompts.findLast(({ text }) => startsTurn(text));
  return answer !== undefined && (answer.prompt ?? last?.text) === last?.text;
}

const UNFINISHED =
  "The agent's last turn did not end by itself: it was interrupted, it ended with an error, or it is still running.";

const OLDER_BASELINE =
  "The session went on without supervision, so the changed files are those since an earlier prompt of the user.";
