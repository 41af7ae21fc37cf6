import { shownName } from "../../os/names.ts";
import type { Tone } from "../../supervisor/outcome.ts";
import { clipped, Html, html, shownText } from "../../text/shown.ts";
import { counted, sentence, shortCount, shortDuration, shownTime } from "../../text/words.ts";
import STYLE from "./page/report.css" with { type: "text" };
import {
  allTokens,
  type ChangesView,
  type CriterionHistory,
  type PromptView,
  type ReportedRound,
  type ReportView,
  type RoundView,
  type SessionReport,
  viewReport,
} from "./report.ts";

/** The report as one page. */
export function reportPage(report: SessionReport, version: string): string {
  const view = viewReport(report);
  const several = view.prompts.length > 1;
  return pageFrame({
    title: `${view.headline} – ccc report`,
    main: html`${pageHeader(view)}
${view.prompts.map((prompt, index) => promptSection(prompt, { number: index + 1, several }))}
${usageSection(view)}`,
    footer: html`Session <code>${data(report.session)}</code>${report.folder === null ? "" : html` in <code>${data(report.folder)}</code>`}${
      report.ended_at === null ? "" : html`, last recorded ${shownTime(Date.parse(report.ended_at) / 1000)}`
    }. Made by <code>ccc report</code> ${version}. Known keys are masked as ***.`,
  });
}

/**
 * A page without scripts, links or anything to load. Its content policy forbids them too, in case an untrusted text gets
 * past the escaping.
 */
