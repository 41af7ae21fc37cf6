import { clipped, shownName, shownText } from "../../text/file-names.ts";
import { columns, wrap } from "../../text/table.ts";
import { sentence, shortDuration, shownTime } from "../../text/words.ts";
import {
  changesTitle,
  criteriaByRound,
  headline,
  knownChanges,
  numberedRounds,
  openCriteria,
  type ReportedPrompt,
  type ReportedRound,
  roundFacts,
  roundReason,
  roundTitle,
  type SessionReport,
  tokensWithCache,
} from "./report.ts";

/** The report for a terminal. */
export function reportText(report: SessionReport, width: number): string {
  const several = report.prompts.length > 1;
  const parts = [
    head(report),
    ...report.prompts.map((prompt, index) => promptText(prompt, several ? `Prompt ${index + 1}` : "Prompt", width)),
  ];
  return parts.map((part) => wrap(part, width)).join("\n\n");
}

function head(report: SessionReport): string {
  const { reason, totals, provider, reviewer, engine } = report;
  const who = [
    ...(provider === null ? [] : [`agent on ${provider}`]),
    ...(reviewer === null ? [] : [`reviewed by ${reviewer}`]),
    ...(engine === null ? [] : [`${engine} engine`]),
  ];
  const times = [
    ...(report.started_at === null ? [] : [shownTime(Date.parse(report.started_at) / 1000)]),
    `agent ${shortDuration(totals.agent_seconds)}`,
    `reviews ${shortDuration(totals.review_seconds)}, ${tokensWithCache(totals)}`,
  ];
  return [
    headline(report),
    ...(reason === "" ? [] : [shownText(sentence(reason))]),
    ...openCriteria(report).map(({ id, text }) => `✗ ${id}: ${shownName(text)}`),
    `session ${report.session}${report.folder === null ? "" : ` in ${shownName(report.folder)}`}`,
    ...(who.length === 0 ? [] : [who.join(", ")]),
    times.join("; "),
  ].join("\n");
}

function promptText(prompt: ReportedPrompt, title: string, width: number): string {
  const text = prompt.text.trim() === "" ? "Not recorded." : prompt.text;
  return [
    `${title}\n${indented(clipped(shownText(text), LONGEST_PROMPT))}`,
    ...prompt.rounds.map(roundText),
    ...criteriaText(prompt, width),
    ...changesText(prompt, width),
  ].join("\n\n");
}

function roundText(round: ReportedRound): string {
  const facts = roundFacts(round);
  const failed = round.checks.find(({ passed }) => !passed);
  const reason = roundReason(round);
  return [
    `${roundTitle(round)}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
    ...(reason === "" ? [] : [indented(shownText(reason))]),
    ...(failed === undefined || failed.output === "" ? [] : [indented(lastLines(shownText(failed.output)), 6)]),
    // For a failing check it says what the check did.
    ...(round.feedback === "" || failed !== undefined ? [] : [indented(shownText(round.feedback))]),
    ...(round.instead === null ? [] : [indented(`Fallback: ${shownText(round.instead)}`)]),
    ...(round.looked.length === 0 ? [] : [indented(`Looked: ${round.looked.map(shownName).join("; ")}`)]),
  ].join("\n");
}

function criteriaText(prompt: ReportedPrompt, width: number): string[] {
  const criteria = criteriaByRound(prompt);
  if (criteria.length === 0) return [];
  const rounds = numberedRounds(prompt).map(({ number }) => `${number ?? ""}`);
  const rows = criteria.map(({ id, text, statuses, evidence }) => [
    `  ${id}`,
    ...statuses.map((status) => SIGNS[status ?? "none"]),
    `${shownName(text)}${evidence === "" ? "" : ` (${shownName(evidence)})`}`,
  ]);
  return [columns([["  Review", ...rounds, "Criteria"], ...rows], width).trimEnd()];
}

const SIGNS = { met: "✓", unmet: "✗", dropped: "-", none: "" } as const;

function changesText(prompt: ReportedPrompt, width: number): string[] {
  const { changes } = prompt;
  const known = knownChanges(prompt);
  if (known === undefined)
    return changes !== null && "why" in changes ? [`Changed files: not known (${changes.why})`] : [];
  const rows = known.files.map(({ path, kind, from, added, deleted }) => {
    const name = from === undefined ? shownName(path) : `${shownName(from)} → ${shownName(path)}`;
    const isMarked = known.suspicious.some((each) => each.path === path);
    return [
      `${isMarked ? "!" : " "} ${kind}`,
      added === undefined ? "" : `+${added}`,
      deleted === undefined ? "" : `-${deleted}`,
      name,
    ];
  });
  return [
    [
      changesTitle(known),
      ...(rows.length === 0 ? [] : [columns(rows, width).trimEnd()]),
      ...(known.more === 0 ? [] : [`  and ${known.more} more`]),
      ...known.suspicious.map(({ id, text }) => `! ${id === undefined ? "" : `${id}: `}${shownName(text)}`),
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
