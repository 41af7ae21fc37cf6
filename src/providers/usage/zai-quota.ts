import * as v from "valibot";
import {
  AMOUNT,
  EPOCH_MS,
  MONTH,
  PERCENT,
  type QuotaWindow,
  quotaWindow,
  type UsageReading,
  understand,
  WEEK,
} from "./usage-reading.ts";

/** The windows of a GLM Coding Plan: of tokens or, in newer plans, of credits, and of web tools in older ones. */
export function readZaiQuota(json: unknown, now: number): UsageReading {
  return understand(ENVELOPE, json, ({ code, msg, data }) => {
    if (code !== undefined && code !== 200) {
      return { refusal: msg ?? `code ${code}`, isAboutKey: code === 401 || KEY_CODES.includes(code) };
    }
    const known = (data?.limits ?? []).filter(({ type }) => TYPES.includes(type));
    if (known.length === 0) return { unclear: "it names no limit of a kind that ccc knows" };
    return understand(v.array(LIMIT), known, (limits) => {
      const windows = limits.map((limit) => windowOf(limit, now));
      const wrong = windows.indexOf(undefined);
      if (wrong !== -1) return { unclear: `the figures of limit ${wrong + 1} contradict each other` };
      return { figures: windows.filter((window) => window !== undefined) };
    });
  });
}

const TOOLS = "TIME_LIMIT";
const TYPES = ["TOKENS_LIMIT", "CREDIT_LIMIT", TOOLS];

/** Authentication fails, or the key is missing, expired or not allowed. */
const KEY_CODES = [1000, 1001, 1002, 1003, 1004];

const ENVELOPE = v.object({
  code: v.optional(v.number()),
  msg: v.optional(v.string()),
  data: v.nullish(v.object({ limits: v.array(v.looseObject({ type: v.string() })) })),
});

const LIMIT = v.object({
  type: v.string(),
  unit: v.picklist([3, 5, 6]),
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
  percentage: PERCENT,
  nextResetTime: v.nullish(EPOCH_MS),
  /** The limit, despite its name. */
  usage: v.nullish(AMOUNT),
  currentValue: v.nullish(AMOUNT),
  remaining: v.nullish(AMOUNT),
});

/** By the unit of a limit. */
const UNIT_HOURS = { 3: 1, 5: MONTH, 6: WEEK } as const;

function windowOf(limit: v.InferOutput<typeof LIMIT>, now: number): QuotaWindow | undefined {
  if (!isConsistent(limit)) return undefined;
  const hours = UNIT_HOURS[limit.unit] * limit.number;
  const window = quotaWindow({ hours, usedPercent: limit.percentage, resetsAt: limit.nextResetTime ?? undefined }, now);
  if (window === undefined || limit.type !== TOOLS) return window;
  return { ...window, name: "tools", label: `web tools, ${window.label}` };
}

/** The server cuts or rounds the percentage, and counts a little more than the limit. */
function isConsistent({ percentage, usage, currentValue, remaining }: v.InferOutput<typeof LIMIT>): boolean {
  if (!usage) return true;
  if (typeof remaining === "number" && remaining > usage) return false;
  if (typeof currentValue !== "number") return true;
  return Math.abs(Math.min(100, (currentValue / usage) * 100) - percentage) <= 1.5;
}
