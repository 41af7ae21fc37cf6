import { shownName } from "../../text/file-names.ts";
import { clipped, shownText } from "../../text/shown.ts";
import { columns, wrap } from "../../text/table.ts";
import { sentence, shortDuration, shownTime } from "../../text/words.ts";
import { type PromptView, type ReportView, type RoundView, type SessionReport, viewReport } from "./report.ts";

/** The report for a terminal. */
export function reportText(report: SessionReport, width: number): string {
  const view = viewReport(report);
  const several = view.prompts.length > 1;
  const parts = [
    head(view),
    ...view.prompts.map((prompt, index) => promptText(prompt, several ? `Prompt ${index + 1}` : "Prompt", width)),
  ];
  return parts.map((part) => wrap(part, width)).join("\n\n");
}

function head(report: ReportView): string {
  const { reason, totals, provider, reviewer, engine } = report;
  const who = [
    ...(provider === null ? [] : [`agent on ${provider}`]),
    ...(reviewer === null ? [] : [`reviewed by ${reviewer}`]),
    ...(engine === null ? [] : [`${engine} engine`]),
  ];
  const times = [
    ...(report.started_at === null ? [] : [shownTime(Date.parse(report.started_at) / 1000)]),
    `agent ${shortDuration(totals.agent_seconds)}`,
    `reviews ${shortDuration(totals.review_seconds)}, ${report.tokens}`,
  ];
  return [
    report.headline,
    ...(reason === "" ? [] : [shownText(sentence(reason))]),
    ...report.open.map(({ id, text }) => `✗ ${id}: ${shownName(text)}`),
    `session ${report.session}${report.folder === null ? "" : ` in ${shownName(report.folder)}`}`,
    ...(who.length === 0 ? [] : [who.join(", ")]),
    times.join("; "),
  ].join("\n");
}

function promptText(prompt: PromptView, title: string, width: number): string {
  const text = prompt.text.trim() === "" ? "Not recorded." : prompt.text;
  return [
    `${title}\n${indented(clipped(shownText(text), LONGEST_PROMPT))}`,
    ...prompt.rounds.map(roundText),
    ...criteriaText(prompt, width),
    ...changesText(prompt, width),
  ].join("\n\n");
}

function roundText(round: RoundView): string {
  const { title, facts, reason } = round;
  const failed = round.checks.find(({ passed }) => !passed);
  return [
    `${title}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
    ...(reason === "" ? [] : [indented(shownText(reason))]),
    ...(failed === undefined || failed.output === "" ? [] : [indented(lastLines(shownText(failed.output)), 6)]),
    // With a failing check, the feedback only repeats its output.
    ...(round.feedback === "" || failed !== undefined ? [] : [indented(shownText(round.feedback))]),
    ...(round.instead === null ? [] : [indented(`Others could not review. ${shownText(round.instead)}`)]),
    ...(round.looked.length === 0 ? [] : [indented(`Looked: ${round.looked.map(shownName).join("; ")}`)]),
  ].join("\n");
}

function criteriaText({ criteria, reviews }: PromptView, width: number): string[] {
  if (criteria.length === 0) return [];
  const rounds = reviews.map(({ number }) => `${number ?? ""}`);
  const rows = criteria.map(({ id, text, statuses, evidence }) => [
    `  ${id}`,
    ...statuses.map((status) => SIGNS[status ?? "none"]),
    `${shownName(text)}${evidence === "" ? "" : ` (${shownName(evidence)})`}`,
  ]);
  return [columns([["  Review", ...rounds, "Criteria"], ...rows], width).trimEnd()];
}

const SIGNS = { met: "✓", unmet: "✗", dropped: "-", none: "" } as const;

function changesText({ changes, whyUnknown }: PromptView, width: number): string[] {
  if (changes === undefined) return whyUnknown === undefined ? [] : [`Changed files: not known (${whyUnknown})`];
  const rows = changes.files.map(({ path, kind, from, added, deleted }) => {
    const name = from === undefined ? shownName(path) : `${shownName(from)} → ${shownName(path)}`;
    const isMarked = changes.suspicious.some((each) => each.path === path);
    return [
      `${isMarked ? "!" : " "} ${kind}`,
      added === undefined ? "" : `+${added}`,
      deleted === undefined ? "" : `-${deleted}`,
      name,
    ];
  });
  return [
    [
      changes.title,
      ...(rows.length === 0 ? [] : [columns(rows, width).trimEnd()]),
      ...(changes.more === 0 ? [] : [`  and ${changes.more} more`]),
      ...changes.suspicious.map(({ id, text }) => `! ${id === undefined ? "" : `${id}: `}${shownName(text)}`),
    ].join("\n"),
  ];
}

function indented(text: string, by = 2): string {
  return text.replaceAll(/^/gm, " ".repeat(by));
}

function lastLines(text: string): string {
  return text.split("\n").slice(-MOST_LINES).join("\n");
}

const LONGEST_PROMPT = 1_000;
const MOST_LINES = 12;
