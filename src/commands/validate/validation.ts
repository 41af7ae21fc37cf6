/** The result of testing a provider. Names are stable: scripts may rely on them. */
export interface Validation {
  readonly status: "valid" | "invalid" | "unchecked";
  readonly cause: Cause;
  readonly detail: string;
  /** What to do; empty if nothing. */
  readonly advice: string;
}

export type Cause =
  | "answered"
  | "incomplete" // only with --deep: it answers, but lacks something that Claude Code needs
  | "rate_limited" // valid: the key works, only its quota is used up for now
  | "uses_login" // not checked
  | "other_route" // not checked: a cloud's own API
  | "configuration" // no request was made: ccc.json or a referenced key is wrong
  | "unreachable"
  | "redirected"
  | "wrong_path"
  | "not_anthropic"
  | "key_refused"
  | "model_unknown"
  | "out_of_credit"
  | "request_refused"
  | "server_error";

export function valid(cause: Cause, detail: string, advice = ""): Validation {
  return { status: "valid", cause, detail, advice };
}

export function invalid(cause: Cause, detail: string, advice: string): Validation {
  return { status: "invalid", cause, detail, advice };
}

export function unchecked(cause: Cause, detail: string): Validation {
  return { status: "unchecked", cause, detail, advice: "" };
}