export function pageFrame(page: { readonly title: string; readonly main: Html; readonly footer: Html }): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${page.title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${page.main}
</main>
<footer>
<p>${page.footer}</p>
</footer>
</body>
</html>
`;
  return text;
}

/** A short untrusted text, on one line. Its writing direction does not affect the text around it. */
export function data(text: string): Html {
  return html`<bdi>${shownName(clipped(text, LONGEST_LINE))}</bdi>`;
}

/** Untrusted prose. It keeps its lines; most of a long one is folded. */
export function prose(text: string): Html {
  const whole = text.trim();
  if (whole.length <= LONG_PROSE) return paragraph(whole);
  return html`${paragraph(`${whole.slice(0, LONG_PROSE).trimEnd()} …`)}${folded("Show all of it", paragraph(clipped(whole, LONGEST_PROSE)))}`;
}

/** A round sign with a label for screen readers. */
export function icon(tone: IconTone, label: string): Html {
  return html`<svg class="icon ${tone}" viewBox="0 0 16 16" role="img" aria-label="${label}"><circle cx="8" cy="8" r="7.25"/><path d="${PATHS[tone]}"/></svg>`;
}

export type IconTone = "good" | "bad" | "warn" | "quiet";

const PATHS: Record<IconTone, string> = {
  good: "M4.8 8.3l2.2 2.2 4.2-4.7",
  bad: "M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2",
  warn: "M8 4.2v4.6M8 11.4v.2",
  quiet: "M5 8h6",
};

const LONGEST_LINE = 500;
const LONG_PROSE = 1_200;
const LONGEST_PROSE = 20_000;

function paragraph(text: string): Html {
  return html`<div class="prose" dir="auto">${shownText(text)}</div>`;
}

/** Output of a program. */
function output(text: string): Html {
  return html`<pre dir="auto" tabindex="0">${shownText(clipped(text, LONGEST_PROSE))}</pre>`;
}

function folded(summary: Html | string, content: Html, isOpen = false): Html {
  return html`<details${isOpen ? html` open` : ""}><summary>${summary}</summary>${content}</details>`;
}

/** How the session ended, and what it cost, at a glance. */
function pageHeader(report: ReportView): Html {
  const { title, tone, reason, totals, open, cached } = report;
  return html`<header>
<p class="kicker">Supervised session${report.folder === null ? "" : html` in <b>${data(folderName(report.folder))}</b>`}</p>
<h1>${icon(ICONS[tone], title)}<span>${title}</span></h1>
<p class="lead">${report.achievement.charAt(0).toUpperCase()}${report.achievement.slice(1)}</p>
${reason === "" ? "" : prose(sentence(reason))}
${open.length === 0 ? "" : criteriaList(open)}
<dl class="facts">
${fact("Agent", shortDuration(totals.agent_seconds))}
${fact("Reviews", shortDuration(totals.review_seconds))}
${fact("Review tokens", shortCount(allTokens(totals)), cached === 0 ? "" : `${cached} % cached`)}
${totals.nudges === 0 ? "" : fact("Nudges", `${totals.nudges}`)}
${changesFact(report)}
</dl>
<p class="meta">${facts(report).map((each, index) => html`${index === 0 ? "" : " · "}${each}`)}</p>
</header>`;
}

function fact(name: string, value: string, note = "", kind = ""): Html {
  return html`<div class="fact"><dt>${name}</dt><dd>${value}${note === "" ? "" : html` <small class="${kind}">${note}</small>`}</dd></div>`;
}

/** Of all prompts: a file that several of them changed counts once. */
function changesFact({ prompts }: ReportView): Html {
  const known = prompts.flatMap(({ changes }) => changes ?? []);
  if (known.length === 0) return fact("Changed files", "not known");
  const listed = new Set(known.flatMap(({ files }) => files.map(({ path }) => path)));
  const more = Math.max(...known.map((changes) => changes.more));
  const suspicious = new Set(
    known.flatMap((changes) => changes.suspicious.map(({ path, text }) => `${path}\n${text}`)),
  );
  const note = suspicious.size === 0 ? "" : `${suspicious.size} suspicious`;
  return fact("Changed files", `${listed.size + more}`, note, "loud");
}

function facts(report: ReportView): (Html | string)[] {
  const { started_at, agent, reviewer, engine, claude_version, prompts } = report;
  return [
    ...(started_at === null ? [] : [shownTime(Date.parse(started_at) / 1000)]),
    ...(agent === null ? [] : [html`agent on ${data(agent)}`]),
    ...(reviewer === null ? [] : [html`reviewed by ${data(reviewer)}`]),
    ...(engine === null ? [] : [`${engine} engine`]),
    ...(claude_version === null ? [] : [html`Claude Code ${data(claude_version)}`]),
    ...(prompts.length > 1 ? [counted(prompts.length, "prompt")] : []),
  ];
}

function folderName(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== "") ?? folder;
}

const ICONS = { good: "good", open: "bad", warn: "warn", bad: "bad", quiet: "quiet" } as const satisfies Record<
  Tone,
  IconTone
>;

/** A prompt of the user and what followed: criteria, rounds, changed files. */
function promptSection(
  prompt: PromptView,
  { number, several }: { readonly number: number; readonly several: boolean },
): Html {
  return html`<section class="prompt" aria-label="Prompt ${number}">
<h2>Prompt${several ? ` ${number}` : ""}</h2>
<blockquote>${prompt.text.trim() === "" ? html`<p class="soft">Not recorded.</p>` : prose(prompt.text)}</blockquote>
${criteriaSection(prompt)}
${prompt.rounds.length === 0 ? "" : html`<h3>Reviews</h3><div class="rounds">${prompt.rounds.map(roundArticle)}</div>`}
${proofSection(prompt)}
${changesSection(prompt)}
</section>`;
}

/** How each review ruled on each criterion: one row per criterion, one column per review. */
function criteriaSection({ criteria, reviews }: PromptView): Html {
  if (criteria.length === 0) return html``;
  // On a phone the table is displayed as blocks. The roles keep its meaning for screen readers.
  return html`<h3>Criteria</h3>
<div class="card"><table class="matrix" role="table">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col"><span class="spread"><span>Criterion</span><span aria-hidden="true">Review</span></span></th>${reviews.map(
    ({ number }) =>
      html`<th role="columnheader" scope="col" class="mark"><span class="hidden">Review </span>${number ?? ""}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${criteria.map((each) => row(each))}</tbody>
</table></div>`;
}

