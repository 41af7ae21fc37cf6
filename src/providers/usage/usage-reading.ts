import * as v from "valibot";

/** How much of a quota is used up. The shapes here are also those of `ccc usage --json` and of the file that keeps them. */
export interface QuotaWindow {
  readonly kind: "window";
  /** "5h", "week", "month", …; "tools" for one that counts web tools instead of the model. */
  readonly name: string;
  readonly label: string;
  /** Its length; null for a limit without one. */
  readonly hours: number | null;
  readonly used_percent: number;
  readonly resets_at: string | null;
}

/** Money that is left ("balance"), or that was spent where there is no limit ("spent"). */
export interface Money {
  readonly kind: "balance" | "spent";
  readonly label: string;
  readonly amount: number;
  readonly currency: string;
}

export type UsageFigure = QuotaWindow | Money;

/** What a provider's answer means. One that cannot be read for certain is unclear: no number is better than a wrong one. */
export type UsageReading =
  | { readonly figures: readonly UsageFigure[] }
  /** The server refuses in words, although the status of its answer is a success. */
  | { readonly refusal: string; readonly isAboutKey: boolean }
  | { readonly unclear: string };

/** Reads a provider's JSON. `now` is in milliseconds since 1970. */
export type UsageReader = (json: unknown, now: number) => UsageReading;

export function understand<Schema extends v.GenericSchema>(
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
export const AMOUNT = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+(\.\d+)?$/), v.transform(Number))]),
  v.finite(),
);
export const PERCENT = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
/** A time as a string, in milliseconds since 1970. */
export const ISO_TIME = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
  v.transform((text) => Date.parse(text)),
  v.number(),
);
/** One in seconds would be in 1970. */
export const EPOCH_MS = v.pipe(v.number(), v.integer(), v.minValue(1.5e12), v.maxValue(4e12));

export interface SeenWindow {
  readonly hours: number;
  readonly usedPercent: number;
  readonly resetsAt: number | undefined;
}

export const WEEK = 7 * 24;
export const MONTH = 30 * 24;

/** Undefined if a window of this length cannot reset at this time: then one of the two means something else. */
export function quotaWindow({ hours, usedPercent, resetsAt }: SeenWindow, now: number): QuotaWindow | undefined {
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
