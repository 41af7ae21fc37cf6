import type { ApiRequest } from "../../claude/api-request.ts";
import { dialectOf, SIMPLER_DIALECTS, type SimplerDialect } from "../../claude/dialect.ts";
import { readMessage } from "../../claude/message-stream.ts";
import {
  type Prober,
  streamingProbe,
  toolCallProbe,
  toolReferenceProbe,
  toolResultProbe,
} from "../../claude/probe-requests.ts";
import { secretsIn } from "../../text/redact.ts";
import type { Fetch } from "../../world.ts";
import { askServer, shownBase } from "./ask-server.ts";
import { classify } from "./classify.ts";
import { cleanWords } from "./clean.ts";
import {
  type DeepCheck,
  isRefusal,
  judgeStreaming,
  judgeToolCall,
  judgeToolReference,
  judgeToolResult,
  notAsked,
  type Probed,
  probeCall,
  setAdvice,
  withoutToolSearch,
} from "./deep-checks.ts";
import { noAnswer } from "./validate.ts";
import type { Validation } from "./validation.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

type Ask = (request: ApiRequest) => Promise<Probed>;

/** Has the main model stream, call a tool, take its result, and find a tool behind a tool_reference, in this order. */
export async function checkAbilities(
  { env, model }: Omit<Prober, "dialect">,
  fetch: Fetch,
  timeoutMs: number,
): Promise<{ checks: DeepCheck[]; tokens: Tokens }> {
  let tokens: Tokens = { input: 0, output: 0 };
  const ask: Ask = async (request) => {
    const probed = await askOnce(request, env, fetch, timeoutMs);
    const { inputTokens = 0, outputTokens = 0 } = probed.message ?? {};
    tokens = { input: tokens.input + inputTokens, output: tokens.output + outputTokens };
    return probed;
  };
  const checks: DeepCheck[] = [];
  const note = (check: DeepCheck["check"], found: Omit<DeepCheck, "check" | "model">) => {
    checks.push({ check, model, ...found });
  };
  const { prober, streaming } = await findDialect({ env, model, dialect: dialectOf(env) }, ask);
  note("streaming", streaming);
  const called = streaming.status === "unchecked" ? undefined : await ask(toolCallProbe(prober));
  const toolCall = called === undefined ? notAsked("not asked") : judgeToolCall(called);
  note("tool_call", toolCall);
  const id = called?.message === undefined ? undefined : probeCall(called.message)?.id;
  if (called?.message === undefined || typeof id !== "string" || toolCall.status !== "valid") {
    for (const check of ["tool_result", "tool_reference"] as const) note(check, notAsked("not asked: no tool call"));
    return { checks, tokens };
  }
  note("tool_result", judgeToolResult(await ask(toolResultProbe(prober, called.message.blocks, id))));
  const why = withoutToolSearch(env);
  note("tool_reference", why === undefined ? judgeToolReference(await ask(toolReferenceProbe(prober))) : notAsked(why));
  return { checks, tokens };
}

/** If the server rejects what Claude Code says, finds out which setting makes it acceptable. */
async function findDialect(prober: Prober, ask: Ask) {
  const first = await ask(streamingProbe(prober));
  const streaming = judgeStreaming(first);
  if (first.failure === undefined || !isRefusal(first.failure)) return { prober, streaming };
  for (const simpler of bestFirst(first.failure.detail)) {
    const dialect = simpler.simplify(prober.dialect);
    if (Bun.deepEquals(dialect, prober.dialect)) continue;
    const again = judgeStreaming(await ask(streamingProbe({ ...prober, dialect })));
    if (again.status !== "valid") continue;
    return { prober: { ...prober, dialect }, streaming: explained(first.failure.detail, simpler) };
  }
  return { prober, streaming };
}

/** What the server complains about is tried first. */
function bestFirst(words: string): SimplerDialect[] {
  return SIMPLER_DIALECTS.toSorted((a, b) => Number(b.hint.test(words)) - Number(a.hint.test(words)));
}

function explained(refusal: string, { setting, what, adapts }: SimplerDialect): Omit<DeepCheck, "check" | "model"> {
  if (adapts?.test(refusal)) {
    const detail = `the answer arrives as a stream; the server rejects ${what}, and Claude Code adapts to that by itself`;
    return { status: "valid", detail, advice: "", setting: null };
  }
  const advice =
    setting === undefined
      ? "Claude Code has no setting for that: put a gateway such as LiteLLM in front of the server."
      : setAdvice(setting);
  return { status: "invalid", detail: `${refusal}; it works without ${what}`, advice, setting: setting ?? null };
}

/** The model has answered before: a complaint about it now is one about what was asked of it. */
function asRefusal(failure: Validation): Validation {
  if (failure.cause !== "model_unknown") return failure;
  const detail = failure.detail.replace(/has no model ".*?" for this key/, "rejects the request");
  return { ...failure, cause: "request_refused", detail };
}

/** Much longer than the answers that are asked for, thinking included. */
const LONGEST_ANSWER = 2_000_000;

async function askOnce(request: ApiRequest, env: Prober["env"], fetch: Fetch, timeoutMs: number): Promise<Probed> {
  const base = shownBase(request.url);
  const secrets = secretsIn(env);
  try {
    const answer = await askServer(request, env, fetch, timeoutMs, LONGEST_ANSWER);
    const message = answer.status < 300 ? readMessage(answer.body) : undefined;
    if (message === undefined) return { failure: asRefusal(classify(answer, { base, model: request.model, secrets })) };
    return { message: { ...message, error: message.error && cleanWords(message.error, secrets) } };
  } catch (error) {
    return { failure: noAnswer(error, base, timeoutMs) };
  }
}
