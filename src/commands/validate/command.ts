import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import {
  type ApiRequest,
  dialectOf,
  PROBE_TOOL,
  type Prober,
  probesOf,
  readMessage,
  SIMPLER_DIALECTS,
  type SimplerDialect,
  type StreamedMessage,
} from "../../claude/api.ts";
import { modelsIn, TOOL_SEARCH } from "../../claude/models.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { CccError, EXIT } from "../../errors.ts";
import type { Identity } from "../../providers/identity.ts";
import { presetUpdate } from "../../providers/presets.ts";
import { entryOf } from "../../providers/store.ts";
import { createLog } from "../../terminal/dialog.ts";
import { asObject, type Json, prettyJson } from "../../text/json.ts";
import { withoutUrlSecrets } from "../../text/redact.ts";
import { colored, columns, outputWidth } from "../../text/table.ts";
import { counted } from "../../text/words.ts";
import type { Fetch, World } from "../../world.ts";
import { askedProviders, JSON_FLAG, PROVIDER_OR_CURRENT, timeoutIn } from "../arguments.ts";
import { askServer, requestIdentity, TIMEOUT_MS, testedModel, type Validation, validateProvider } from "./validate.ts";

const DESCRIPTION = `Check address, key and model of a provider with one small request. The answer is one token long.

With --deep, check everything that Claude Code needs of it, and say which setting helps if something is missing:
every model that it names, streaming, a tool call, a tool result, tool_reference. That usually takes five to nine small requests.

Signs
  ✓    works
  ✗    does not work
  -    not checked: it uses a login or a cloud

Exit codes
  0    no ✗
  1    at least one ✗
  2    usage error, or unknown provider

JSON
  { ok, providers: [{ name, status, cause, detail, advice }] }, with --deep also
  { checks: [{ check, model, status, detail, advice, setting }], requests, tokens }, explained in
  ${docsPage("providers.md#ccc-validate")}`;

export function validateCommand(world: World) {
  return defineCommand({
    meta: {
      name: "validate",
      description: DESCRIPTION,
    },
    args: {
      all: { type: "boolean", default: false, description: "check all providers in ccc.json" },
      deep: {
        type: "boolean",
        default: false,
        description: `also check models, streaming and tools: at most ${MOST_REQUESTS} small requests for each provider`,
      },
      json: JSON_FLAG,
      timeout: {
        type: "string",
        valueHint: "SECONDS",
        description: `timeout for each request (default: ${TIMEOUT_MS / 1000}, with --deep ${DEEP_TIMEOUT_MS / 1000})`,
      },
      provider: PROVIDER_OR_CURRENT,
    },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const names = askedProviders(loaded, args.provider, args.all, world);
      const timeoutMs = timeoutIn(args.timeout) ?? (args.deep ? DEEP_TIMEOUT_MS : TIMEOUT_MS);
      return validate(world, loaded, names, { timeoutMs, asJson: args.json, isDeep: args.deep });
    },
  });
}

const SIGNS = { valid: "✓", invalid: "✗", unchecked: "-" } as const;

interface How {
  readonly timeoutMs: number;
  readonly asJson: boolean;
  readonly isDeep: boolean;
}

/** A model may think before it calls a tool. */
const DEEP_TIMEOUT_MS = 60_000;

async function validate(world: World, loaded: LoadedConfig, names: readonly string[], how: How): Promise<number> {
  if (how.isDeep) createLog(world).info(`asking ${names.join(", ")}: at most ${MOST_REQUESTS} small requests each`);
  const asked = names.map(async (name) => ({ name, ...(await validationOf(name, loaded, world, how)) }));
  const room = outputWidth(world);
  const column = Math.max(...names.map((name) => Bun.stringWidth(name)));
  // In the order of ccc.json, each as soon as it and those before it are done.
  for (const each of how.asJson ? [] : asked) {
    const found = await each;
    const { name, status, detail, advice } = found;
    const label = `${SIGNS[status]} ${name}${" ".repeat(column - Bun.stringWidth(name))}`;
    world.stdout(colored(columns([[label, detail], ...(advice === "" ? [] : [["", advice]])], room), world));
    if ("checks" in found && found.requests > 0) world.stdout(colored(deepTable(found, room), world));
  }
  const providers = await Promise.all(asked);
  const ok = providers.every(({ status }) => status !== "invalid");
  if (how.asJson) world.stdout(prettyJson({ ok, providers }));
  return ok ? EXIT.ok : EXIT.failure;
}

