import { shortCount } from "../../../text/counts.ts";
import { shortDuration } from "../../../text/duration.ts";
import { type Html, html } from "../../../text/html.ts";
import type { ReportedRound, SessionReport } from "../report-schema.ts";
import { allTokens } from "../report-words.ts";

/** A part of a bar, in the unit of its column. */
interface BarPart {
  readonly kind: "agent" | "review" | "cached" | "fresh" | "answer";
  readonly amount: number;
}

/** Time and tokens of each round. The bars repeat the numbers beside them, so a screen reader passes over them. */
export function usageSection({ prompts }: SessionReport): Html {
  const rows = prompts.flatMap(({ rounds }, index) =>
    rounds.filter(({ number }) => number !== null).map((round) => ({ round, prompt: index + 1 })),
  );
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

const WIDTH = 1_000;

function bar(parts: readonly BarPart[], most: number): Html {
  let x = 0;
  const rects = parts.map(({ kind, amount }) => {
    const width = (amount / most) * WIDTH;
    x += width;
    return html`<rect class="${kind}" x="${(x - width).toFixed(1)}" width="${width.toFixed(1)}" height="10"/>`;
  });
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`;
}
