import { ANTHROPIC } from "../../claude/api-request.ts";
import type { Identity } from "../../providers/isolate.ts";
import { type UsageSource, usageSource, usageUrl } from "../../providers/usage/usage-sources.ts";
import { parseJson } from "../../text/json.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { secretsIn } from "../../text/redact.ts";
import type { World } from "../../world.ts";
import { type Answer, readBody } from "../validate/answer.ts";
import { askServer } from "../validate/ask-server.ts";
import { cleanWords } from "../validate/clean.ts";
import { noAnswer, otherRoute } from "../validate/validate.ts";
import { failed, nothingToAsk, type UsageAnswer } from "./usage-answer.ts";

/** Asks a provider what is left, with its own key and at its own host. References must be resolved before. */
export async function askUsage(
  name: string,
  { env }: Identity,
  { fetch, now, version }: Pick<World, "fetch" | "now" | "version">,
  timeoutMs: number,
): Promise<UsageAnswer> {
  const other = otherRoute(env);
  if (other !== undefined) return nothingToAsk("other_route", `with ${other} a cloud does the billing: look there`);
  const key = env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_API_KEY || "";
  if (key === "")
    return nothingToAsk("uses_login", "a Claude login has no quota that ccc could ask for: see /usage in Claude Code");
  const base = env.ANTHROPIC_BASE_URL || ANTHROPIC;
  const source = usageSource(base);
  if (source === undefined) return nothingToAsk("unknown_server", `ccc does not know how to ask ${shown(base)}`);
  const url = usageUrl(source);
  // The provider's own headers are for its Messages API only.
  const headers = { accept: "application/json", authorization: `Bearer ${key}`, "user-agent": `ccc/${version}` };
  try {
    const answer = await askServer({ url, headers }, env, fetch, timeoutMs, LONGEST_ANSWER);
    return understood(name, answer, source, secretsIn(env), now());
  } catch (error) {
    const { cause, detail, advice } = noAnswer(error, url, timeoutMs);
    return failed(cause === "configuration" ? cause : "unreachable", detail, advice);
  }
}

const LONGEST_ANSWER = 1_000_000;

function shown(base: string): string {
  return withoutUrlSecrets(URL.parse(base)?.origin ?? base);
}

function understood(
  name: string,
  answer: Answer,
  source: UsageSource,
  secrets: readonly string[],
  now: Date,
): UsageAnswer {
  const url = usageUrl(source);
  const reading = readBody(answer.body);
  const said = reading.kind === "error" ? cleanWords(reading.message, secrets) : "";
  if (answer.status >= 300) return refused(name, answer, source, said);
  const read = source.read(parseJson(answer.body), now.getTime());
  if ("figures" in read)
    return { status: "answered", cause: "answered", detail: "", advice: "", figures: read.figures };
  if ("refusal" in read) {
    const words = cleanWords(read.refusal, secrets);
    if (read.isAboutKey) return keyRefused(name, url, `"${words}"`);
    return failed("refused", `${url} answers "${words}"`, `Look it up at ${source.page}`);
  }
  return failed("not_understood", `the answer of ${url} could not be understood: ${read.unclear}`, later(source));
}

function refused(name: string, { status, location }: Answer, source: UsageSource, message: string): UsageAnswer {
  const url = usageUrl(source);
  const said = message === "" ? `status ${status}` : `status ${status}, "${message}"`;
  if (status < 400) {
    const target = location || "another address";
    return failed("redirected", `${url} redirects to ${target}; the key was not sent there`, later(source));
  }
  if (status === 401 || status === 403) return keyRefused(name, url, said);
  if (status === 404 || status === 405 || status === 410) {
    return failed("gone", `${url} is no longer there (${said})`, later(source));
  }
  if (status === 429) return failed("rate_limited", `${url} was asked too often (${said})`, "Wait a while.");
  if (status >= 500) return failed("server_error", `${url} has an internal error (${said})`, "Try again in a minute.");
  return failed("refused", `${url} rejects the request (${said})`, `Look it up at ${source.page}`);
}

function keyRefused(name: string, url: string, said: string): UsageAnswer {
  return failed(
    "key_refused",
    `${url} rejects the key (${said})`,
    `Find out whether it works at all: ccc validate ${name}`,
  );
}

/** Where to look meanwhile. */
function later({ page }: UsageSource): string {
  return `Look it up at ${page} or try a newer ccc: ccc upgrade`;
}
