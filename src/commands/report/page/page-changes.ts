import { type Html, html } from "../../../text/html.ts";
import { criteriaByRound } from "../criteria-by-round.ts";
import type { ReportedChanges, ReportedPrompt } from "../report-schema.ts";
import { changesTitle, knownChanges } from "../report-words.ts";
import { STATUS_TONES } from "./page-criteria.ts";
import { data } from "./page-data.ts";
import { icon } from "./page-icons.ts";

/** The files that changed since the prompt. What ccc found suspicious comes first, with the reviewer's ruling. */
export function changesSection(prompt: ReportedPrompt): Html {
  const { changes } = prompt;
  const known = knownChanges(prompt);
  if (known === undefined) {
    if (changes === null || !("why" in changes)) return html``;
    return html`<h3>Changed files</h3><p class="soft">Not known: ${data(changes.why)}.</p>`;
  }
  if (known.files.length === 0) return html`<h3>Changed files</h3><p class="soft">None since the prompt.</p>`;
  return html`<h3>Changed files</h3>
<p class="meta">${changesTitle(known)}, committed or not, since the prompt</p>
${known.suspicious.length === 0 ? "" : html`<ul class="suspicions">${known.suspicious.map((each) => suspicion(each, prompt))}</ul>`}
<div class="card"><table class="files">
<thead><tr><th scope="col">File</th><th scope="col" class="kind">Change</th><th scope="col" class="number">Added</th><th scope="col" class="number">Deleted</th></tr></thead>
<tbody>${known.files.map((file) => fileRow(file, known))}</tbody>
</table></div>
${known.more === 0 ? "" : html`<p class="soft">and ${known.more} more</p>`}`;
}

function suspicion({ id, text }: ReportedChanges["suspicious"][number], prompt: ReportedPrompt): Html {
  const ruling = criteriaByRound(prompt).find((each) => each.id === id);
  const words = { met: "explained by the request", unmet: "not explained by the request", dropped: "dropped" };
  return html`<li class="item">${icon("warn", "suspicious")} <span>${id === undefined ? "" : html`<span class="id">${data(id)}</span> `}${data(text)}${
    ruling === undefined
      ? html`<small class="evidence">No reviewer has ruled on it.</small>`
      : html`<small class="evidence">${icon(STATUS_TONES[ruling.status], ruling.status)} The reviewer: ${words[ruling.status]}${ruling.evidence === "" ? "" : html` (${data(ruling.evidence)})`}</small>`
  }</span></li>`;
}

function fileRow(
  { path, kind, from, added, deleted }: ReportedChanges["files"][number],
  { suspicious }: ReportedChanges,
): Html {
  const isMarked = suspicious.some((each) => each.path === path);
  return html`<tr${isMarked ? html` class="marked"` : ""}><th scope="row"><code>${from === undefined ? "" : html`${data(from)} → `}${data(path)}</code>${
    isMarked ? html` ${icon("warn", "suspicious")}` : ""
  }</th><td class="kind">${kind}</td><td class="number plus">${lines("+", added)}</td><td class="number minus">${lines(
    "−",
    deleted,
  )}</td></tr>`;
}

function lines(sign: string, count: number | undefined): string {
  return count === undefined || count === 0 ? "" : `${sign}${count}`;
}