async function validationOf(
  name: string,
  loaded: LoadedConfig,
  world: World,
  { isDeep, timeoutMs }: How,
): Promise<Validation | DeepValidation> {
  try {
    const identity = await requestIdentity(loaded, name, world);
    const found = await (isDeep ? deepValidate : validateProvider)(identity, world.fetch, timeoutMs);
    return withPresetAdvice(found, name, entryOf(loaded.config.providers, name) ?? {});
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    const wrong: Validation = {
      status: "invalid",
      cause: "configuration",
      detail: withoutUrlSecrets(error.message),
      advice: error.advice ?? "Fix it in ccc.json.",
    };
    return isDeep ? { ...wrong, ...NOTHING_ASKED } : wrong;
  }
}

/** The checks of one provider, each with what helps, and what they cost. */
function deepTable({ checks, requests, tokens }: DeepValidation, width: number): string {
  const rows = checks.flatMap(({ check, status, detail, advice }) => [
    [`  ${SIGNS[status]} ${LABELS[check]}`, detail],
    ...(advice === "" ? [] : [["", advice]]),
  ]);
  const used = tokens.input + tokens.output;
  const known = used === 0 ? "" : `, ${counted(used, "token")} counted by the server`;
  return `${columns(rows, width)}  ${counted(requests, "request")}${known}\n`;
}

const LABELS: Readonly<Record<DeepCheck["check"], string>> = {
  model: "model",
  streaming: "streaming",
  tool_call: "tool call",
  tool_result: "tool result",
  tool_reference: "tool reference",
};

/** If the server does not know a model, the provider's preset may have a newer one. */
function withPresetAdvice(found: Validation | DeepValidation, name: string, entry: ProviderEntry) {
  const isUnknown =
    found.cause === "model_unknown" ||
    ("checks" in found && found.checks.some(({ check, status }) => check === "model" && status === "invalid"));
  if (!isUnknown || !presetUpdate(name, entry)?.hasOtherModels) return found;
  return { ...found, advice: `Its preset now has other models: ccc provider update ${name}` };
}

interface DeepValidation extends Validation {
  readonly checks: readonly DeepCheck[];
  /** How many requests were made. */
  readonly requests: number;
  /** What they cost, as far as the server reports it. */
  readonly tokens: Tokens;
}

/** One thing that Claude Code needs of a provider. Names are stable: scripts may rely on them. */
interface DeepCheck {
  readonly check: "model" | "streaming" | "tool_call" | "tool_result" | "tool_reference";
  readonly model: string;
  readonly status: Validation["status"];
  readonly detail: string;
  readonly advice: string;
  /** NAME=VALUE for the provider's env, if a setting helps. */
  readonly setting: string | null;
}

/** A check without its name and model. */
type Found = Omit<DeepCheck, "check" | "model">;

interface Tokens {
  readonly input: number;
  readonly output: number;
}

const NOTHING_ASKED = { checks: [], requests: 0, tokens: { input: 0, output: 0 } };

/** The most requests that one provider can get: itself, its other models, its abilities, and the search for a setting. */
export const MOST_REQUESTS = 16;

/** Tests a provider for everything that Claude Code needs of it. */
export async function deepValidate(identity: Identity, fetch: Fetch, timeoutMs: number): Promise<DeepValidation> {
  const { env } = identity;
  let requests = 0;
  const counting: Fetch = (url, init) => {
    requests++;
    return fetch(url, init);
  };
  const plain = await validateProvider(identity, counting, timeoutMs);
  if (plain.cause !== "answered") return { ...plain, ...NOTHING_ASKED, requests };
  const model = testedModel(env);
  const [models, { checks: abilities, tokens }] = await Promise.all([
    checkModels(identity, model, counting, timeoutMs),
    checkAbilities({ env, model }, counting, timeoutMs),
  ]);
  const checks = [...models, ...abilities];
  const missing = checks.filter(({ status }) => status === "invalid").map(({ check }) => check.replace("_", " "));
  const verdict: Validation =
    missing.length === 0
      ? plain
      : {
          status: "invalid",
          cause: "incomplete",
          detail: `${plain.detail}, but lacks: ${missing.join(", ")}`,
          advice: "",
        };
  return { ...verdict, checks, requests, tokens };
}

