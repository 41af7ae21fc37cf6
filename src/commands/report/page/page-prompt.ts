import { type Html, html } from "../../../text/html.ts";
import type { ReportedPrompt } from "../report-schema.ts";
import { changesSection } from "./page-changes.ts";
import { criteriaSection } from "./page-criteria.ts";
import { prose } from "./page-data.ts";
import { roundArticle } from "./page-round.ts";

/** A prompt of the user and what followed: criteria, rounds, changed files. */
export function promptSection(
  prompt: ReportedPrompt,
  { number, several }: { readonly number: number; readonly several: boolean },
): Html {
  return html`<section class="prompt" aria-label="Prompt ${number}">
<h2>Prompt${several ? ` ${number}` : ""}</h2>
<blockquote>${prompt.text.trim() === "" ? html`<p class="soft">Not recorded.</p>` : prose(prompt.text)}</blockquote>
${criteriaSection(prompt)}
${prompt.rounds.length === 0 ? "" : html`<h3>Reviews</h3><div class="rounds">${prompt.rounds.map(roundArticle)}</div>`}
${changesSection(prompt)}
</section>`;
}
