/** What came of asking a provider. The names are stable: scripts may look for them. */
export interface Validation {
  readonly status: "valid" | "invalid" | "unchecked";
  readonly cause: Cause;
  /** What was seen, in a sentence. */
  readonly detail: string;
  /** What to do, where there is something to do. */
  readonly advice: string;
}

export type Cause =
  | "answered"
  | "rate_limited" // valid: the key is known, only its quota is used up for now
  | "uses_login" // not checked
  | "other_route" // not checked: a cloud's own interface
  | "configuration" // nothing was asked, because ccc.json or a key that it refers to is not right
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
