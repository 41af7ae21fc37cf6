/** Why a request to an API failed, and when to try again. */
import type { ChildResult } from "../os/child.ts";
import { asObject, parseJson } from "../text/json.ts";
import type { StreamResult } from "./stream.ts";

/** Why an API did not answer. */
export type ApiFailureKind =
  /** The key, or its rights. */
  | "refused"
  /** A plan's quota is used up, and resets by itself. */
  | "usage limit"
  /** The account is empty: the user has to pay. */
  | "no credit"
  /** Too many requests at once. */
  | "rate limit"
  | "server error"
  | "unreachable"
  | "other";

export interface ApiFailure {
  readonly kind: ApiFailureKind;
  /** The HTTP status, if one is known. */
  readonly status: number | undefined;
  /** When to try again, if the text says so. */
  readonly resetAt: Date | undefined;
}

/** What Claude Code says about an error of the API. */
interface ReportedFailure {
  /** Undefined in older versions, which give it in the text alone. */
  readonly status?: number | undefined;
  /** The message that Claude Code shows, and the error's type if there is one. */
  readonly text: string;
  /** Whether Claude Code calls it a rate limit. That counts only if status and text say nothing else. */
  readonly isRateLimit?: boolean;
}

/**
 * What an error of the API means. The status alone does not say: Kimi's weekly limit is a 403, and MiniMax reports an
 * empty account as a 500.
 */
export function classifyFailure({ status, text, isRateLimit = false }: ReportedFailure, now: Date): ApiFailure {
  const known = status ?? statusIn(text);
  const found = kindOf(known, text);
  const kind = found === "other" && isRateLimit ? "rate limit" : found;
  const isTemporary = kind === "usage limit" || kind === "rate limit";
  return { kind, status: known, resetAt: isTemporary ? resetTime(text, now) : undefined };
}

