import { counted } from "../../../text/counts.ts";
import { shownTime } from "../../../text/duration.ts";
import { columns, wrap } from "../../../text/table.ts";
import type { CalibratedReviewer, CalibrationReport } from "../results/calibration-report.ts";
import { FIGURE_ROWS } from "./calibration-words.ts";

/** Each reviewer now and in the run before, and the cases that make the difference. */
export function renderComparison({ reviewers, started_at }: CalibrationReport, width: number): string {
  const parts = reviewers.flatMap((each) => comparison(each, started_at, width));
  return parts.map((part) => `${part}\n`).join("\n");
}

function comparison({ reviewer, compared }: CalibratedReviewer, at: string, width: number): string[] {
  if (compared === null) return [wrap(`${reviewer}: there is no earlier run to compare with.`, width)];
  const { before, now, better, worse, changed, cases } = compared;
  const rows = [
    [`${reviewer}, on ${counted(cases, "case")}`, "before", "now"],
    ["", shownTime(Date.parse(compared.started_at) / 1000), shownTime(Date.parse(at) / 1000)],
    ...FIGURE_ROWS.map(({ name, value }) => [name, value(before), value(now)]),
  ];
  const lines = [
    `Changed since: ${changed.length === 0 ? "nothing; differences are chance" : changed.join(", ")}.`,
    ...(better.length === 0 ? [] : [`Judged better: ${better.join(", ")}`]),
    ...(worse.length === 0 ? [] : [`Judged worse: ${worse.join(", ")}`]),
  ];
  return [`${columns(rows, width)}${wrap(lines.join("\n"), width)}`];
}
