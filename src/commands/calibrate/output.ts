import { createFooter } from "../../terminal/footer.ts";
import { clipped, type Html, html, oneLine, printable } from "../../text/shown.ts";
import { columns, wrap } from "../../text/table.ts";
import { counted, shortCount, shortDuration, shownTime } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { data, type IconTone, icon, pageFrame, prose } from "../report/page.ts";
import type { Truth } from "./cases.ts";
import {
  type CalibratedReviewer,
  type CalibrationReport,
  type ComparedReviewer,
  type Figures,
  isRight,
  type Share,
} from "./results.ts";
import {
  type CalibrationPlan,
  type CaseFacts,
  type CaseReview,
  type Mark,
  openReviews,
  type PlannedReview,
} from "./run.ts";

/** The results for a terminal: the figures side by side, and what was judged wrongly. */
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

/** Each reviewer now and in the run before, with the cases that differ. */
export function renderComparison({ reviewers, started_at }: CalibrationReport, width: number): string {
  const parts = reviewers.flatMap((each) => comparedReviewer(each, started_at, width));
  return parts.map((part) => `${part}\n`).join("\n");
}

/** The results as one page. */
export function calibrationPage(report: CalibrationReport, version: string): string {
  const { reviewers, started_at, cases, repeat } = report;
  const when = shownTime(Date.parse(started_at) / 1000);
  const columns = reviewers.map(({ reviewer }) => reviewer);
  const names = columns.join(", ");
  const times = repeat === 1 ? "" : `, each ${repeat} times`;
  return pageFrame({
    title: `Calibration of ${names} – ccc calibrate`,
    main: html`<header>
<p class="kicker">Calibration of reviewers</p>
<h1><span>${data(names)}</span></h1>
<p class="lead">${counted(cases.length, "case")}${times}${report.finished ? "" : ", not finished"}</p>
<p class="meta">${when} · ccc ${data(report.ccc_version)} · Claude Code ${data(report.claude_version ?? "of unknown version")} · instructions: ${data(instructionsText(report.instructions))}</p>
</header>
<section aria-label="Figures"><h2>Figures</h2>${table(["Figure", ...columns], figureRows(reviewers))}</section>
<section aria-label="Kinds of failure"><h2>Right verdicts by kind</h2>${table(["Kind", ...columns], kindRows(reviewers))}</section>
${reviewers.map((each) => reviewerSection(report, each))}`,
    footer: html`Each case has a twin: the same work, once done and once not. Of such pairs, always “done” gets half right, and always “not done” at most half. Made by <code>ccc calibrate</code> ${version}. Known keys are masked as ***.`,
  });
}

/** Shows each finished review on stderr and, on a terminal, the one in progress. */
export function calibrationProgress(world: World, plan: CalibrationPlan, made: number) {
  const total = openReviews({ plan, reviews: [] }).length;
  const truths = new Map(plan.cases.map(({ id, truth }) => [id, truth]));
  const footer = createFooter(world);
  let count = made;
  return {
    start(planned: PlannedReview): void {
      footer.start(`${count} of ${counted(total, "review")} made; ${planned.reviewer} is reviewing ${nameOf(planned)}`);
    },
    review(review: CaseReview): void {
      const { mark, verdict, said, seconds } = review;
      const sign = verdict === null ? "–" : isRight(mark) ? "✓" : "✗";
      const what = judgement(mark, verdict, truths.get(review.case) ?? "done");
      const why = verdict === null ? `: ${oneLine(said, LONGEST_REASON)}` : "";
      footer.print(
        `${sign} ${++count}/${total} ${nameOf(review)}, ${review.reviewer}: ${what}${why} (${shortDuration(seconds)})`,
      );
    },
    stopped(reviewer: string, why: string): void {
      footer.print(`– ${reviewer} gets no more requests: ${why}`);
    },
    stop(): void {
      footer.stop();
      // A blank line before the results, which follow on the same screen.
      if (footer.isAnimated) world.stderr("\n");
    },
  };
}

const LONGEST_REASON = 200;

/** "weakened-test/weakened with proof" */
function nameOf({ case: id, with_proof: isProved }: Pick<PlannedReview, "case" | "with_proof">): string {
  return isProved ? `${id} with proof` : id;
}

/** The verdict, and why it is not right. */
function judgement(mark: Mark, verdict: CaseReview["verdict"], truth: Truth): string {
  if (verdict === null) return "no verdict";
  if (isRight(mark)) return mark === "right" ? verdict : `${verdict}, but for another reason`;
  return `said "${verdict}", but ${mark === "needless question" ? "the agent could continue" : TRUTHS_IN_WORDS[truth]}`;
}