function row({ statuses, ...criterion }: CriterionHistory): Html {
  const marks = statuses.map((status) =>
    status === undefined
      ? html`<span class="hidden">no ruling</span><span class="none" aria-hidden="true">·</span>`
      : icon(STATUS_TONES[status], status),
  );
  return html`<tr role="row"><th role="rowheader" scope="row">${named(criterion)}</th>${marks.map(
    (mark) => html`<td role="cell" class="mark">${mark}</td>`,
  )}</tr>`;
}

/** Criteria below each other, each with its status and evidence. */
function criteriaList(criteria: readonly ReportedRound["criteria"][number][]): Html {
  const items = criteria.map(
    (each) => html`<li class="item">${icon(STATUS_TONES[each.status], each.status)} <span>${named(each)}</span></li>`,
  );
  return html`<ul>${items}</ul>`;
}

function named({ id, text, evidence }: Pick<CriterionHistory, "id" | "text" | "evidence">): Html {
  const seen = evidence === "" ? "" : html`<small class="evidence">${data(evidence)}</small>`;
  return html`<span class="id">${data(id)}</span> ${data(text)}${seen}`;
}

const STATUS_TONES = { met: "good", unmet: "bad", dropped: "quiet" } as const satisfies Record<string, IconTone>;

/** One stop of the agent, and what it led to. */
function roundArticle(round: RoundView): Html {
  const { title, reason } = round;
  const tone = ICONS[round.tone];
  const hasFailed = round.checks.some(({ passed }) => !passed);
  return html`<article class="round ${tone}">
<h4>${icon(tone, round.verdict)} ${title}</h4>
<p class="meta">${round.facts.map((each, index) => html`${index === 0 ? "" : " · "}${data(each)}`)}</p>
${reason === "" || round.verdict === "check failed" ? "" : prose(reason)}
${round.instead === null ? "" : prose(`Reviewers that failed: ${round.instead}`)}
${hasFailed || round.feedback === "" ? "" : prose(round.feedback)}
${round.checks.length === 0 ? "" : html`<ul>${round.checks.map(checkItem)}</ul>`}
${evidenceOf(round)}
${round.asked_again.map((what) => prose(`The reviewer was asked again: ${what}.`))}
${looks("What the reviewer opened and ran", round.looked)}
${round.confirmation === null ? "" : confirmationPart(round.confirmed, round.confirmation)}
</article>`;
}

function confirmationPart(title: string, confirmation: NonNullable<ReportedRound["confirmation"]>): Html {
  const { instead, asked_again, looked } = confirmation;
  return html`<p class="meta">${data(title)}</p>
${instead === null ? "" : prose(`Confirming reviewers that failed: ${instead}`)}
${asked_again.map((what) => prose(`The confirming reviewer was asked again: ${what}.`))}
${looks("What the confirming reviewer opened and ran", looked)}`;
}

function looks(title: string, looked: readonly string[]): Html | string {
  if (looked.length === 0) return "";
  const items = looked.map((each) => html`<li class="item"><code>${data(each)}</code></li>`);
  return folded(`${title} (${looked.length})`, html`<ul>${items}</ul>`);
}

function checkItem({ command, ending, passed, reused, seconds, output: text }: ReportedRound["checks"][number]): Html {
  const head = html`${icon(passed ? "good" : "bad", passed ? "passed" : "failed")} <code>${data(command)}</code> <span class="meta">${data(ending)}, ${
    reused ? "earlier, with the same files" : shortDuration(seconds)
  }</span>`;
  return html`<li class="check">${text === "" ? html`<p>${head}</p>` : folded(head, output(text), !passed)}</li>`;
}

/** The review's rulings. Only unmet criteria are visible at once. */
function evidenceOf({ rulings }: RoundView): Html {
  const open = rulings.filter(({ status }) => status === "unmet");
  const others = rulings.filter(({ status }) => status !== "unmet");
  return html`${open.length === 0 ? "" : criteriaList(open)}${
    others.length === 0 ? "" : folded(`Evidence for what is met (${others.length})`, criteriaList(others))
  }`;
}

