import * as v from "valibot";
import { MONTH, quotaWindow, type UsageFigure, type UsageReading, understand, WEEK } from "./usage-reading.ts";

/** The limit of an OpenRouter key, or what was spent with it. What is left of the account takes a management key. */
export function readOpenrouterKey(json: unknown, now: number): UsageReading {
  return understand(ANSWER, json, ({ data }) => {
    const { limit, limit_remaining: left, limit_reset: reset, usage } = data;
    if (limit === null) return { figures: [{ kind: "spent", label: SPENT, amount: usage, currency: "USD" }] };
    if (left === null || limit <= 0 || left > limit)
      return { unclear: "limit and limit_remaining contradict each other" };
    const usedPercent = Math.min(100, ((limit - left) / limit) * 100);
    return { figures: [limitFigure(usedPercent, reset, now), { ...LEFT, amount: left }] };
  });
}

const SPENT = "spent with this key";
const LEFT = { kind: "balance", label: "left on this key", currency: "USD" } as const;

const ANSWER = v.object({
  data: v.object({
    limit: v.nullable(v.pipe(v.number(), v.finite())),
    limit_remaining: v.nullable(v.pipe(v.number(), v.finite())),
    limit_reset: v.nullish(v.picklist(["daily", "weekly", "monthly"])),
    usage: v.pipe(v.number(), v.finite(), v.minValue(0)),
  }),
});

const HOURS = { daily: 24, weekly: WEEK, monthly: MONTH } as const;

function limitFigure(used: number, reset: keyof typeof HOURS | null | undefined, now: number): UsageFigure {
  const resetsAt = reset ? nextReset(reset, now) : undefined;
  const window = reset ? quotaWindow({ hours: HOURS[reset], usedPercent: used, resetsAt }, now) : undefined;
  return window ?? { ...WITHOUT_RESET, used_percent: used };
}

const WITHOUT_RESET = {
  kind: "window",
  name: "limit",
  label: "limit of this key",
  hours: null,
  resets_at: null,
} as const;

/** Limits reset at midnight UTC; weeks begin on Monday. */
function nextReset(reset: keyof typeof HOURS, now: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (reset === "monthly") return Date.UTC(year, month + 1, 1);
  return Date.UTC(year, month, day + (reset === "daily" ? 1 : (8 - date.getUTCDay()) % 7 || 7));
}
