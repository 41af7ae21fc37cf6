import type { SessionStep } from "../../claude/session-steps.ts";
import { inline } from "./inline.ts";

/**
 * One line for each tool call, with the last lines of what failed and of commands that ran tests, and, if there is room, of
 * all other commands. The oldest are left out first. If there were earlier steps than these (`isPartial`), how many lines
 * are left out is not known.
 */
export function digestOf(steps: readonly SessionStep[], project: string, longest: number, isPartial = false): string {
  const full = steps.flatMap((step) => describe(step, project, OTHER_OUTPUT_LINES));
  const isFitting = full.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) <= longest;
  const lines = isFitting ? full : steps.flatMap((step) => describe(step, project, 0));
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.toReversed()) {
    length += Buffer.byteLength(line) + 1;
    if (length > longest) break;
    kept.unshift(line);
  }
  const left = lines.length - kept.length;
  const missing = isPartial ? "earlier lines are" : `${left} earlier ${left === 1 ? "line is" : "lines are"}`;
  return [...(left > 0 || isPartial ? [`[… ${missing} left out …]`] : []), ...kept].join("\n");
}

function describe(step: SessionStep, project: string, others: number): string[] {
  if (step.kind === "prompt") return [`- user: ${inline(step.text, LONGEST_PROMPT)}`];
  const about = inline(step.about.replaceAll(`${project}/`, ""), LONGEST_ABOUT);
  const line = `- ${inline(step.name, LONGEST_NAME)}${about === "" ? "" : `: ${about}`}${step.hasFailed ? " → FAILED" : ""}`;
  const isTelling = step.hasFailed || (step.name === "Bash" && RUNS_TESTS.test(step.about));
  return [line, ...lastLines(step.output, isTelling ? OUTPUT_LINES : step.name === "Bash" ? others : 0)];
}

const LONGEST_NAME = 60;
const LONGEST_ABOUT = 160;
const LONGEST_PROMPT = 120;
const LONGEST_OUTPUT_LINE = 160;
const OUTPUT_LINES = 8;
const OTHER_OUTPUT_LINES = 4;

/** Commands that usually run tests, type checks or builds. */
const RUNS_TESTS =
  /\b(test|tests|spec|check|lint|typecheck|build|tsc|pytest|unittest|tox|jest|vitest|mocha|cargo|ctest|make|mvn|gradle|rspec|phpunit)\b/i;

function lastLines(output: string, most: number): string[] {
  if (most === 0) return [];
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-most).map((line) => `    | ${inline(line, LONGEST_OUTPUT_LINE)}`);
}