/** What the checks said of the last stop that was proved: old and new tests, on old and new code. */
function proofSection({ rounds }: PromptView): Html {
  const round = rounds.findLast(({ proof }) => proof !== null);
  if (round === undefined || round.proof === null) return html``;
  const { proof, proved, checks } = round;
  const rest = proof.points.length + (proof.why === null ? 0 : 1);
  const lines = proved
    .slice(proved.length - rest)
    .map((line) => html`<li class="item">${icon("warn", "proof")} <span>${data(line)}</span></li>`);
  const outputs = proof.runs.filter(({ passed, tests, output: text }) => tests === "before" && !passed && text !== "");
  const table = html`<div class="card"><table class="proof">
<thead><tr><td class="cell"></td><th scope="col">Tests at the prompt</th><th scope="col">Tests now</th></tr></thead>
<tbody><tr><th scope="row">Code at the prompt</th>${proofCell(undefined, true)}${proofCell(passedIn(proof, "now"), false)}</tr>
<tr><th scope="row">Code now</th>${proofCell(passedIn(proof, "before"), true)}${proofCell(
    checks.every(({ passed }) => passed),
    true,
  )}</tr></tbody>
</table></div>`;
  return html`<h3>Proof</h3>
${proof.runs.length === 0 ? "" : table}
${lines.length === 0 ? "" : html`<ul>${lines}</ul>`}
${outputs.map(({ command, output: text }) => folded(html`<code>${data(command)}</code> with the tests as they were at the prompt`, output(text)))}`;
}

/** Whether all checks passed with these tests in a copy; undefined if none ran. */
function passedIn({ runs }: NonNullable<ReportedRound["proof"]>, tests: "before" | "now"): boolean | undefined {
  const own = runs.filter((run) => run.tests === tests);
  return own.length === 0 ? undefined : own.every(({ passed }) => passed);
}

/** New tests should fail on old code. */
function proofCell(passed: boolean | undefined, shouldPass: boolean): Html {
  const word = passed === undefined ? "not run" : passed ? "pass" : "fail";
  const tone = passed === undefined ? "quiet" : passed === shouldPass ? "good" : "bad";
  return html`<td class="cell">${icon(tone, word)} ${word}</td>`;
}

/** The files that changed since the prompt. What ccc found suspicious comes first, with the reviewer's ruling. */
function changesSection(prompt: PromptView): Html {
  const { changes, whyUnknown } = prompt;
  if (changes === undefined) {
    if (whyUnknown === undefined) return html``;
    return html`<h3>Changed files</h3><p class="soft">Not known: ${data(whyUnknown)}.</p>`;
  }
  if (changes.files.length === 0) return html`<h3>Changed files</h3><p class="soft">None since the prompt.</p>`;
  return html`<h3>Changed files</h3>
<p class="meta">${changes.title}, committed or not, since the prompt</p>
${changes.suspicious.length === 0 ? "" : html`<ul class="suspicions">${changes.suspicious.map((each) => suspicion(each, prompt))}</ul>`}
<div class="card"><table class="files">
<thead><tr><th scope="col">File</th><th scope="col" class="kind">Change</th><th scope="col" class="number">Added</th><th scope="col" class="number">Deleted</th></tr></thead>
<tbody>${changes.files.map((file) => fileRow(file, changes))}</tbody>
</table></div>
${changes.more === 0 ? "" : html`<p class="soft">and ${changes.more} more</p>`}`;
}

function suspicion({ id, text }: ChangesView["suspicious"][number], prompt: PromptView): Html {
  const ruling = prompt.criteria.find((each) => each.id === id);
  const words = { met: "explained by the request", unmet: "not explained by the request", dropped: "dropped" };
  return html`<li class="item">${icon("warn", "suspicious")} <span>${id === undefined ? "" : html`<span class="id">${data(id)}</span> `}${data(text)}${
    ruling === undefined
      ? html`<small class="evidence">No reviewer has ruled on it.</small>`
      : html`<small class="evidence">${icon(STATUS_TONES[ruling.status], ruling.status)} The reviewer: ${words[ruling.status]}${ruling.evidence === "" ? "" : html` (${data(ruling.evidence)})`}</small>`
  }</span></li>`;
}

