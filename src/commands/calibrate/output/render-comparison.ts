import { counted } from "../../../text/counts.ts";
import { shownTime } from "../../../text/duration.ts";
import { columns, wrap } from "../../../text/table.ts";
import type { CalibratedReviewer, CalibrationReport, ComparedReviewer } from "../results/calibration-report.ts";
import { FIGURE_ROWS } from "./calibration-words.ts";

/** Each reviewer now and in the run before, and the cases that make the difference. */
export function renderComparison({ reviewers, started_at }: CalibrationReport, width: number): string {
  const parts = reviewers.flatMap((each) => comparison(each, started_at, width));
  return parts.map((part) => `${part}\n`).join("\n");
}

function comparison({ reviewer, compared }: CalibratedReviewer, at: string, width: number): string[] {
  if (compared === null) return [wrap(`${reviewer}: there is no earlier run to compare with.`, width)];
  const head = [`${reviewer}, on ${counted(compared.cases, "case")}`, "before", "now"];
  const rows = columns([head, ...comparedRows(compared, at)], width);
  return [`${rows}${wrap(differences(compared).join("\n"), width)}`];
}

/** Each row with the value before, and the one of the run that began `at`. */
export function comparedRows({ started_at, before, now }: ComparedReviewer, at: string) {
  const [then, today] = [started_at, at].map((time) => shownTime(Date.parse(time) / 1000));
  return [
    ["", then ?? "", today ?? ""] as const,
    ...FIGURE_ROWS.map(({ name, value }) => [name, value(before), value(now)] as const),
  ];
}

export function differences({ changed, better, worse }: ComparedReviewer): string[] {
  return [
    `Changed since: ${changed.length === 0 ? "nothing; differences are chance" : changed.join(", ")}.`,
    ...(better.length === 0 ? [] : [`Judged better: ${better.join(", ")}`]),
    ...(worse.length === 0 ? [] : [`Judged worse: ${worse.join(", ")}`]),
  ];
}
