import { asObject, parseJson } from "../text/json.ts";
import { resetTime } from "./reset-time.ts";

/** Why an API did not answer. */
export type ApiFailureKind =
  /** The key, or its rights. */
  | "refused"
  /** A plan's allowance is used up, and returns by itself. */
  | "usage limit"
  /** Nothing works before the user pays. */
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

/**
 * What an error of the API means. The status alone does not say: Kimi's weekly limit is a 403, and MiniMax reports an
 * empty account as a 500. `text` is the message, as Claude Code shows it, and the error's type if there is one. Older
 * versions of Claude Code give the status only in the text.
 */
export function classifyFailure(
  { status, text }: { readonly status?: number | undefined; readonly text: string },
  now: Date,
): ApiFailure {
  const known = status ?? statusIn(text);
  const kind = kindOf(known, text);
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

/** The server's own message in an error, without what Claude Code adds. */
export function serverWords(text: string): string {
  const body = text
    .replace(/^.*?API Error: /s, "")
    .replace(STATUS, "")
    .replace(ADDED, "");
  const { error, message } = asObject(parseJson(body));
  const told = asObject(error).message ?? message;
  return (typeof told === "string" ? told : body).replaceAll(/\s+/g, " ").trim();
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

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "i");
}