const TRUTHS_IN_WORDS: Readonly<Record<Truth, string>> = {
  done: "the work is done",
  not_done: "the work is not done",
  needs_user: "only the user can continue",
};

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

/** Grouped by reason, because many cases usually share one. */
function withoutVerdict(judged: readonly JudgedCase[]): string[] {
  return [...Map.groupBy(judged, ({ review }) => review.said)].map(
    ([why, same]) => `  – ${shown(why)}\n      ${same.map(({ review }) => nameOf(review)).join(", ")}`,
  );
}

function shown(said: string): string {
  return clipped(printable(said).trim(), LONGEST_SAID).replaceAll("\n", "\n      ");
}

const LONGEST_SAID = 600;

function stopped({ reviewer, stopped: why, figures }: CalibratedReviewer): string {
  return `${reviewer} was stopped early (${shareText(figures.reviews)} reviews): ${why}.`;
}

function comparedReviewer({ reviewer, compared }: CalibratedReviewer, at: string, width: number): string[] {
  if (compared === null) return [wrap(`${reviewer}: there is no earlier run to compare with.`, width)];
  const head = [`${reviewer}, on ${counted(compared.cases, "case")}`, "before", "now"];
  const rows = columns([head, ...comparedRows(compared, at)], width);
  return [`${rows}${wrap(differences(compared).join("\n"), width)}`];
}

/** Rows with two values: before, and in the run that began `at`. */
function comparedRows({ started_at, before, now }: ComparedReviewer, at: string) {
  const [then, today] = [started_at, at].map((time) => shownTime(Date.parse(time) / 1000));
  return [
    ["", then ?? "", today ?? ""] as const,
    ...FIGURE_ROWS.map(({ name, value }) => [name, value(before), value(now)] as const),
  ];
}

function differences({ changed, better, worse }: ComparedReviewer): string[] {
  return [
    `Changed since: ${changed.length === 0 ? "nothing; differences are chance" : changed.join(", ")}.`,
    ...(better.length === 0 ? [] : [`Judged better: ${better.join(", ")}`]),
    ...(worse.length === 0 ? [] : [`Judged worse: ${worse.join(", ")}`]),
  ];
}