function statusIn(text: string): number | undefined {
  const found = /\bAPI Error: (?:Request rejected \()?([45]\d\d)\b/.exec(text) ?? /^([45]\d\d) \{/.exec(text.trim());
  return found === null ? undefined : Number(found[1]);
}

function kindOf(status: number | undefined, text: string): ApiFailureKind {
  if (NO_CREDIT.test(text)) return "no credit";
  if (USAGE_LIMIT.test(text)) return "usage limit";
  if (status === 402) return "no credit";
  if (status === 401 || status === 403) return "refused";
  if (status === 429 || RATE_LIMIT.test(text)) return "rate limit";
  if (status === 407) return "unreachable";
  if (status !== undefined) return status >= 500 ? "server error" : "other";
  if (REFUSED.test(text)) return "refused";
  if (OVERLOADED.test(text)) return "server error";
  return UNREACHABLE.test(text) ? "unreachable" : "other";
}

/** Whether a run ended because its session is longer than the model allows. Providers word it in their own ways. */
export function isTooLong({ isError, answer, errors, status }: StreamResult): boolean {
  if (!isError || (status !== undefined && status !== 400 && status !== 413)) return false;
  const text = [typeof answer === "string" ? answer : "", ...errors].join("\n");
  return status === 413 || (TOO_LONG.test(text) && !OTHER_LIMIT.test(text));
}

/**
 * How long after the reset of a claude.ai limit Claude Code may take to continue a session in a terminal by itself, in
 * seconds. It does so about a minute later, unless the user has switched that off (`autoContinueAtUsageLimit`).
 */
export const OWN_CONTINUATION_SECONDS = 180;

/** A server that rejects a key: what happened, and what to do. `status` and `words` are the server's. */
export function rejectedKey(server: string, status: number, words: string) {
  const said = words === "" ? `status ${status}` : `status ${status}, "${words}"`;
  return {
    what: `${server} rejects the key (${said})`,
    advice:
      "Check that the key is complete, not expired, and made for this address: keys are often bound to a region or plan.",
  };
}

/** The server's own message in an error, without what Claude Code adds. */
export function serverWords(text: string): string {
  const body = text
    .replace(/^.*?API Error: /s, "")
    .replace(STATUS, "")
    .replace(ADDED, "");
  const { error, message } = asObject(parseJson(body));
  const stated = asObject(error).message ?? message;
  return (typeof stated === "string" ? stated : body).replaceAll(/\s+/g, " ").trim();
}

const STATUS = /^(Request rejected \(\d{3}\) · |\d{3} )/;
const ADDED = /( · Please run \/login| This is a server-side issue, ).*$/s;

const NO_CREDIT = anyOf(
  "insufficient.?(account.?)?(balance|credit|fund)",
  "balance is (insufficient|too low|not enough)",
  "credit balance|out of credits?|more credits|credits are required|extra usage is required",
  "exceeded_current_quota|exceeded your current quota",
  "no resource package|in arrears|overdue|billing_error",
  "余额|欠费|充值",
);

const USAGE_LIMIT = anyOf(
  "usage.?limit",
  "hit your [\\w -]{0,30}limit",
  "\\b(\\d+.hour|daily|weekly|monthly)[\\w/ ]{0,20} limit",
  "quota[^.\\n]{0,40}(reset|refresh|exceed|exhaust|used|reached)",
  "exceed[^.\\n]{0,30}quota",
  "(free|requests)[\\w-]{0,20}-per-day",
  "limit will reset",
  "使用上限|(限额|额度|配额).{0,30}(重置|用尽|用完|耗尽|恢复|不足)",
);

const RATE_LIMIT = anyOf(
  "rate.?limit",
  "too many requests",
  "(reduce|high|max)[\\w ]{0,20}(concurrency|frequency)",
  "速率限制|频率|并发",
);
const REFUSED = anyOf(
  "invalid (api.?key|bearer|authentication|token)",
  "authentication.(error|failed)",
  "permission_error",
  "run /login",
  "not logged in",
  "(api.?key|token)[^.\\n]{0,40}(invalid|expired|revoked|incorrect)",
  "令牌|身份验证",
);
const OVERLOADED = anyOf("overloaded", "internal server error", "service.{0,20}unavailable", "bad gateway");
const UNREACHABLE = anyOf(
  "connection (error|refused|reset|closed|timed out)",
  "unable to connect|could not connect|cannot connect",
  "ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE",
  "fetch failed|socket|network error|timed out|certificate|getaddrinfo",
);

const TOO_LONG = anyOf(
  "prompt is too long",
  "(context|token|length|input)[^.\\n]{0,60}(exceed|too long|too large|limit)",
  "(exceed|too long|over)[^.\\n]{0,60}(context|tokens?\\b|length)",
  "maximum context",
  "上下文|最大长度|超出.{0,20}(长度|限制)",
);
const OTHER_LIMIT = /output tokens|rate.?limit|per minute|quota/i;

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "i");
}

/** When a limit ends, if an error's text says so and that time is in the future. */
function resetTime(text: string, now: Date): Date | undefined {
  const found = seconds(text) ?? timestamp(text) ?? clock(text, now) ?? duration(text, now);
  const isPlausible = found !== undefined && found > now.getTime() && found - now.getTime() < LONGEST_WAIT_MS;
  return isPlausible ? new Date(found) : undefined;
}

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;
/** No plan has a longer period. */
const LONGEST_WAIT_MS = 32 * DAY;

/** "Claude AI usage limit reached|1762952400", "X-RateLimit-Reset":"1762952400000" */
function seconds(text: string): number | undefined {
  const [, digits] = /(?:\||RateLimit-Reset\W{1,5}|resets?_at\W{1,5})(\d{10}(?:\d{3})?)(?!\d)/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * (digits.length === 10 ? SECOND : 1);
}

/** "resets at 2026-05-15T15:00:00Z", "将在 2026-08-25 07:41:44 重置" */
function timestamp(text: string): number | undefined {
  if (!/reset|refresh|重置|恢复|刷新/i.test(text)) return undefined;
  const found = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)?/.exec(text);
  if (found === null) return undefined;
  const [, date, time, rest = ":00", zone = CHINA] = found;
  const at = Date.parse(`${date}T${time}${rest}${zone === "UTC" ? "Z" : zone}`);
  return Number.isNaN(at) ? undefined : at;
}

