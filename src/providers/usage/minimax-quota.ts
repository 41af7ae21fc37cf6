import * as v from "valibot";
import { EPOCH_MS, PERCENT, quotaWindow, type UsageReading, understand, WEEK } from "./usage-reading.ts";

/**
 * The windows of a MiniMax Token Plan, by their percentages alone. What counts as "usage_count" was what remains in some
 * versions of this API, and what is used in others.
 */
export function readMinimaxQuota(json: unknown, now: number): UsageReading {
  return understand(ANSWER, json, ({ base_resp: base, model_remains: rows }) => {
    if (base && base.status_code !== 0) {
      return {
        refusal: base.status_msg || `code ${base.status_code}`,
        isAboutKey: KEY_CODES.includes(base.status_code),
      };
    }
    const row = (rows ?? []).find(({ model_name }) => model_name === "general");
    if (row === undefined) return { unclear: "it has no row for text models" };
    return understand(ROW, row, (general) => {
      const [left, weekLeft] = [general.current_interval_remaining_percent, general.current_weekly_remaining_percent];
      const [status, weekStatus] = [
        general.current_interval_status ?? ACTIVE,
        general.current_weekly_status ?? NO_LIMIT,
      ];
      const windows = [
        ...(status === NO_LIMIT ? [] : [seen(5, status, left, general.end_time)]),
        ...(weekStatus === NO_LIMIT ? [] : [seen(WEEK, weekStatus, weekLeft, general.weekly_end_time)]),
      ];
      if (windows.length === 0) return { unclear: "it names no limit" };
      const figures = windows.map((window) => window && quotaWindow(window, now));
      if (figures.includes(undefined)) return { unclear: "its percentages, states and times contradict each other" };
      return { figures: figures.filter((figure) => figure !== undefined) };
    });
  });
}

/** Authentication fails; the key is invalid. */
const KEY_CODES = [1004, 2049];

const ACTIVE = 1;
const USED_UP = 2;
const NO_LIMIT = 3;
const STATUS = v.nullish(v.picklist([ACTIVE, USED_UP, NO_LIMIT]));

const ANSWER = v.object({
  base_resp: v.nullish(v.object({ status_code: v.number(), status_msg: v.nullish(v.string()) })),
  model_remains: v.nullish(v.array(v.looseObject({ model_name: v.string() }))),
});

const ROW = v.object({
  current_interval_remaining_percent: v.nullish(PERCENT),
  current_interval_status: STATUS,
  end_time: v.nullish(EPOCH_MS),
  current_weekly_remaining_percent: v.nullish(PERCENT),
  current_weekly_status: STATUS,
  weekly_end_time: v.nullish(EPOCH_MS),
});

/** Undefined if there is no percentage, or one that contradicts the status. */
function seen(hours: number, status: number, left: number | null | undefined, end: number | null | undefined) {
  if (typeof left !== "number" || (status === USED_UP && left > 0)) return undefined;
  return { hours, usedPercent: 100 - left, resetsAt: end ?? undefined };
}
