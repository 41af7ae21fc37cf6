import { type Html, html } from "../../../text/html.ts";
import { type CriterionHistory, criteriaByRound, numberedRounds } from "../criteria-by-round.ts";
import type { ReportedPrompt, ReportedRound } from "../report-schema.ts";
import { data } from "./page-data.ts";
import { type IconTone, icon } from "./page-icons.ts";

/** What must be true, and how each review saw it: one row per criterion, one column per round. */
export function criteriaSection(prompt: ReportedPrompt): Html {
  const criteria = criteriaByRound(prompt);
  if (criteria.length === 0) return html``;
  const rounds = numberedRounds(prompt);
  // The display of a table changes on a phone, and with it would its meaning for a screen reader.
  return html`<h3>Criteria</h3>
<div class="card"><table class="matrix" role="table">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col"><span class="spread"><span>Criterion</span><span aria-hidden="true">Review</span></span></th>${rounds.map(
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

export const STATUS_TONES = { met: "good", unmet: "bad", dropped: "quiet" } as const satisfies Record<string, IconTone>;

/** Criteria below each other, each with its status and evidence. */
export function criteriaList(criteria: ReportedRound["criteria"]): Html {
  const items = criteria.map(
    (each) => html`<li class="item">${icon(STATUS_TONES[each.status], each.status)} <span>${named(each)}</span></li>`,
  );
  return html`<ul>${items}</ul>`;
}

function named({ id, text, evidence }: Pick<CriterionHistory, "id" | "text" | "evidence">): Html {
  const seen = evidence === "" ? "" : html`<small class="evidence">${data(evidence)}</small>`;
  return html`<span class="id">${data(id)}</span> ${data(text)}${seen}`;
}
