import type { RecordedPrompt } from "../../supervisor/record/prompt-record.ts";
import type { SessionStop, SupervisedSession } from "../../supervisor/record/read-session.ts";
import type { UsageFields } from "../../supervisor/record/usage-fields.ts";
import { exact } from "../../text/counts.ts";
import type { ReportedPrompt, ReportedRound, SessionReport } from "./report-schema.ts";
import { endOf, endOfLoop, verdictOf, whyOf } from "./round-verdict.ts";

/** The record of a session as one value: each prompt of the user with the stops that followed it. */
export function sessionReport({ id, launch, prompts, stops, loopEnd }: SupervisedSession): SessionReport {
  const asked = withStops(
    prompts.filter((each) => each.by_user),
    stops,
  );
  const rounds = asked.flatMap((each) => each.rounds);
  const times = [...prompts.map(({ at }) => at), ...stops.flatMap(({ at, endedAt }) => [at, endedAt ?? at])].sort();
  return {
    version: 1,
    session: id,
    folder: launch?.cwd ?? null,
    engine: launch?.engine ?? null,
    provider: launch?.provider ?? null,
    reviewer: launch?.reviewer || null,
    claude_version: launch?.version ?? null,
    usage_limit: null,
    ...(endOfLoop(loopEnd, times.at(-1)) ?? endOf(asked)),
    started_at: times[0] ?? null,
    ended_at: times.at(-1) ?? null,
    totals: totalsOf(rounds),
    prompts: asked,
  };
}

function withStops(prompts: readonly RecordedPrompt[], stops: readonly SessionStop[]): ReportedPrompt[] {
  const [first] = stops;
  // The prompts of a session that was recorded late may be missing.
  const known = prompts.length === 0 && first !== undefined ? [{ at: first.at, text: "" }] : prompts;
  return known.map(({ at, text }, index) => {
    const next = known[index + 1]?.at;
    const own = stops.filter((stop) => (index === 0 || stop.at >= at) && (next === undefined || stop.at < next));
    const changes = own.findLast((stop) => stop.changes !== undefined)?.changes ?? null;
    return { at, text, rounds: roundsOf(own, at), changes };
  });
}

function roundsOf(stops: readonly SessionStop[], promptedAt: string): ReportedRound[] {
  let number = 0;
  let freeSince = promptedAt;
  return stops.map((stop) => {
    const verdict = verdictOf(stop);
    const isReview = verdict !== "skipped" && verdict !== "limit";
    if (isReview) number = stop.round ?? number + 1;
    const agent_seconds = secondsBetween(freeSince, stop.at);
    freeSince = stop.endedAt ?? stop.at;
    return {
      number: isReview ? number : null,
      limit: stop.limit ?? null,
      at: stop.at,
      verdict,
      why: whyOf(stop),
      feedback: stop.feedback ?? "",
      reviewer: stop.reviewer || null,
      instead: stop.instead ?? null,
      context: stop.context ?? null,
      agent_seconds,
      seconds: stop.seconds ?? null,
      usage: hasAsked(stop) ? (stop.usage ?? null) : null,
      agent_tokens: stop.agent_tokens ?? null,
      criteria: (stop.criteria ?? []).map(({ id, text, status, evidence }) => ({ id, text, status, evidence })),
      checks: stop.checks ?? [],
      looked: stop.looked ?? [],
    };
  });
}

/** A failing check asks nobody. */
function hasAsked({ context, usage }: SessionStop): boolean {
  return context !== undefined || (usage !== undefined && usage.input_tokens + usage.output_tokens > 0);
}

function secondsBetween(start: string, end: string): number | null {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds) : null;
}

function totalsOf(rounds: readonly ReportedRound[]): SessionReport["totals"] {
  const sum = (numbers: readonly (number | null)[]) =>
    exact(numbers.reduce<number>((all, each) => all + (each ?? 0), 0));
  const asked = rounds.flatMap(({ usage }) => usage ?? []);
  const tokens = (name: Exclude<keyof UsageFields, "cost_usd">) => sum(asked.map((usage) => usage[name]));
  const agent = rounds.flatMap(({ agent_tokens }) => agent_tokens ?? []);
  return {
    reviews: rounds.filter(({ number }) => number !== null).length,
    agent_seconds: sum(rounds.map(({ agent_seconds }) => agent_seconds)),
    review_seconds: sum(rounds.map(({ seconds }) => seconds)),
    input_tokens: tokens("input_tokens"),
    cache_read_tokens: tokens("cache_read_tokens"),
    cache_write_tokens: tokens("cache_write_tokens"),
    output_tokens: tokens("output_tokens"),
    cost_usd: asked.some(({ cost_usd }) => cost_usd === null) ? null : sum(asked.map(({ cost_usd }) => cost_usd)),
    agent_tokens: agent.length === 0 ? null : sum(agent),
  };
}
