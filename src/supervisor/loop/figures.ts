import type { UsageFields } from "../record/usage-fields.ts";
import type { Report } from "./report.ts";

/** What agent and reviews used, in a line: "2 agent runs: 30 tokens in, 15 out. 1 review: …" */
export function figures({ agent, reviews }: Pick<Report, "agent" | "reviews">): string {
  const parts = [
    `${counted(agent.phases, "agent run")}: ${tokens(agent)}.`,
    ...(reviews.count === 0 ? [] : [`${counted(reviews.count, "review")}: ${tokens(reviews)}.`]),
    ...(agent.cost_usd === null || reviews.cost_usd === null
      ? []
      : [`Cost: $${(agent.cost_usd + reviews.cost_usd).toFixed(4)}.`]),
  ];
  return parts.join(" ");
}

/** "1,200 tokens in (1,000 from the cache), 30 out" */
export function tokens(usage: UsageFields): string {
  const all = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  const cached = usage.cache_read_tokens === 0 ? "" : ` (${grouped(usage.cache_read_tokens)} from the cache)`;
  return `${counted(all, "token")} in${cached}, ${grouped(usage.output_tokens)} out`;
}

function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
