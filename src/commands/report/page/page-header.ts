import { counted, shortCount } from "../../../text/counts.ts";
import { shortDuration, shownTime } from "../../../text/duration.ts";
import { type Html, html } from "../../../text/html.ts";
import type { SessionOutcome, SessionReport } from "../report-schema.ts";
import { achievement, allTokens, capitalized, ENDINGS, knownChanges, openCriteria, sentence } from "../report-words.ts";
import { criteriaList } from "./page-criteria.ts";
import { data, prose } from "./page-data.ts";
import { type IconTone, icon } from "./page-icons.ts";

/** At a glance: how it ended, and what it took. */
export function pageHeader(report: SessionReport): Html {
  const { outcome, reason, totals } = report;
  const tone = TONES[outcome];
  const open = openCriteria(report);
  return html`<header>
<p class="kicker">Supervised session${report.folder === null ? "" : html` in <b>${data(folderName(report.folder))}</b>`}</p>
<h1>${icon(tone, ENDINGS[outcome])}<span>${ENDINGS[outcome]}</span></h1>
<p class="lead">${capitalized(achievement(report))}</p>
${reason === "" ? "" : prose(sentence(reason))}
${open.length === 0 ? "" : criteriaList(open)}
<dl class="facts">
${fact("Agent", shortDuration(totals.agent_seconds))}
${fact("Reviews", shortDuration(totals.review_seconds))}
${fact("Review tokens", shortCount(allTokens(totals)), cacheShare(totals))}
${changesFact(report)}
</dl>
<p class="meta">${facts(report).map((each, index) => html`${index === 0 ? "" : " · "}${each}`)}</p>
</header>`;
}

const TONES: Record<SessionOutcome, IconTone> = {
  done: "good",
  "not done": "bad",
  "needs you": "warn",
  "over budget": "bad",
  "not reviewed": "bad",
  failed: "bad",
  interrupted: "warn",
  reviewing: "quiet",
  unfinished: "warn",
};

function fact(name: string, value: string, note = "", kind = ""): Html {
  return html`<div class="fact"><dt>${name}</dt><dd>${value}${note === "" ? "" : html` <small class="${kind}">${note}</small>`}</dd></div>`;
}

function cacheShare(totals: SessionReport["totals"]): string {
  const share = Math.round((totals.cache_read_tokens / Math.max(1, allTokens(totals))) * 100);
  return share === 0 ? "" : `${share} % cached`;
}

/** Of the last prompt that changed any. */
function changesFact({ prompts }: SessionReport): Html {
  const changes = prompts.map(knownChanges).findLast((each) => each !== undefined);
  if (changes === undefined) return fact("Changed files", "not known");
  const { files, more, suspicious } = changes;
  const note = suspicious.length === 0 ? "" : `${suspicious.length} suspicious`;
  return fact("Changed files", `${files.length + more}`, note, "loud");
}

function facts(report: SessionReport): (Html | string)[] {
  const { started_at, provider, reviewer, engine, claude_version, prompts } = report;
  return [
    ...(started_at === null ? [] : [shownTime(Date.parse(started_at) / 1000)]),
    ...(provider === null ? [] : [html`agent on ${data(provider)}`]),
    ...(reviewer === null ? [] : [html`reviewed by ${data(reviewer)}`]),
    ...(engine === null ? [] : [`${engine} engine`]),
    ...(claude_version === null ? [] : [html`Claude Code ${data(claude_version)}`]),
    ...(prompts.length > 1 ? [counted(prompts.length, "prompt")] : []),
  ];
}

function folderName(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== "") ?? folder;
}
