import * as v from "valibot";
import {
  AMOUNT,
  ISO_TIME,
  MONTH,
  quotaWindow,
  type SeenWindow,
  type UsageReading,
  understand,
  WEEK,
} from "./usage-reading.ts";

/**
 * The windows of a Kimi Code plan. Answers have them up to three times: as counts of the week, as counts of other windows,
 * and since September 2026 as ratios. Where they contradict each other, as some answers do, none of them counts.
 */
export function readKimiQuota(json: unknown, now: number): UsageReading {
  return understand(ANSWER, json, ({ usage, limits, usages }) => {
    const seen = [
      ...(usage ? [byCounts(usage, WEEK)] : []),
      ...(limits ?? []).map(({ window, detail }) =>
        byCounts(detail, (window.duration * UNIT_MINUTES[window.timeUnit]) / 60),
      ),
      ...Object.entries(RATIO_HOURS).flatMap(([name, hours]) =>
        byRatio(usages?.[name as keyof typeof RATIO_HOURS], hours),
      ),
    ];
    if (seen.includes("unclear")) return { unclear: "the limit, what is used and what remains do not add up" };
    return merged(
      seen.filter((each) => typeof each !== "string"),
      now,
    );
  });
}

const COUNTS = v.object({
  limit: AMOUNT,
  used: v.nullish(AMOUNT),
  remaining: v.nullish(AMOUNT),
  resetTime: v.nullish(ISO_TIME),
});
const RATIO = v.object({
  used_ratio: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  reset_time: v.nullish(ISO_TIME),
});

const UNIT_MINUTES = { TIME_UNIT_MINUTE: 1, TIME_UNIT_HOUR: 60, TIME_UNIT_DAY: 24 * 60 } as const;

/** limit_month_code is a part of limit_month_total. */
const RATIO_HOURS = { limit_5h: 5, limit_7d: WEEK, limit_month_total: MONTH } as const;

const ANSWER = v.object({
  usage: v.nullish(COUNTS),
  limits: v.nullish(
    v.array(
      v.object({
        window: v.object({
          duration: v.pipe(v.number(), v.minValue(1)),
          timeUnit: v.picklist(["TIME_UNIT_MINUTE", "TIME_UNIT_HOUR", "TIME_UNIT_DAY"]),
        }),
        detail: COUNTS,
      }),
    ),
  ),
  usages: v.nullish(
    v.object({ limit_5h: v.nullish(RATIO), limit_7d: v.nullish(RATIO), limit_month_total: v.nullish(RATIO) }),
  ),
});

/** "empty" for counts of an account that has ratios only. */
function byCounts(
  { limit, used, remaining, resetTime }: v.InferOutput<typeof COUNTS>,
  hours: number,
): SeenWindow | "unclear" | "empty" {
  if (limit === 0) return "empty";
  const isUsed = typeof used === "number";
  const left = typeof remaining === "number" ? remaining : undefined;
  if (!isUsed && left === undefined) return "unclear";
  const usedCount = isUsed ? used : limit - (left ?? 0);
  if (usedCount < 0 || usedCount > limit) return "unclear";
  if (isUsed && left !== undefined && Math.abs(used + left - limit) > limit / 50) return "unclear";
  return { hours, usedPercent: (usedCount / limit) * 100, resetsAt: resetTime ?? undefined };
}

function byRatio(ratio: v.InferOutput<typeof RATIO> | null | undefined, hours: number): SeenWindow[] {
  if (!ratio) return [];
  return [{ hours, usedPercent: ratio.used_ratio * 100, resetsAt: ratio.reset_time ?? undefined }];
}

function merged(seen: readonly SeenWindow[], now: number): UsageReading {
  const lengths = [...new Set(seen.map(({ hours }) => hours))].toSorted((a, b) => a - b);
  if (lengths.length === 0) return { unclear: "it has no windows" };
  const figures = [];
  for (const hours of lengths) {
    const same = seen.filter((each) => each.hours === hours);
    const [first, ...others] = same;
    const window = first === undefined ? undefined : quotaWindow(first, now);
    if (first === undefined || window === undefined)
      return { unclear: "a window resets at a time that does not fit it" };
    const other = others.find(({ usedPercent }) => Math.abs(usedPercent - first.usedPercent) > 1.5);
    if (other !== undefined) {
      const both = [first, other].map(({ usedPercent }) => `${Math.round(usedPercent)}%`).join(" and ");
      return { unclear: `it contradicts itself: ${both} of the ${window.label} are used` };
    }
    figures.push(window);
  }
  return { figures };
}
