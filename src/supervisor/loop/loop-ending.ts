import { EXIT } from "../../errors.ts";
import type { EndSignal, ProgramEnd } from "../../world.ts";
import type { HandOver } from "../setup/planned-hand-over.ts";
import { figures } from "./figures.ts";
import type { LoopResult } from "./loop-progress.ts";

/** How the loop ended, what it used, and how to go on. */
export interface EndLines {
  /** All of it, for somebody who sees nothing else. */
  readonly whole: readonly string[];
  /** The same below the line of the last review, which has said how it ended. */
  readonly below: readonly string[];
}

export function loopEnd(result: LoopResult, provider: string, isHandedOver: boolean): EndLines {
  const { outcome, reason } = result;
  const isReviewed = outcome !== "failed" && outcome !== "interrupted";
  const used = result.agent.phases === 0 ? "" : figures(result);
  const what = outcome === "interrupted" ? capitalized(reason) : loud(outcome) + (reason && `: ${reason}`);
  // A reason may be a question.
  const sentence = `${what}${/[.!?。！？]$/.test(what) ? "" : "."}`;
  const whole = [`${sentence} ${used}`.trimEnd(), ...next(result, provider, isHandedOver)];
  return { whole, below: isReviewed ? [used, ...whole.slice(1)] : whole };
}

function next({ outcome, reason, session_id }: LoopResult, provider: string, isHandedOver: boolean): string[] {
  if (isHandedOver || outcome === "done" || reason.includes("--resume")) return [];
  if (session_id === null) return ["No session was started."];
  return [`To go on: ccc --supervisor ${provider} --resume ${session_id}`];
}

/** What the user is told before claude takes over the terminal. */
export function handOverLine(handOver: HandOver, limit: number): string[] {
  if (handOver.kind === "none") return [];
  const goesOn = "The session goes on in Claude Code";
  if (handOver.kind === "unsupervised") return [`${goesOn}, NOT supervised: ${handOver.why}.`];
  const most = `at most ${limit} ${limit === 1 ? "review" : "reviews"} per prompt`;
  return [`${goesOn}, supervised by the hook engine: ${most}.`];
}

/** How ccc ends after a hand-over. Without a prompt of the user the outcome of the loop stands. */
export function afterHandOver(
  loopCode: number,
  { exitCode }: ProgramEnd,
  hasPrompt: boolean,
  outcome: LoopResult["outcome"],
): { readonly code: number; readonly line: string | undefined } {
  if (hasPrompt || loopCode === EXIT.ok) return { code: exitCode, line: undefined };
  return { code: loopCode, line: `you sent no prompt, so the outcome stands: ${outcome} (exit code ${loopCode})` };
}

export function exitCodeOf({ outcome }: Pick<LoopResult, "outcome">, signals: readonly EndSignal[]): number {
  if (outcome === "interrupted")
    return signals.some((signal) => signal !== "SIGINT") ? EXIT.terminated : EXIT.interrupted;
  return EXIT_CODES[outcome];
}

const EXIT_CODES = {
  done: EXIT.ok,
  failed: EXIT.failure,
  "not done": EXIT.notDone,
  "not reviewed": EXIT.notReviewed,
  "needs you": EXIT.needsUser,
  "over budget": EXIT.budget,
} as const;

/** One Ctrl-C means "let me take over"; a second one, or another signal, means "quit". */
export function isOneCtrlCAtMost(signals: readonly EndSignal[]): boolean {
  return signals.length === 0 || (signals.length === 1 && signals[0] === "SIGINT");
}

/** As the user knows it. */
export function signalName(signal: EndSignal | undefined): string {
  return signal === undefined || signal === "SIGINT" ? "Ctrl-C" : signal;
}

/** "Done", but "NOT done", as after each review. */
function loud(outcome: string): string {
  return capitalized(outcome.replace(/^not /, "NOT "));
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
