import { type Answer, type Reading, readBody } from "./answer.ts";
import { cleanWords } from "./clean.ts";
import { invalid, type Validation, valid } from "./validation.ts";

export interface Question {
  /** The base URL without secrets. */
  readonly base: string;
  readonly model: string;
  /** Not to be shown, even if the server repeats them. */
  readonly secrets: readonly string[];
}

export function classify(answer: Answer, asked: Question): Validation {
  const { status } = answer;
  if (status >= 300 && status < 400) return redirected(answer, asked);
  const reading = readBody(answer.body);
  if (reading.kind === "error") return classifyError(reading, status, asked);
  if (status === 200 && reading.kind === "message")
    return valid("answered", `${asked.base} answered as ${asked.model}`);
  if (status === 200 && reading.kind === "openai") {
    return invalid(
      "not_anthropic",
      `${asked.base} answers in OpenAI's format, which Claude Code does not support`,
      "Use the provider's Anthropic-compatible address, or a gateway such as LiteLLM.",
    );
  }
  return classifyStatus(status, "", "", asked, reading);
}

function classifyError(error: Extract<Reading, { kind: "error" }>, status: number, asked: Question): Validation {
  // Some servers answer 200 and put the real status in the body.
  const told = status < 300 ? (error.status ?? (ABOUT_KEY.test(error.message) ? 401 : undefined)) : status;
  if (told === undefined && !/_error$/.test(error.type)) return notAnthropic(error, status, asked);
  return classifyStatus(told ?? status, error.type, cleanWords(error.message, asked.secrets), asked, error);
}

const ABOUT_KEY = /api.?key|\btoken\b|authenti|unauthori|令牌|身份/i;

function classifyStatus(status: number, type: string, message: string, asked: Question, reading: Reading): Validation {
  const { base, model } = asked;
  const said = message === "" ? `status ${status}` : `status ${status}, "${message}"`;
  const words = `${type} ${message}`;
  if (status === 402 || type.startsWith("billing_error") || NO_CREDIT.test(words)) {
    return invalid(
      "out_of_credit",
      `${base} accepts the key, but the account has no credit (${said})`,
      "Add credit or a plan at the provider.",
    );
  }
  if (status === 407)
    return invalid("unreachable", `the proxy on the way to ${base} requires a password`, "Fix HTTPS_PROXY.");
  if (status === 403 && reading.kind === "page") {
    return invalid(
      "not_anthropic",
      `a web page answers instead of ${base} (${said}): a firewall, a proxy, or a regional block`,
      "Open the address in a browser to see what it says.",
    );
  }
  if (status === 401 || status === 403 || /^(authentication|permission)_error/.test(type)) {
    return invalid(
      "key_refused",
      `${base} rejects the key (${said})`,
      "Check that the key is complete, not expired, and made for this address: keys are often bound to a region or plan.",
    );
  }
  if (status === 429 || type.startsWith("rate_limit_error")) {
    return valid(
      "rate_limited",
      `${base} accepts the key, but is rate limiting it right now (${said})`,
      "Wait a while.",
    );
  }
  if (isAboutModel(status, type, message, model)) {
    return invalid(
      "model_unknown",
      `${base} has no model "${model}" for this key (${said})`,
      "Set ANTHROPIC_MODEL, or the models of the roles, to a model from the provider's list.",
    );
  }
  if (status === 404 || status === 405) {
    return invalid(
      "wrong_path",
      `no Messages API at ${base}/v1/messages (${said})`,
      "Fix the path of ANTHROPIC_BASE_URL: Claude Code appends /v1/messages. It often ends in /anthropic.",
    );
  }
  if (status >= 500 || /^(overloaded|api)_error/.test(type)) {
    return invalid(
      "server_error",
      `${base} has an internal error (${said})`,
      "Try again in a minute; the key may be fine.",
    );
  }
  if (message === "") return notAnthropic(reading, status, asked);
  return invalid(
    "request_refused",
    `${base} rejects the request (${said})`,
    "Look up that message in the provider's documentation.",
  );
}

const NO_CREDIT =
  /insufficient.?(balance|credit|fund|quota)|credit balance|exceeded_current_quota|out of credit|no resource package|arrears|余额|欠费/i;

function isAboutModel(status: number, type: string, message: string, model: string): boolean {
  if (status !== 404 && status !== 400 && status !== 422) return false;
  if (/model_not_found|invalid_model/.test(type)) return true;
  if (message.includes(model) || /\bmodels?\b|模型/i.test(message)) return status === 404 || DENIES.test(message);
  // Anthropic's own API answers an unknown path with just "Not found".
  return type.startsWith("not_found_error") && !/^not.?found\.?$/i.test(message.trim());
}

const DENIES =
  /not (found|exist|supported|available|allowed|a valid)|n[o']t (exist|support)|unknown|invalid|unsupported|no such|no access|不存在/i;

function notAnthropic(reading: Reading, status: number, { base }: Question): Validation {
  const what = reading.kind === "page" ? "a web page" : "something other than a model's message";
  return invalid(
    "not_anthropic",
    `${base} answers with ${what} (status ${status}): this is not an Anthropic API`,
    "Check ANTHROPIC_BASE_URL against the provider's instructions for Claude Code.",
  );
}

function redirected({ status, location }: Answer, { base, secrets }: Question): Validation {
  return invalid(
    "redirected",
    `${base} redirects to ${cleanWords(location, secrets) || "another address"} (status ${status}); the key was not sent there`,
    "If you trust that address, set ANTHROPIC_BASE_URL to it.",
  );
}
