import { shortDuration } from "../../../text/duration.ts";
import { type Html, html } from "../../../text/html.ts";
import { rulings } from "../criteria-by-round.ts";
import type { ReportedRound, RoundVerdict } from "../report-schema.ts";
import { roundFacts, roundTitle, sentence } from "../report-words.ts";
import { criteriaList } from "./page-criteria.ts";
import { data, folded, output, prose } from "./page-data.ts";
import { type IconTone, icon } from "./page-icons.ts";

/** One stop of the agent, and what it led to. */
export function roundArticle(round: ReportedRound): Html {
  const tone = ROUND_TONES[round.verdict];
  const hasFailed = round.checks.some(({ passed }) => !passed);
  return html`<article class="round ${tone}">
<h4>${icon(tone, round.verdict)} ${roundTitle(round)}</h4>
<p class="meta">${roundFacts(round).map((each, index) => html`${index === 0 ? "" : " · "}${data(each)}`)}</p>
${round.why === null || hasFailed ? "" : prose(sentence(round.why))}
${round.instead === null ? "" : prose(`Others could not review. ${round.instead}`)}
${hasFailed || round.feedback === "" ? "" : prose(round.feedback)}
${round.checks.length === 0 ? "" : html`<ul>${round.checks.map(checkItem)}</ul>`}
${evidenceOf(round)}
${
  round.looked.length === 0
    ? ""
    : folded(
        `What the reviewer opened and ran (${round.looked.length})`,
        html`<ul>${round.looked.map((each) => html`<li class="item"><code>${data(each)}</code></li>`)}</ul>`,
      )
}
</article>`;
}

const ROUND_TONES: Record<RoundVerdict, IconTone> = {
  done: "good",
  "not done": "bad",
  "check failed": "bad",
  "needs you": "warn",
  stalemate: "bad",
  "over budget": "bad",
  limit: "warn",
  skipped: "quiet",
  "not reviewed": "bad",
  running: "quiet",
};

function checkItem({ command, ending, passed, reused, seconds, output: text }: ReportedRound["checks"][number]): Html {
  const head = html`${icon(passed ? "good" : "bad", passed ? "passed" : "failed")} <code>${data(command)}</code> <span class="meta">${data(ending)}, ${
    reused ? "earlier, with the same files" : shortDuration(seconds)
  }</span>`;
  return html`<li class="check">${text === "" ? html`<p>${head}</p>` : folded(head, output(text), !passed)}</li>`;
}

/** What is not met stays visible. */
function evidenceOf(round: ReportedRound): Html {
  const criteria = rulings(round);
  const open = criteria.filter(({ status }) => status === "unmet");
  const others = criteria.filter(({ status }) => status !== "unmet");
  return html`${open.length === 0 ? "" : criteriaList(open)}${
    others.length === 0 ? "" : folded(`Evidence for what is met (${others.length})`, criteriaList(others))
  }`;
}
