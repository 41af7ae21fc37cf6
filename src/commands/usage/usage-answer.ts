import type { UsageFigure } from "../../providers/usage/usage-reading.ts";

/** What asking a provider gave. Names are stable: scripts may rely on them. */
export interface UsageAnswer {
  /** "none": there is nothing that could be asked. */
  readonly status: "answered" | "failed" | "none";
  readonly cause: UsageCause;
  /** Empty if it answered. */
  readonly detail: string;
  /** What to do; empty if nothing. */
  readonly advice: string;
  readonly figures: readonly UsageFigure[];
}

export type UsageCause =
  | "answered"
  | "uses_login" // none
  | "other_route" // none: a cloud
  | "unknown_server" // none
  | "configuration" // no request was made: ccc.json or a referenced key is wrong
  | "unreachable"
  | "redirected"
  | "key_refused"
  | "rate_limited"
  | "gone" // nothing answers at this address any more
  | "refused"
  | "server_error"
  | "not_understood";

export function failed(cause: UsageCause, detail: string, advice: string): UsageAnswer {
  return { status: "failed", cause, detail, advice, figures: [] };
}

export function nothingToAsk(cause: UsageCause, detail: string): UsageAnswer {
  return { status: "none", cause, detail, advice: "", figures: [] };
}
