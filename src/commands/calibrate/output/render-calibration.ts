import { counted } from "../../../text/counts.ts";
import { shownTime } from "../../../text/duration.ts";
import { printable } from "../../../text/printable.ts";
import { clipped } from "../../../text/shown-text.ts";
import { columns, wrap } from "../../../text/table.ts";
import type { CalibratedReviewer, CalibrationReport } from "../results/calibration-report.ts";
import {
  figureRows,
  instructionsText,
  type JudgedCase,
  judgedTitle,
  kindRows,
  notRight,
  shareText,
} from "./calibration-words.ts";

/** A calibration for a person: the figures side by side, and what was judged wrongly. */
export function renderCalibration(report: CalibrationReport, width: number): string {
  const { reviewers } = report;
  const parts = [
    wrap(head(report), width),
    columns(rows(reviewers), width).trimEnd(),
    ...reviewers.flatMap((each) => mistakes(report, each, width)),
    ...reviewers.flatMap((each) => (each.stopped === null ? [] : [wrap(stopped(each), width)])),
    wrap(YARDSTICK, width),
  ];
  return `${parts.join("\n\n")}\n`;
}

const YARDSTICK =
  'Each case has a twin: the same work, once done and once not. Of such pairs, always "done" gets half right, and always "not done" at most half.';

function head(report: CalibrationReport): string {
  const { started_at, cases, repeat, claude_version, ccc_version, left_out, folder } = report;
  const times = repeat === 1 ? "" : `, each ${repeat} times`;
  const versions = `ccc ${ccc_version}, Claude Code ${claude_version ?? "of unknown version"}`;
  const missing = [...Map.groupBy(left_out, ({ needs }) => needs)].map(
    ([program, all]) => `${counted(all.length, "case")} left out, because there is no ${program} here.`,
  );
  return [
    `Calibration of ${shownTime(Date.parse(started_at) / 1000)}: ${counted(cases.length, "case")}${times}. ${versions}.`,
    ...(folder === null ? [] : [`Cases: ${folder}`]),
    `Instructions: ${instructionsText(report.instructions)}`,
    ...missing,
  ].join("\n");
}

function rows(reviewers: readonly CalibratedReviewer[]): (readonly string[])[] {
  return [
    ["", ...reviewers.map(({ reviewer }) => reviewer)],
    ...figureRows(reviewers),
    [],
    ["Right verdicts by kind"],
    ...kindRows(reviewers).map(([kind, ...shares]) => [`  ${kind}`, ...shares]),
  ];
}

function mistakes(report: CalibrationReport, { reviewer }: CalibratedReviewer, width: number): string[] {
  const all = notRight(report, reviewer);
  const wrong = all.filter(({ mark }) => mark !== "wrong reason" && mark !== "no verdict");
  const unfounded = all.filter(({ mark }) => mark === "wrong reason");
  const none = all.filter(({ mark }) => mark === "no verdict");
  const sections = [
    [`Judged wrongly by ${reviewer}`, wrong.map((each) => mistake(each, "✗"))],
    [`Right, but for another reason, by ${reviewer}`, unfounded.map((each) => mistake(each, "✓"))],
    [`No verdict from ${reviewer}`, withoutVerdict(none)],
  ] as const;
  return sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : [wrap([title, ...lines].join("\n"), width)]));
}

function mistake(judged: JudgedCase, sign: string): string {
  return [
    `  ${sign} ${judgedTitle(judged)}`,
    `      The truth: ${judged.about.why}`,
    `      The reviewer: ${shown(judged.review.said) || "(nothing)"}`,
  ].join("\n");
}

/** Usually the reason is the same for many. */
function withoutVerdict(judged: readonly JudgedCase[]): string[] {
  return [...Map.groupBy(judged, ({ review }) => review.said)].map(
    ([why, same]) => `  – ${shown(why)}\n      ${same.map(({ about }) => about.id).join(", ")}`,
  );
}

function shown(said: string): string {
  return clipped(printable(said).trim(), LONGEST_SAID).replaceAll("\n", "\n      ");
}

const LONGEST_SAID = 600;

function stopped({ reviewer, stopped: why, figures }: CalibratedReviewer): string {
  return `${reviewer} was stopped early (${shareText(figures.reviews)} reviews): ${why}.`;
}