/** Every model that the provider names, one request each. The main one has already answered. */
function checkModels({ env }: Identity, main: string, fetch: Fetch, timeoutMs: number): Promise<DeepCheck[]> {
  const named = [...modelsIn(env).variables()];
  const all = named.some(([model]) => model === main) ? named : [[main, []] as const, ...named];
  return Promise.all(
    all.map(async ([model, variables]): Promise<DeepCheck> => {
      const row = { check: "model" as const, model };
      const roles = variables.length === 0 ? model : `${model} (${variables.map(roleName).join(", ")})`;
      if (model === main) return { ...row, status: "valid", detail: roles, advice: "", setting: null };
      const asked = { env: { ...env, ANTHROPIC_MODEL: model }, apiKeyHelper: "" };
      const found = await validateProvider(asked, fetch, timeoutMs);
      if (found.cause === "answered") return { ...row, status: "valid", detail: roles, advice: "", setting: null };
      const advice = `Set ${variables.join(", ")} to a model from the provider's list.`;
      return { ...row, ...failed(found), ...(found.cause === "model_unknown" ? { advice } : {}) };
    }),
  );
}

function roleName(variable: string): string {
  return /^ANTHROPIC_DEFAULT_(\w+)_MODEL$/.exec(variable)?.[1]?.toLowerCase() ?? OTHER_ROLES[variable] ?? variable;
}

const OTHER_ROLES: Readonly<Record<string, string>> = {
  ANTHROPIC_MODEL: "main",
  ANTHROPIC_SMALL_FAST_MODEL: "small tasks",
  CLAUDE_CODE_SUBAGENT_MODEL: "subagents",
};

/** Has the main model stream, call a tool, read its result, and find a tool behind a tool_reference, in this order. */
async function checkAbilities(
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
  const add = (check: DeepCheck["check"], found: Found) => {
    checks.push({ check, model, ...found });
  };
  const { prober, streaming } = await findDialect({ env, model, dialect: dialectOf(env) }, ask);
  const probes = probesOf(prober);
  add("streaming", streaming);
  const called = streaming.status === "unchecked" ? undefined : await ask(probes.toolCall);
  const toolCall = called === undefined ? notAsked("not asked") : judgeToolCall(called);
  add("tool_call", toolCall);
  const id = called?.message === undefined ? undefined : probeCall(called.message)?.id;
  if (called?.message === undefined || typeof id !== "string" || toolCall.status !== "valid") {
    for (const check of ["tool_result", "tool_reference"] as const) add(check, notAsked("not asked: no tool call"));
    return { checks, tokens };
  }
  add("tool_result", judgeToolResult(await ask(probes.toolResult(called.message.blocks, id))));
  const why = withoutToolSearch(env);
  add("tool_reference", why === undefined ? judgeToolReference(await ask(probes.toolReference)) : notAsked(why));
  return { checks, tokens };
}

type Ask = (request: ApiRequest) => Promise<Probed>;

/** If the server rejects Claude Code's requests, finds the setting with which it accepts them. */
async function findDialect(prober: Prober, ask: Ask) {
  const first = await ask(probesOf(prober).streaming);
  const streaming = judgeStreaming(first);
  if (first.failure === undefined || !isRefusal(first.failure)) return { prober, streaming };
  for (const simpler of bestFirst(first.failure.detail)) {
    const dialect = simpler.simplify(prober.dialect);
    if (Bun.deepEquals(dialect, prober.dialect)) continue;
    const again = judgeStreaming(await ask(probesOf({ ...prober, dialect }).streaming));
    if (again.status !== "valid") continue;
    return { prober: { ...prober, dialect }, streaming: explained(first.failure.detail, simpler) };
  }
  return { prober, streaming };
}

/** Tries first what the server complains about. */
function bestFirst(words: string): SimplerDialect[] {
  return SIMPLER_DIALECTS.toSorted((a, b) => Number(b.hint.test(words)) - Number(a.hint.test(words)));
}

