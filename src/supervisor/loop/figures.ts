import { counted, grouped } from "../../text/counts.ts";
import { shortDuration, shownDuration } from "../../text/duration.ts";
import type { UsageFields } from "../record/usage-fields.ts";
import type { Report } from "./report.ts";

/** What agent and reviews used, in a line: "2 agent runs (1m12s): 30 tokens in, 15 out. 1 review (41 s): …" */
export function figures({
  agent,
  reviews,
  waited_seconds,
}: Pick<Report, "agent" | "reviews" | "waited_seconds">): string {
  const parts = [
    `${counted(agent.phases, "agent run")}${time(agent.seconds)}: ${tokens(agent)}.`,
    ...(reviews.count === 0
      ? []
      : [`${counted(reviews.count, "review")}${time(reviews.seconds)}: ${tokens(reviews)}.`]),
    ...(waited_seconds === 0 ? [] : [`Waited ${shownDuration(waited_seconds)} for a usage limit.`]),
    ...(agent.cost_usd === null || reviews.cost_usd === null
      ? []
      : [`Cost: $${(agent.cost_usd + reviews.cost_usd).toFixed(4)}.`]),
  ];
  return parts.join(" ");
}

function time(seconds: number): string {
  return seconds === 0 ? "" : ` (${shortDuration(seconds)})`;
}

/** "1,200 tokens in (1,000 from the cache), 30 out" */
export function tokens(usage: UsageFields): string {
  const all = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  const cached = usage.cache_read_tokens === 0 ? "" : ` (${grouped(usage.cache_read_tokens)} from the cache)`;
  return `${counted(all, "token")} in${cached}, ${grouped(usage.output_tokens)} out`;
}
