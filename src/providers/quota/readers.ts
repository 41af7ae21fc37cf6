/** What each provider's answer says about its quotas and balances. */
import * as v from "valibot";

/** How much of a quota is used up. `ccc usage --json` and the file of the last answer have the same shapes. */
export interface QuotaWindow {
  readonly kind: "window";
  /** "5h", "week", "month", …; "tools" for one that counts web tools instead of the model. */
  readonly name: string;
  readonly label: string;
  /** Its length; null for a limit that does not reset. */
  readonly hours: number | null;
  readonly used_percent: number;
  readonly resets_at: string | null;
}

/** Money that is left ("balance"), or that was spent where there is no limit ("spent"). */
interface Money {
  readonly kind: "balance" | "spent";
  readonly label: string;
  readonly amount: number;
  readonly currency: string;
}

export type UsageFigure = QuotaWindow | Money;

/** What a provider's answer means. If in doubt, it is unclear: no number is better than a wrong one. */
export type UsageReading =
  | { readonly figures: readonly UsageFigure[] }
  /** The server refuses in its text, although the HTTP status says success. */
  | { readonly refusal: string; readonly isAboutKey: boolean }
  | { readonly unclear: string };

/** Reads a provider's JSON. `now` is in milliseconds since 1970. */
export type UsageReader = (json: unknown, now: number) => UsageReading;

/** How to read each provider's answer. Some do not name their currency: then it depends on the host. */
export const USAGE_READERS = {
  deepseek: readDeepseekBalance,
  kimi: readKimiQuota,
  minimax: readMinimaxQuota,
  moonshot: moonshotBalance,
  openrouter: readOpenrouterKey,
  siliconflow: siliconflowBalance,
  stepfun: stepfunBalance,
  zai: readZaiQuota,
};

function understand<Schema extends v.GenericSchema>(
  schema: Schema,
  json: unknown,
  use: (value: v.InferOutput<Schema>) => UsageReading,
): UsageReading {
  const parsed = v.safeParse(schema, json);
  if (parsed.success) return use(parsed.output);
  const path = v.getDotPath(parsed.issues[0]);
  return { unclear: path === null ? "it has an unknown shape" : `${path} is missing, or has an unknown shape` };
}

/** Several providers write numbers as strings. */
const AMOUNT = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+(\.\d+)?$/), v.transform(Number))]),
  v.finite(),
);
const PERCENT = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
/** A time as a string, in milliseconds since 1970. */
const ISO_TIME = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
  v.transform((text) => Date.parse(text)),
  v.number(),
);
/** Milliseconds since 1970. A time in seconds would be too small. */
const EPOCH_MS = v.pipe(v.number(), v.integer(), v.minValue(1.5e12), v.maxValue(4e12));

interface SeenWindow {
  readonly hours: number;
  readonly usedPercent: number;
  readonly resetsAt: number | undefined;
}

const WEEK = 7 * 24;
const MONTH = 30 * 24;

/** Undefined if a window of this length cannot reset at this time: then length or time means something else. */
function quotaWindow({ hours, usedPercent, resetsAt }: SeenWindow, now: number): QuotaWindow | undefined {
  const hoursLeft = resetsAt === undefined ? 0 : (resetsAt - now) / HOUR_MS;
  if (hoursLeft < -SLACK_HOURS || hoursLeft > hours + (hours === MONTH ? 2 * 24 : SLACK_HOURS)) return undefined;
  const [name, label] = NAMES.get(hours) ?? [`${hours}h`, `${hours}-hour window`];
  return {
    kind: "window",
    name,
    label,
    hours,
    used_percent: usedPercent,
    resets_at: resetsAt === undefined ? null : new Date(resetsAt).toISOString(),
  };
}

const HOUR_MS = 3_600_000;
/** Clocks differ. */
const SLACK_HOURS = 1;

const NAMES: ReadonlyMap<number, readonly [name: string, label: string]> = new Map([
  [24, ["day", "daily window"]],
  [WEEK, ["week", "weekly window"]],
  [MONTH, ["month", "monthly window"]],
]);

/** One balance for each currency. */
function readDeepseekBalance(json: unknown): UsageReading {
  return understand(DEEPSEEK, json, ({ balance_infos: infos }) => ({
    figures: infos.map(({ currency, total_balance: amount }) => ({
      kind: "balance",
      label: BALANCE,
      amount,
      currency,
    })),
  }));
}