function table(columns: readonly string[], rows: readonly ReviewerRow[]): Html {
  return html`<div class="card"><table>
<thead><tr>${columns.map((each) => html`<th scope="col">${data(each)}</th>`)}</tr></thead>
<tbody>${rows.map(([name, ...values]) => html`<tr><th scope="row">${data(name)}</th>${values.map((each) => html`<td>${data(each)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function reviewerSection(
  report: CalibrationReport,
  { reviewer, stopped, figures, compared }: CalibratedReviewer,
): Html {
  const judged = notRight(report, reviewer);
  return html`<section aria-label="${reviewer}"><h2>${data(reviewer)}</h2>
${stopped === null ? "" : html`<p class="loud">Stopped early: ${data(stopped)}</p>`}
${compared === null ? "" : comparison(compared, report.started_at)}
${judged.length === 0 ? html`<p class="soft">${figures.reviews.count === 0 ? "No review was made." : "Every verdict is right, and for the right reason."}</p>` : html`<div class="rounds">${judged.map(judgedArticle)}</div>`}
</section>`;
}

function comparison(compared: ComparedReviewer, at: string): Html {
  return html`<h3>Compared with the run before, on ${counted(compared.cases, "case")}</h3>
${table(["Figure", "before", "now"], comparedRows(compared, at))}
${prose(differences(compared).join("\n"))}`;
}

const TONES: Partial<Record<Mark, IconTone>> = { "wrong reason": "warn", "no verdict": "quiet" };

function judgedArticle(judged: JudgedCase): Html {
  const { mark, about, review } = judged;
  const tone = TONES[mark] ?? "bad";
  return html`<article class="round ${tone}">
<h4>${icon(tone, mark)} ${data(judgedTitle(judged))}</h4>
<p class="meta">${data(about.kind)}</p>
<p>The truth: ${data(about.why)}</p>
${prose(`The reviewer: ${review.said.trim() || "(nothing)"}`)}
</article>`;
}

/** The rows of figures, for a table with one column for each reviewer. */
const FIGURE_ROWS: readonly { readonly name: string; readonly value: (figures: Figures) => string }[] = [
  { name: "Right verdicts", value: ({ right }) => shareText(right) },
  { name: 'False "done" caught', value: ({ false_done_caught: caught }) => shareText(caught) },
  { name: "False alarms on work that is done", value: ({ false_alarms: alarms }) => shareText(alarms) },
  { name: 'Questions recognised as "needs you"', value: ({ questions_recognised: found }) => shareText(found) },
  { name: "Right, but for the wrong reason", value: ({ wrong_reason: wrong }) => shareText(wrong) },
  { name: "Weakened tests caught without proof", value: ({ caught_without_proof: caught }) => shareText(caught) },
  { name: "Weakened tests caught with proof", value: ({ caught_with_proof: caught }) => shareText(caught) },
  { name: "Weakened tests named by proof alone", value: ({ named_by_proof: named }) => shareText(named) },
  { name: '"Done" that was not confirmed', value: ({ not_confirmed: refused }) => shareText(refused) },
  { name: "No verdict", value: ({ no_verdict: none }) => shareText(none) },
  { name: "Time per review", value: ({ seconds }) => (seconds === null ? NOTHING : shortDuration(seconds)) },
  { name: "Tokens per review", value: tokensText },
];

const NOTHING = "–";

/** A name, and a value for each reviewer. */
type ReviewerRow = readonly [name: string, ...values: readonly string[]];

function figureRows(reviewers: readonly CalibratedReviewer[]): ReviewerRow[] {
  return [
    ["Model", ...reviewers.map(({ models }) => models.join(", ") || NOTHING)],
    ["Context", ...reviewers.map(({ contexts }) => contexts.join(" and ") || NOTHING)],
    ["Reviews", ...reviewers.map(({ figures }) => shareText(figures.reviews))],
    ...FIGURE_ROWS.map(({ name, value }): ReviewerRow => [name, ...reviewers.map(({ figures }) => value(figures))]),
  ];
}

/** The right verdicts by kind of failure. */
function kindRows(reviewers: readonly CalibratedReviewer[]): ReviewerRow[] {
  const [first] = reviewers;
  return (first?.figures.kinds ?? []).map(({ kind }, index) => [
    kind,
    ...reviewers.map(({ figures }) => shareText(figures.kinds[index]?.right ?? { count: 0, of: 0 })),
  ]);
}

/** "19 of 21", or a dash if nothing was judged. */
function shareText({ count, of }: Share): string {
  return of === 0 ? NOTHING : `${count} of ${of}`;
}

function tokensText({ tokens, cached_tokens: cached }: Figures): string {
  if (tokens === null) return NOTHING;
  const share = Math.round(((cached ?? 0) / Math.max(1, tokens)) * 100);
  return `${shortCount(Math.round(tokens))}${share === 0 ? "" : ` (${share} % cached)`}`;
}

/** Reviews of one case with the same mark. */
interface JudgedCase {
  readonly about: CaseFacts;
  readonly mark: Mark;
  /** Of all reviews of the case by this reviewer. */
  readonly times: Share;
  /** The first of them. */
  readonly review: CaseReview;
}

/** The cases that a reviewer did not judge rightly, in the order of the cases. */
function notRight({ cases, reviews }: CalibrationReport, reviewer: string): JudgedCase[] {
  const own = Map.groupBy(
    reviews.filter((each) => each.reviewer === reviewer),
    nameOf,
  );
  const named = cases.flatMap((each) =>
    [{ case: each.id }, { case: each.id, with_proof: true as const }].map((which) => ({
      about: each,
      name: nameOf(which),
    })),
  );
  return named.flatMap(({ about, name }) => {
    const all = own.get(name) ?? [];
    const marks = [...Map.groupBy(all, ({ mark }) => mark)].filter(([mark]) => mark !== "right");
    return marks.flatMap(([mark, same]) => {
      const [review] = same;
      return review === undefined ? [] : [{ about, mark, review, times: { count: same.length, of: all.length } }];
    });
  });
}

/** 'stub/faked: said "done", but the work is not done' */
function judgedTitle({ about, mark, review, times }: JudgedCase): string {
  const often = times.of > 1 ? ` (${times.count} of ${counted(times.of, "time")})` : "";
  return `${nameOf(review)}: ${judgement(mark, review.verdict, about.truth)}${often}`;
}

/** Where the instructions came from, and a hash that tells them apart. */
function instructionsText({ path, hash }: CalibrationReport["instructions"]): string {
  return `${path ?? "the built-in ones"} (${hash})`;
}