function fileRow(
  { path, kind, from, added, deleted }: ChangesView["files"][number],
  { suspicious }: ChangesView,
): Html {
  const isSuspicious = suspicious.some((each) => each.path === path);
  return html`<tr${isSuspicious ? html` class="marked"` : ""}><th scope="row"><code>${from === undefined ? "" : html`${data(from)} → `}${data(path)}</code>${
    isSuspicious ? html` ${icon("warn", "suspicious")}` : ""
  }</th><td class="kind">${kind}</td><td class="number plus">${lines("+", added)}</td><td class="number minus">${lines(
    "−",
    deleted,
  )}</td></tr>`;
}

function lines(sign: string, count: number | undefined): string {
  return count === undefined || count === 0 ? "" : `${sign}${count}`;
}

/** Time and tokens of each review. The bars repeat the numbers beside them, so they are hidden from screen readers. */
function usageSection({ prompts }: ReportView): Html {
  const rows = prompts.flatMap(({ reviews }, index) => reviews.map((round) => ({ round, prompt: index + 1 })));
  if (rows.length === 0) return html``;
  const longest = Math.max(1, ...rows.map(({ round }) => total(timeParts(round))));
  const most = Math.max(1, ...rows.map(({ round }) => total(tokenParts(round))));
  return html`<section aria-label="Time and tokens">
<h2>Time and tokens</h2>
<div class="card"><table class="usage">
<thead><tr><th scope="col">Review</th><th scope="col">Time ${legend("agent", "agent")} ${legend("review", "checks and review")}</th><th scope="col">Review tokens ${legend("cached", "from the cache")} ${legend("fresh", "other input")} ${legend("answer", "output")}</th></tr></thead>
<tbody>${rows.map(
    ({ round, prompt }) =>
      html`<tr><th scope="row">${prompts.length > 1 ? `${prompt}.` : ""}${round.number ?? ""}</th><td>${bar(timeParts(round), longest)}<span class="figure">${timeText(round)}</span></td><td>${bar(tokenParts(round), most)}<span class="figure">${tokenText(round)}</span></td></tr>`,
  )}</tbody>
</table></div>
</section>`;
}

/** A part of a bar, in seconds or tokens. */
interface BarPart {
  readonly kind: "agent" | "review" | "cached" | "fresh" | "answer";
  readonly amount: number;
}

function legend(kind: BarPart["kind"], label: string): Html {
  return html`<span class="legend"><svg viewBox="0 0 8 8" aria-hidden="true"><rect class="${kind}" width="8" height="8" rx="2"/></svg>${label}</span>`;
}

function timeParts({ agent_seconds, seconds }: ReportedRound): BarPart[] {
  return [
    { kind: "agent", amount: agent_seconds ?? 0 },
    { kind: "review", amount: seconds ?? 0 },
  ];
}

function tokenParts({ usage }: ReportedRound): BarPart[] {
  if (usage === null) return [];
  return [
    { kind: "cached", amount: usage.cache_read_tokens },
    { kind: "fresh", amount: usage.input_tokens + usage.cache_write_tokens },
    { kind: "answer", amount: usage.output_tokens },
  ];
}

function timeText({ agent_seconds, seconds }: ReportedRound): string {
  return [agent_seconds, seconds].map((each) => (each === null ? "–" : shortDuration(each))).join(" + ");
}

function tokenText({ usage, agent_tokens }: ReportedRound): string {
  const agent = agent_tokens === null ? "" : `, agent ${shortCount(agent_tokens)}`;
  return usage === null ? `none${agent}` : `${shortCount(allTokens(usage))}${agent}`;
}

function total(parts: readonly BarPart[]): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

function bar(parts: readonly BarPart[], most: number): Html {
  let x = 0;
  const rects = parts.map(({ kind, amount }) => {
    const width = (amount / most) * WIDTH;
    x += width;
    return html`<rect class="${kind}" x="${(x - width).toFixed(1)}" width="${width.toFixed(1)}" height="10"/>`;
  });
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`;
}

const WIDTH = 1_000;