function moonshotBalance(currency: Currency): UsageReader {
  return (json) =>
    understand(MOONSHOT, json, ({ code, data, scode }) =>
      code === 0 ? money(data?.available_balance, currency) : { refusal: `code ${scode ?? code}`, isAboutKey: false },
    );
}

function siliconflowBalance(currency: Currency): UsageReader {
  return (json) =>
    understand(SILICONFLOW, json, ({ code, message, data }) =>
      code === 20_000 ? money(data?.totalBalance, currency) : { refusal: message || `code ${code}`, isAboutKey: false },
    );
}

/** The balance of the account. What is left of a Step Plan is shown in the console only. */
function stepfunBalance(currency: Currency): UsageReader {
  return (json) =>
    understand(STEPFUN, json, ({ balance }) => money(balance, currency, "balance outside the Step Plan"));
}

type Currency = "USD" | "CNY";

const BALANCE = "balance";

const DEEPSEEK = v.object({
  is_available: v.boolean(),
  balance_infos: v.pipe(
    v.array(v.object({ currency: v.picklist(["USD", "CNY"]), total_balance: AMOUNT })),
    v.minLength(1),
  ),
});

const MOONSHOT = v.object({
  code: v.number(),
  data: v.nullish(v.object({ available_balance: AMOUNT })),
  scode: v.nullish(v.string()),
});

const SILICONFLOW = v.object({
  code: v.number(),
  message: v.nullish(v.string()),
  data: v.nullish(v.object({ totalBalance: AMOUNT })),
});

const STEPFUN = v.object({ object: v.literal("account"), balance: AMOUNT });

function money(amount: number | undefined, currency: Currency, label = BALANCE): UsageReading {
  return amount === undefined
    ? { unclear: "data is missing" }
    : { figures: [{ kind: "balance", label, amount, currency }] };
}

/**
 * The windows of a Kimi Code plan. Answers have them up to three times: as counts of the week, as counts of other windows,
 * and since September 2026 as ratios. Where they contradict each other, as some answers do, none of them counts.
 */
