import { counted } from "../../../text/counts.ts";
import { shownTime } from "../../../text/duration.ts";
import { type Html, html } from "../../../text/html.ts";
import { data, prose } from "../../report/page/page-data.ts";
import { pageFrame } from "../../report/page/page-frame.ts";
import { type IconTone, icon } from "../../report/page/page-icons.ts";
import type { CalibratedReviewer, CalibrationReport, ComparedReviewer } from "../results/calibration-report.ts";
import type { Mark } from "../results/calibration-run.ts";
import {
  figureRows,
  instructionsText,
  type JudgedCase,
  judgedTitle,
  kindRows,
  notRight,
  type ReviewerRow,
} from "./calibration-words.ts";
import { comparedRows, differences } from "./render-comparison.ts";

/** A calibration as one page. */
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
