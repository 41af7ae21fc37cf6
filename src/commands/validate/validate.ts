/** One small request with a provider's key, and what the answer means. */

import { type ApiRequest, apiRequest } from "../../claude/api.ts";
import { cloudOf, isOn } from "../../claude/connection.ts";
import { rejectedKey } from "../../claude/failures.ts";
import { modelsIn } from "../../claude/models.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { errno } from "../../errors.ts";
import type { Identity } from "../../providers/identity.ts";
import { PRESETS, presetEnv } from "../../providers/preset-list.ts";
import { USAGE_SOURCES, usageUrl } from "../../providers/quota/sources.ts";
import { resolvedIdentity, resolveKeys, withResolvedEnv } from "../../providers/references.ts";
import { kindOf, TOKENS } from "../../providers/variables.ts";
import { asObject, parseJson } from "../../text/json.ts";
import { MASK, SHORTEST_SECRET, secretsIn, withoutUrlSecrets } from "../../text/redact.ts";
import type { Fetch, World } from "../../world.ts";
import { currentLaunch } from "../arguments.ts";

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

export const TIMEOUT_MS = 15_000;

/**
 * Tests a provider with one small request like Claude Code's. References and key helpers must be resolved before.
 */
export async function validateProvider({ env }: Identity, fetch: Fetch, timeoutMs = TIMEOUT_MS): Promise<Validation> {
  const other = otherRoute(env);
  if (other !== undefined) return unchecked("other_route", `not checked: with ${other} Claude Code uses another API`);
  if (!env.ANTHROPIC_AUTH_TOKEN && !env.ANTHROPIC_API_KEY) {
    return unchecked("uses_login", "not checked: uses your Claude login");
  }
  return (await askServer(apiRequest(env, testedModel(env)), env, fetch, { timeoutMs })).found;
}

/** The model that a provider is tested with: its main one. */
export function testedModel(env: Identity["env"]): string {
  return modelsIn(env).requested(presetModel(env.ANTHROPIC_BASE_URL));
}

function presetModel(baseUrl: string | undefined): string | undefined {
  const preset = PRESETS.find((each) => each.baseUrl !== undefined && each.baseUrl === baseUrl);
  return preset === undefined ? undefined : modelsIn(presetEnv(preset)).requested();
}

/** Variables that bypass the Messages API: a cloud, including clouds that ccc does not know yet, or a socket. */
export function otherRoute(env: Identity["env"]): string | undefined {
  if (env.ANTHROPIC_UNIX_SOCKET) return "ANTHROPIC_UNIX_SOCKET";
  const isSwitch = (name: string) => name.startsWith("CLAUDE_CODE_USE_") && kindOf(name) !== undefined;
  return cloudOf(env)?.variable ?? Object.keys(env).find((name) => isSwitch(name) && isOn(env[name] ?? ""));
}

/** What a launch on this provider would send, with references and key helpers resolved. */
export async function requestIdentity(loaded: LoadedConfig, provider: string, world: World): Promise<Identity> {
  const resolved = await withResolvedEnv(loaded, [provider], world);
  const identity = await resolvedIdentity(currentLaunch(world, resolved, provider), world);
  const own = loaded.providers.get(provider) ?? {};
  const model = own.model ?? loaded.config.settings?.model;
  const env: Record<string, string> = { ...identity.env };
  if (typeof model === "string") env.ANTHROPIC_MODEL ||= model;
  if (identity.apiKeyHelper === "")
    return { ...identity, env: inBothHeaders(env, env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_API_KEY || "") };
  const field = own.apiKeyHelper === undefined ? "settings.apiKeyHelper" : `providers.${provider}.apiKeyHelper`;
  const [key = ""] = await resolveKeys([{ reference: `cmd:${identity.apiKeyHelper}`, field }], world);
  return { env: inBothHeaders(env, key), apiKeyHelper: "" };
}

/** Claude Code sends what a helper prints in both headers, unless a variable sets one of them. */
function inBothHeaders(env: Readonly<Record<string, string>>, key: string): Record<string, string> {
  const both: Record<string, string> = { ...env };
  for (const name of TOKENS) both[name] ||= key;
  return both;
}

/** The result of a request. */
export interface Asked {
  /** Undefined if the server did not answer. */
  readonly answer: Answer | undefined;
  /** What the answer, or its absence, means for a Messages API. */
  readonly found: Validation;
  /** Prepares a text of the server for the terminal: one line, not too long, without any part of a key. */
  readonly clean: (text: string) => string;
}

export interface Answer {
  readonly status: number;
  /** The target of a redirect, or empty. */
  readonly location: string;
  /** The beginning of it, if it is long. */
  readonly body: string;
  /** The error that the body states, clean; empty if none. */
  readonly error: string;
}