function readKimiQuota(json: unknown, now: number): UsageReading {
  return understand(KIMI, json, ({ usage, limits, usages }) => {
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

const KIMI = v.object({
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

/** "empty" for an account that has ratios only: the limit of its counts is 0. */
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

/**
 * The windows of a MiniMax Token Plan, by their percentages alone: "usage_count" is what remains in some versions of this
 * API, and what is used in others.
 */
function readMinimaxQuota(json: unknown, now: number): UsageReading {
  return understand(MINIMAX, json, ({ base_resp: base, model_remains: rows }) => {
    if (base && base.status_code !== 0) {
      return {
        refusal: base.status_msg || `code ${base.status_code}`,
        isAboutKey: MINIMAX_KEY_CODES.includes(base.status_code),
      };
    }
    const row = (rows ?? []).find(({ model_name }) => model_name === "general");
    if (row === undefined) return { unclear: "it has no row for text models" };
    return understand(MINIMAX_ROW, row, (general) => {
      const [left, weekLeft] = [general.current_interval_remaining_percent, general.current_weekly_remaining_percent];
      const [status, weekStatus] = [
        general.current_interval_status ?? ACTIVE,
        general.current_weekly_status ?? NO_LIMIT,
      ];
      const windows = [
        ...(status === NO_LIMIT ? [] : [minimaxWindow(5, status, left, general.end_time)]),
        ...(weekStatus === NO_LIMIT ? [] : [minimaxWindow(WEEK, weekStatus, weekLeft, general.weekly_end_time)]),
      ];
      if (windows.length === 0) return { unclear: "it names no limit" };
      const figures = windows.map((window) => window && quotaWindow(window, now));
      if (figures.includes(undefined)) return { unclear: "its percentages, states and times contradict each other" };
      return { figures: figures.filter((figure) => figure !== undefined) };
    });
  });
}

/** Authentication fails; the key is invalid. */
const MINIMAX_KEY_CODES = [1004, 2049];

const ACTIVE = 1;
const USED_UP = 2;
const NO_LIMIT = 3;
const STATUS = v.nullish(v.picklist([ACTIVE, USED_UP, NO_LIMIT]));

const MINIMAX = v.object({
  base_resp: v.nullish(v.object({ status_code: v.number(), status_msg: v.nullish(v.string()) })),
  model_remains: v.nullish(v.array(v.looseObject({ model_name: v.string() }))),
});

const MINIMAX_ROW = v.object({
  current_interval_remaining_percent: v.nullish(PERCENT),
  current_interval_status: STATUS,
  end_time: v.nullish(EPOCH_MS),
  current_weekly_remaining_percent: v.nullish(PERCENT),
  current_weekly_status: STATUS,
  weekly_end_time: v.nullish(EPOCH_MS),
});

/** Undefined if there is no percentage, or one that contradicts the status. */
function minimaxWindow(hours: number, status: number, left: number | null | undefined, end: number | null | undefined) {
  if (typeof left !== "number" || (status === USED_UP && left > 0)) return undefined;
  return { hours, usedPercent: 100 - left, resetsAt: end ?? undefined };
}

/** The limit of an OpenRouter key, or what was spent with it. Only a management key may ask for the account's balance. */
function readOpenrouterKey(json: unknown, now: number): UsageReading {
  return understand(OPENROUTER, json, ({ data }) => {
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

const OPENROUTER = v.object({
  data: v.object({
    limit: v.nullable(v.pipe(v.number(), v.finite())),
    limit_remaining: v.nullable(v.pipe(v.number(), v.finite())),
    limit_reset: v.nullish(v.picklist(["daily", "weekly", "monthly"])),
    usage: v.pipe(v.number(), v.finite(), v.minValue(0)),
  }),
});

const RESET_HOURS = { daily: 24, weekly: WEEK, monthly: MONTH } as const;

function limitFigure(used: number, reset: keyof typeof RESET_HOURS | null | undefined, now: number): UsageFigure {
  const resetsAt = reset ? nextReset(reset, now) : undefined;
  const window = reset ? quotaWindow({ hours: RESET_HOURS[reset], usedPercent: used, resetsAt }, now) : undefined;
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
function nextReset(reset: keyof typeof RESET_HOURS, now: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (reset === "monthly") return Date.UTC(year, month + 1, 1);
  return Date.UTC(year, month, day + (reset === "daily" ? 1 : (8 - date.getUTCDay()) % 7 || 7));
}

/** The windows of a GLM Coding Plan: of tokens or, in newer plans, of credits, and of web tools in older ones. */
function readZaiQuota(json: unknown, now: number): UsageReading {
  return understand(ZAI, json, ({ code, msg, data }) => {
    if (code !== undefined && code !== 200) {
      return { refusal: msg ?? `code ${code}`, isAboutKey: code === 401 || ZAI_KEY_CODES.includes(code) };
    }
    const known = (data?.limits ?? []).filter(({ type }) => ZAI_TYPES.includes(type));
    if (known.length === 0) return { unclear: "it names no limit of a kind that ccc knows" };
    return understand(v.array(ZAI_LIMIT), known, (limits) => {
      const windows = limits.map((limit) => zaiWindow(limit, now));
      const wrong = windows.indexOf(undefined);
      if (wrong !== -1) return { unclear: `the figures of limit ${wrong + 1} contradict each other` };
      return { figures: windows.filter((window) => window !== undefined) };
    });
  });
}

const ZAI_TOOLS = "TIME_LIMIT";
const ZAI_TYPES = ["TOKENS_LIMIT", "CREDIT_LIMIT", ZAI_TOOLS];

/** Authentication fails, or the key is missing, expired or not allowed. */
const ZAI_KEY_CODES = [1000, 1001, 1002, 1003, 1004];

const ZAI = v.object({
  code: v.optional(v.number()),
  msg: v.optional(v.string()),
  data: v.nullish(v.object({ limits: v.array(v.looseObject({ type: v.string() })) })),
});

const ZAI_LIMIT = v.object({
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

/** The hours in each unit of a limit. */
const ZAI_UNIT_HOURS = { 3: 1, 5: MONTH, 6: WEEK } as const;

function zaiWindow(limit: v.InferOutput<typeof ZAI_LIMIT>, now: number): QuotaWindow | undefined {
  if (!isConsistent(limit)) return undefined;
  const hours = ZAI_UNIT_HOURS[limit.unit] * limit.number;
  const window = quotaWindow({ hours, usedPercent: limit.percentage, resetsAt: limit.nextResetTime ?? undefined }, now);
  if (window === undefined || limit.type !== ZAI_TOOLS) return window;
  return { ...window, name: "tools", label: `web tools, ${window.label}` };
}

/** The server truncates or rounds the percentage, and lets a little more than the limit be used. */
function isConsistent({ percentage, usage, currentValue, remaining }: v.InferOutput<typeof ZAI_LIMIT>): boolean {
  if (!usage) return true;
  if (typeof remaining === "number" && remaining > usage) return false;
  if (typeof currentValue !== "number") return true;
  return Math.abs(Math.min(100, (currentValue / usage) * 100) - percentage) <= 1.5;
}
