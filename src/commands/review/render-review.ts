import { tally } from "../../supervisor/ledger/criterion.ts";
import { tokens } from "../../supervisor/loop/figures.ts";
import { shortDuration } from "../../text/duration.ts";
import { wrap } from "../../text/table.ts";
import type { ReviewResult } from "./review-result.ts";

/** A review for a person: the verdict, the criteria, what is missing, and what it took. */
export function renderReview(whole: ReviewResult, width: number): string {
  const result = visible(whole);
  const parts = [
    headline(result),
    result.criteria.map(criterion).join("\n"),
    result.checks
      .filter(({ passed }) => passed)
      .map(passedCheck)
      .join("\n"),
    wrap(details(result), width, 0),
    result.instead === null ? "" : `Others could not review. ${result.instead}.`,
    cost(result),
  ];
  const text = parts.filter((part) => part !== "").join("\n\n");
  return `${wrap(text, width)}\n`;
}

const HEADLINES: Readonly<Record<ReviewResult["verdict"], string>> = {
  done: "Done",
  "not done": "NOT done",
  "check failed": "NOT done: a check failed",
  "needs you": "Needs you",
  "not reviewed": "NOT reviewed",
};

function headline({ verdict, criteria, reason, checks }: ReviewResult): string {
  const failed = checks.find(({ passed }) => !passed);
  const met = tally(criteria);
  const more = failed === undefined ? met : `${failed.command} (${failed.ending})`;
  const why = verdict === "not reviewed" ? reason.replace(/\.$/, "") : more;
  return `${HEADLINES[verdict]}${why === undefined || why === "" ? "" : `: ${why}`}.`;
}

const SIGNS = { met: "✓", unmet: "✗", dropped: "–" } as const;

function criterion({ id, text, status, evidence }: ReviewResult["criteria"][number]): string {
  return [`${SIGNS[status]} ${id}: ${text}`, ...(evidence === "" ? [] : [`    ${evidence}`])].join("\n");
}

function passedCheck({ command, ending }: ReviewResult["checks"][number]): string {
  return `✓ check: ${command} (${ending})`;
}

const TITLES: Readonly<Record<ReviewResult["verdict"], string>> = {
  done: "The reviewer says:",
  "not done": "What is missing:",
  "check failed": "The last lines of its output:",
  "needs you": "What you have to decide or to do:",
  "not reviewed": "",
};

function details({ verdict, feedback, checks }: ReviewResult): string {
  const failed = checks.find(({ passed }) => !passed);
  if (failed?.output.trim() === "") return "It printed nothing.";
  const text = failed?.output ?? feedback;
  return text.trim() === "" ? "" : `${TITLES[verdict]}\n${text.trim().replaceAll(/^/gm, "  ")}`;
}

function cost(result: ReviewResult): string {
  const { reviewer, seconds, verdict } = result;
  const time = shortDuration(seconds);
  if (reviewer === null) return `No model was asked.${seconds < 1 ? "" : ` It took ${time}.`}`;
  const who = verdict === "not reviewed" ? `${reviewer} was asked for ${time}` : `Reviewed by ${reviewer} in ${time}`;
  return `${who}: ${tokens(result)}.`;
}

/** A model wrote it, and checks printed it: no terminal codes. */
function visible(result: ReviewResult): ReviewResult {
  return JSON.parse(
    JSON.stringify(result, (_, value: unknown) =>
      typeof value === "string" ? value.replaceAll(/[^\P{C}\n\t]/gu, "") : value,
    ),
  );
}