/** Sends one request with a provider's key and judges the answer, or why there is none. */
export async function askServer(
  { url, headers, body, model = "" }: Pick<ApiRequest, "url" | "headers"> & Partial<ApiRequest>,
  env: Readonly<Record<string, string>>,
  fetch: Fetch,
  { timeoutMs, longest = ENOUGH_CHARACTERS }: { readonly timeoutMs: number; readonly longest?: number },
): Promise<Asked> {
  const base = shownBase(url);
  const secrets = secretsIn(env);
  const clean = (text: string) => cleanWords(text, secrets);
  const proxy = proxyOf(env, url);
  try {
    const response = await fetch(url, {
      headers,
      ...(body === undefined ? {} : { method: "POST", body }),
      // A redirect would send the key to a server that the user did not choose.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      ...(proxy === undefined ? {} : { proxy }),
    });
    const { status } = response;
    const text = await beginning(response, longest);
    const reading = readBody(text);
    const location = clean(shownBase(response.headers.get("location") ?? ""));
    const error = reading.kind === "error" ? clean(reading.message) : "";
    const answer = { status, location, body: text, error };
    return { answer, found: judge(answer, reading, { base, model }), clean };
  } catch (error) {
    return { answer: undefined, found: noAnswer(error, base, timeoutMs), clean };
  }
}

const ENOUGH_CHARACTERS = 65_536;