/** GLM gives its times without a zone, in English too, and means this one. */
const CHINA = "+08:00";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const CLOCK = new RegExp(
  [
    "\\bresets?(?: at| on)? +",
    `(?:(${MONTHS.join("|")})[a-z]* +(\\d{1,2})(?:, *\\d{4})?,? +(?:at +)?)?`,
    "(\\d{1,2})(?::(\\d\\d))?(?: ?(am|pm))?(?: ?\\(([\\w/+-]+)\\)| (UTC|GMT))?",
  ].join(""),
  "i",
);

/** "resets 2:30pm (Europe/Berlin)", "resets Jul 11 at 12pm (Asia/Singapore)", "Resets at 10:00 UTC" */
function clock(text: string, now: Date): number | undefined {
  const found = CLOCK.exec(text);
  if (found === null) return undefined;
  const [, month, day, hours, minutes, half, named, utc] = found;
  if (half === undefined && minutes === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  const zone = named ?? utc;
  const today = wallClock(now.getTime(), zone);
  if (today === undefined) return undefined;
  const onDay = (add: number) => {
    const wanted = new Date(today);
    if (month !== undefined) wanted.setUTCMonth(MONTHS.indexOf(month.toLowerCase()), Number(day));
    wanted.setUTCHours(hour, Number(minutes ?? 0), 0, 0);
    if (month === undefined) wanted.setUTCDate(wanted.getUTCDate() + add);
    else wanted.setUTCFullYear(wanted.getUTCFullYear() + add);
    return instant(wanted.getTime(), zone);
  };
  const next = onDay(0);
  return next > now.getTime() ? next : onDay(1);
}

/** The time that a clock shows in a zone, as if it were UTC; by default in the zone of this machine. */
function wallClock(at: number, zone: string | undefined): number | undefined {
  try {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    return Date.parse(`${format.format(at).replace(" ", "T")}Z`);
  } catch {
    // Not the name of a zone.
    return undefined;
  }
}

/** When a clock in the zone shows this time. */
function instant(shown: number, zone: string | undefined): number {
  const offsetAt = (at: number) => (wallClock(at, zone) ?? at) - at;
  const close = shown - offsetAt(shown);
  return shown - offsetAt(close);
}

const UNITS = [
  ["d", DAY],
  ["天", DAY],
  ["h", 3_600 * SECOND],
  ["小", 3_600 * SECOND],
  ["m", 60 * SECOND],
  ["分", 60 * SECOND],
  ["s", SECOND],
  ["秒", SECOND],
] as const;

const UNIT = "(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\\b";
const DURATION = new RegExp(
  `(?:again|retry|resets?|wait)(?: in| after|-after)?:? *((?:\\d+ ?${UNIT}[, ]*(?:and )?)+)|((?:\\d+ ?(?:天|小时|分钟|秒钟?))+) ?[之以]?后`,
  "i",
);

/** "try again in 5 days 22 hours 11 minutes", "retry after 30s", "请 30 秒后重试" */
function duration(text: string, now: Date): number | undefined {
  const [, english, chinese] = DURATION.exec(text) ?? [];
  const parts = (english ?? chinese ?? "").matchAll(/(\d+) ?([a-z天小分秒])/gi);
  const waits = [...parts].map(
    ([, count, unit = ""]) => Number(count) * (UNITS.find(([name]) => name === unit.toLowerCase())?.[1] ?? 0),
  );
  return waits.length === 0 ? undefined : now.getTime() + waits.reduce((sum, each) => sum + each, 0);
}

/** Why a claude gave no result. Its last words are redacted before they are cut: half a key would not be recognized. */
export function noResult({ exitCode }: ChildResult, lastWords: string, clean: (text: string) => string): string {
  const code = exitCode === null ? "killed by a signal" : `exit code ${exitCode}`;
  const words = clean(lastWords).slice(-LONGEST_WORDS);
  return `claude exited without a result (${code})${words === "" ? "" : `: ${words}`}`;
}

const LONGEST_WORDS = 500;