function explained(refusal: string, { setting, what, adapts }: SimplerDialect): Found {
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

/** The model has answered before, so a complaint about the model is about the request. */
function asRefusal(failure: Validation): Validation {
  if (failure.cause !== "model_unknown") return failure;
  const detail = failure.detail.replace(/has no model ".*?" for this key/, "rejects the request");
  return { ...failure, cause: "request_refused", detail };
}

/** In characters: much longer than any expected answer, thinking included. */
const LONGEST_ANSWER = 2_000_000;

async function askOnce(request: ApiRequest, env: Prober["env"], fetch: Fetch, timeoutMs: number): Promise<Probed> {
  const { answer, found, clean } = await askServer(request, env, fetch, { timeoutMs, longest: LONGEST_ANSWER });
  if (answer === undefined) return { failure: found };
  const message = answer.status < 300 ? readMessage(answer.body) : undefined;
  if (message === undefined) return { failure: asRefusal(found) };
  return { message: { ...message, error: message.error && clean(message.error) } };
}

/** The answer to a probe: a message, or why there is none. */
type Probed =
  | { readonly message: StreamedMessage; readonly failure?: undefined }
  | { readonly message?: undefined; readonly failure: Validation };

function judgeStreaming({ message, failure }: Probed): Found {
  if (failure !== undefined) return failed(failure);
  if (!message.isStreamed) return wrong("the answer arrives in one piece, although a stream was asked for", GATEWAY);
  const cut = message.error ?? (message.isComplete ? undefined : "the stream ends in the middle");
  if (cut !== undefined) return wrong(`the stream breaks off: ${cut}`, "A proxy or gateway on the way may cut it off.");
  return works("the answer arrives as a stream");
}

function judgeToolCall({ message, failure }: Probed): Found {
  if (failure !== undefined) return failed(failure, OTHER_MODEL);
  const call = probeCall(message);
  if (call !== undefined) {
    const word = asObject(call.input).word;
    return typeof word === "string"
      ? works("the model calls a tool")
      : wrong("the model's tool call is garbled", PARSER);
  }
  if (message.stopReason === "max_tokens") {
    return wrong("the answer ends before the tool call: it has reached its limit of tokens", OTHER_MODEL);
  }
  const text = message.blocks.map(({ text = "" }) => String(text)).join("");
  if (text.includes(PROBE_TOOL)) return wrong("the model writes its tool call as text", PARSER);
  return wrong("the model answers without calling the tool", OTHER_MODEL);
}

function judgeToolResult({ message, failure }: Probed): Found {
  if (failure !== undefined) return failed(failure, GATEWAY);
  if (message.error !== undefined) return wrong(`the answer to a tool result breaks off: ${message.error}`, GATEWAY);
  return works("the model continues after a tool result");
}

function judgeToolReference({ message, failure }: Probed): Found {
  if (failure === undefined && probeCall(message) !== undefined) {
    return works("the model calls a tool that it found by a tool_reference");
  }
  if (failure !== undefined && !isRefusal(failure)) return failed(failure);
  const what = failure === undefined ? "the model does not find a tool behind a tool_reference" : failure.detail;
  const setting = `${TOOL_SEARCH}=false`;
  return { ...wrong(what, `${setAdvice(setting)} Claude Code then sends all tools at once.`), setting };
}

/** Whether a server that has answered before rejects this request. Many report an internal error instead. */
function isRefusal({ cause, detail }: Validation): boolean {
  return cause === "request_refused" || (cause === "server_error" && !/status (503|529)/.test(detail));
}

/** Why a provider needs no tool_reference. */
function withoutToolSearch(env: Readonly<Record<string, string>>): string | undefined {
  const { betas, toolSearch } = dialectOf(env);
  if (toolSearch) return undefined;
  const setting = betas ? `${TOOL_SEARCH}=${env[TOOL_SEARCH]}` : "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS";
  return `not needed: ${setting} turns tool search off`;
}

/** The call of the tool that a probe offers. */
function probeCall({ blocks }: StreamedMessage): Json | undefined {
  return blocks.find(({ type, name }) => type === "tool_use" && name === PROBE_TOOL);
}

function setAdvice(setting: string): string {
  const [name, value] = setting.split("=");
  return `Set "${name}": "${value}" in the provider's env.`;
}

function notAsked(why: string): Found {
  return { status: "unchecked", detail: why, advice: "", setting: null };
}

function works(detail: string): Found {
  return { status: "valid", detail, advice: "", setting: null };
}

function wrong(detail: string, advice: string): Found {
  return { status: "invalid", detail, advice, setting: null };
}

/** An exhausted quota says nothing about what the server can do. */
function failed(failure: Validation, better = failure.advice): Found {
  if (failure.status !== "invalid") return notAsked(`no answer: ${failure.detail}`);
  return wrong(failure.detail, isRefusal(failure) ? better : failure.advice);
}

const GATEWAY = "Use the provider's own address for Claude Code, or a gateway such as LiteLLM in front of it.";

const OTHER_MODEL = "Choose a model that can call tools: ANTHROPIC_MODEL and the models of the roles.";

const PARSER = "Turn on the server's parser for tool calls (vLLM: --enable-auto-tool-choice), or choose another model.";