/** The base URL of a request, without secrets. */
function shownBase(url: string): string {
  return withoutUrlSecrets(url.replace(/\/v1\/messages\?beta=true$/, "").replace(/[?#].*$/, ""));
}

/** A page may be huge, and a stream may never end. */
async function beginning(response: Response, longest: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= longest) break;
  }
  return text;
}

/** The provider's own proxy. fetch already uses the shell's. */
function proxyOf(env: Readonly<Record<string, string>>, url: string): string | undefined {
  const names = url.startsWith("https:") ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  return names.map((name) => env[name]).find((value) => value);
}

interface Question {
  /** The base URL without secrets. */
  readonly base: string;
  readonly model: string;
}

function judge(answer: Answer, reading: Reading, asked: Question): Validation {
  const { status } = answer;
  if (status >= 300 && status < 400) return redirected(answer, asked);
  if (reading.kind === "error") return judgeError(reading, answer, asked);
  if (status === 200 && reading.kind === "message")
    return valid("answered", `${asked.base} answered as ${asked.model}`);
  if (status === 200 && reading.kind === "openai") {
    return invalid(
      "not_anthropic",
      `${asked.base} answers in OpenAI's format, which Claude Code does not support`,
      "Use the provider's Anthropic-compatible address, or a gateway such as LiteLLM.",
    );
  }
  return judgeStatus(status, "", "", asked, reading);
}

function judgeError(reading: Extract<Reading, { kind: "error" }>, answer: Answer, asked: Question): Validation {
  const { status, error } = answer;
  // Some servers answer 200 and put the real status in the body.
  const actual = status < 300 ? (reading.status ?? (ABOUT_KEY.test(reading.message) ? 401 : undefined)) : status;
  if (actual === undefined && !/_error$/.test(reading.type)) return notAnthropic(reading, status, asked);
  return judgeStatus(actual ?? status, reading.type, error, asked, reading);
}

const ABOUT_KEY = /api.?key|\btoken\b|authenti|unauthori|令牌|身份/i;

function judgeStatus(status: number, type: string, message: string, asked: Question, reading: Reading): Validation {
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
    const { what, advice } = rejectedKey(base, status, message);
    return invalid("key_refused", what, advice);
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

function redirected({ status, location }: Answer, { base }: Question): Validation {
  const where = `${base} redirects to ${location || "another address"} (status ${status})`;
  const own = URL.parse(base)?.host;
  if (own === undefined || URL.parse(location, base)?.host === own) {
    return invalid(
      "redirected",
      `${where}; the key was not sent there`,
      "If you trust that address, set ANTHROPIC_BASE_URL to it.",
    );
  }
  return invalid(
    "redirected",
    `${where}, another server. ccc did not send your key there; Claude Code would`,
    "If you trust that server, set ANTHROPIC_BASE_URL to it. If you do not, do not start this provider.",
  );
}

/** What a body is, regardless of the status. */
type Reading =
  | { readonly kind: "message" }
  | { readonly kind: "openai" }
  | { readonly kind: "page" }
  | { readonly kind: "error"; readonly type: string; readonly message: string; readonly status: number | undefined }
  | { readonly kind: "other" };

function readBody(body: string): Reading {
  const text = body.trim();
  if (/^(event|data):.*message_start/m.test(text)) return { kind: "message" };
  if (/^data:.*"chat\.completion/m.test(text)) return { kind: "openai" };
  if (/^<(!doctype|html|head|body|\?xml)/i.test(text)) return { kind: "page" };
  const json = asObject(parseJson(text));
  if (json.type === "message" && Array.isArray(json.content)) return { kind: "message" };
  if (Array.isArray(json.choices) || String(json.object ?? "").startsWith("chat.completion")) return { kind: "openai" };
  return readError(json) ?? { kind: "other" };
}

/** Errors in Anthropic's format, in OpenAI's, and with a code and message at the top level. */
function readError(json: Readonly<Record<string, unknown>>): Reading | undefined {
  const error = asObject(json.error);
  const message = [error.message, json.error, json.message, json.msg, json.detail].find(
    (each) => typeof each === "string",
  );
  if (typeof message !== "string") return undefined;
  const type = [error.type, error.code, json.code].filter((each) => each !== undefined && each !== null).join(" ");
  const code = Number(json.code ?? error.code);
  return { kind: "error", type, message, status: code >= 400 && code < 600 ? code : undefined };
}

/** Why a request had no answer. */
function noAnswer(error: unknown, base: string, timeoutMs: number): Validation {
  if (error instanceof Error && /invalid value/.test(error.message)) {
    return invalid(
      "configuration",
      "the key contains invalid characters, such as a line break or typographic quotes",
      "Copy the key again.",
    );
  }
  return fetchProblem(error, base, timeoutMs);
}

/** Explains an error of fetch. Its own message is not shown, because it may contain secrets of the URL. */
function fetchProblem(error: unknown, base: string, timeoutMs: number): Validation {
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return failed(`did not answer within ${timeoutMs / 1000} seconds`, "Try again, or allow more time: --timeout 60");
  }
  const code = errno(error) ?? "";
  if (code === "ECONNREFUSED") {
    return failed(
      "refuses the connection: nothing is listening there",
      isWellKnown(base)
        ? CONNECTION
        : "Start that server, or fix the address or port. If HTTPS_PROXY is set, the proxy may be the one that is down.",
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code.startsWith("DNS")) {
    return failed("cannot be found (DNS)", isWellKnown(base) ? CONNECTION : "Check the spelling and your connection.");
  }
  if (code.startsWith("ERR_PROXY")) {
    return failed("is blocked by the proxy", "Fix HTTPS_PROXY, or set NO_PROXY to the name of that server.");
  }
  if (code === "EPROTO") {
    return failed("does not speak TLS", "Check the port, and whether the address should begin with http://");
  }
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE/.test(code)) {
    return failed(
      `has an untrusted certificate (${code})`,
      "Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate. Otherwise do not use this address.",
    );
  }
  if (code === "ECONNRESET") {
    return failed(
      "closed the connection without an answer",
      isWellKnown(base) ? CONNECTION : "Check the port and your proxy.",
    );
  }
  const advice = isWellKnown(base) ? CONNECTION : "Check the address and your connection.";
  return failed(`could not be reached${code === "" ? "" : ` (${code})`}`, advice);

  function failed(what: string, advice: string): Validation {
    return invalid("unreachable", `${base} ${what}`, advice);
  }
}

const CONNECTION = "Check your connection. If HTTPS_PROXY is set, the proxy may be the one that is down.";

/** Whether a preset has this address, so that a typo is ruled out. */
function isWellKnown(base: string): boolean {
  const known = [...PRESETS.map(({ baseUrl = "" }) => baseUrl), ...USAGE_SOURCES.map(usageUrl)];
  const origin = URL.parse(base)?.origin;
  return known.some((url) => url.startsWith("https:") && URL.parse(url)?.origin === origin);
}

function cleanWords(text: string, secrets: readonly string[]): string {
  const line = withoutUrlSecrets(Bun.stripANSI(text)).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
  const words = line.split(" ").map((word) => (secrets.some((secret) => leaks(word, secret)) ? MASK : word));
  const clean = words.join(" ").trim();
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean;
}

const LONGEST = 300;

/** Whether a word contains enough consecutive characters of a key to be a leak. */
function leaks(word: string, secret: string): boolean {
  for (let at = 0; at + SHORTEST_SECRET <= secret.length; at++) {
    if (word.includes(secret.slice(at, at + SHORTEST_SECRET))) return true;
  }
  return false;
}

function valid(cause: Cause, detail: string, advice = ""): Validation {
  return { status: "valid", cause, detail, advice };
}

function invalid(cause: Cause, detail: string, advice: string): Validation {
  return { status: "invalid", cause, detail, advice };
}

function unchecked(cause: Cause, detail: string): Validation {
  return { status: "unchecked", cause, detail, advice: "" };
}
