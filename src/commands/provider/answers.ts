import { apiRequest } from "../../claude/api.ts";
import { CLAUDE_SUBCOMMANDS } from "../../claude/arguments.ts";
import { isUrl } from "../../claude/connection.ts";
import { nameProblem } from "../../config/check.ts";
import { type CccError, usageError } from "../../errors.ts";
import type { Preset } from "../../providers/preset-data.ts";
import {
  findPreset,
  PRESET_NAMES,
  PRESETS,
  searchPresets,
  searchText,
  vendorPresets,
} from "../../providers/preset-list.ts";
import { isForeign, type NewProvider, newSettings } from "../../providers/presets.ts";
import { canAsk } from "../../terminal/dialog.ts";
import { asObject, parseJson } from "../../text/json.ts";
import { SHORTEST_KEY } from "../../text/redact.ts";
import { nearest } from "../../text/words.ts";
import type { Env, World } from "../../world.ts";
import { askServer, TIMEOUT_MS } from "../validate/validate.ts";
import { askKey, type CheckedKey, checkedKey, testKey } from "./keys.ts";

/** What the user has said so far about a new provider. */
export interface Answers {
  readonly name?: string | undefined;
  readonly preset?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  /** The context window of that model, in tokens. */
  readonly contextWindow?: string | undefined;
  /** Whether the key is sent as x-api-key. */
  readonly asApiKey?: boolean | undefined;
  /** Whether a model that Claude Code does not know gets its full system prompt. */
  readonly fullPrompt?: boolean | undefined;
  readonly key?: string | undefined;
  readonly reference?: string | undefined;
  /** Answers to the preset's own questions. */
  readonly asked?: Readonly<Record<string, string>>;
}

interface Settled extends CheckedKey {
  readonly name: string;
  readonly provider: NewProvider;
}

/**
 * Makes a new provider from the user's answers, or throws what is missing or wrong. On a terminal it asks for what is missing
 * and tests the result.
 */
export async function settleProvider(answers: Answers, existing: readonly string[], world: World): Promise<Settled> {
  if (!canAsk(world)) return settle(answers, world.env);
  const settled = settle(await askWhatIsMissing(answers, existing, world), world.env);
  return answers.key === undefined && answers.reference === undefined ? tryAnswers(settled, world) : settled;
}

/** Refuses a name that no new provider can have. */
export function checkNewName(name: string): void {
  if (isLikeKey(name)) {
    const history = "If it is a key, it is in your shell history now: make a new one.";
    throw usageError("the name looks like a key, which is never an argument", history);
  }
  const problem = newNameProblem(name);
  if (problem !== undefined) throw usageError(`"${name}": ${problem}`);
}

/** An unused name for an imported provider: made from its label, if that can be typed, else from its server. */
export function nameFor(label: string, env: Readonly<Record<string, string>>, taken: readonly string[]): string {
  return freeName(typeableName(label) ?? guessName(env), taken);
}

/** Why a text cannot be the base URL of a provider. */
export function baseUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !isUrl(text)) return "must begin with https:// (or http:// for a server on this machine)";
  if (url.username !== "" || url.password !== "")
    return "must not contain a user name or password, because it is shown and logged";
  if (url.search !== "" || url.hash !== "" || /\s/.test(text)) return "must not contain ?, # or spaces";
  if (url.protocol === "http:" && !isLocal(url))
    return "must begin with https://, because anyone on the network can read your key over http://";
  return undefined;
}

/** The placeholder for a server that needs no key. Claude Code requires one anyway. */
export function keyPlaceholder({ preset, baseUrl }: Pick<NewProvider, "preset" | "baseUrl">): string | undefined {
  if (preset !== undefined) return preset.tokenDefault;
  const url = URL.parse(baseUrl ?? "");
  return url !== null && isLocal(url) ? "none" : undefined;
}

function settle(answers: Answers, env: Env): Settled {
  const preset = presetOf(answers);
  if (preset === undefined && answers.baseUrl === undefined) {
    if (answers.name !== undefined) throw unknownPreset(answers.name);
    throw usageError("--preset or --base-url is missing", "To list the presets: ccc provider presets");
  }
  const baseUrl = baseUrlOf(answers, preset);
  const provider = {
    preset,
    baseUrl,
    model: answers.model,
    contextWindow: windowOf(answers),
    asApiKey: answers.asApiKey ?? false,
    fullPrompt: answers.fullPrompt ?? false,
    asked: askedOf(answers, preset, env),
  };
  const name = answers.name ?? preset?.name ?? serverName(baseUrl ?? "");
  checkNewName(name);
  return { name, provider, ...keyOf(answers, provider) };
}

/** The named preset, else the one with the provider's name; if an address was passed, only one that takes a key. */
function presetOf({ preset, baseUrl, name = "" }: Answers): Preset | undefined {
  if (preset === undefined) {
    const found = findPreset(name);
    return baseUrl === undefined || found?.token !== undefined ? found : undefined;
  }
  const found = findPreset(preset);
  if (found !== undefined) return found;
  throw unknownPreset(preset);
}

function unknownPreset(name: string): CccError {
  const meant = nearest(name, PRESET_NAMES) ?? vendorPresets(name, true)[0] ?? searchPresets(name)[0]?.name;
  return usageError(
    name.length >= SHORTEST_KEY
      ? "unknown preset"
      : `unknown preset "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    "To list the presets: ccc provider presets. For any other server: --base-url URL",
  );
}

/** If the preset's address has a part that differs between users, that part is enough. */
function wholeAddress(text: string, preset: Preset | undefined): string {
  const form = preset?.baseUrlForm;
  const whole = form !== undefined && /^[\w-]+$/.test(text) ? form.replace(/\{\w+\}/, text) : text;
  // Claude Code adds the path of the request itself.
  return whole.replace(/(\/v1\/messages)?\/*$/, "");
}

function baseUrlOf(answers: Answers, preset: Preset | undefined): string | undefined {
  const baseUrl = answers.baseUrl === undefined ? undefined : wholeAddress(answers.baseUrl, preset);
  if (baseUrl === undefined) {
    if (!preset?.asksBaseUrl) return undefined;
    const form = preset.baseUrlForm === undefined ? "" : `, for example ${preset.baseUrlForm}`;
    throw usageError(`${preset.name} has no fixed address: --base-url is missing${form}`);
  }
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) throw usageError(`--base-url ${problem}`);
  return baseUrl;
}

function windowOf({ contextWindow }: Answers): string | undefined {
  const problem = contextWindow === undefined ? undefined : windowProblem(contextWindow);
  if (problem !== undefined) throw usageError(`--context-window takes ${problem}`);
  return contextWindow;
}

function windowProblem(text: string): string | undefined {
  return /^[1-9]\d{2,8}$/.test(text) ? undefined : "a number of tokens, for example 200000";
}

function askedOf({ model, asked }: Answers, preset: Preset | undefined, env: Env): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of preset?.asks ?? []) {
    const value = name === "ANTHROPIC_MODEL" ? model : (asked?.[name] ?? env[name]);
    const how = name === "ANTHROPIC_MODEL" ? "--model is missing" : `set ${name} in the environment`;
    if (!value) throw usageError(`${preset?.name} needs ${name}: ${how}`);
    found[name] = value;
  }
  return found;
}

function keyOf(answers: Answers, provider: NewProvider): CheckedKey {
  const { key, reference } = answers;
  if (takesKey(provider)) return checkedKey({ key, reference }, keyPlaceholder(provider));
  if (key === undefined && reference === undefined) return { key: undefined, written: undefined };
  throw usageError(`${provider.preset?.name} takes no key, because it uses a login`);
}

/** Any server may need a key, except one whose preset uses a login. */
function takesKey({ preset }: Pick<NewProvider, "preset">): boolean {
  return preset === undefined || preset.token !== undefined;
}

function isLocal({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function newNameProblem(name: string): string | undefined {
  return nameProblem(name) ?? (CLAUDE_SUBCOMMANDS.has(name) ? "that is a command of claude" : undefined);
}

/** The name of the preset for this server, or else the distinctive part of its host name. */
function guessName(env: Readonly<Record<string, string>>): string {
  const { ANTHROPIC_BASE_URL: url } = env;
  if (url === undefined) return env.ANTHROPIC_API_KEY === undefined ? "anthropic" : "anthropic-api";
  const preset = PRESETS.find(({ baseUrl }) => baseUrl !== undefined && sameServer(baseUrl, url));
  const name = preset?.name ?? serverName(url);
  return newNameProblem(name) === undefined ? name : "mine";
}

/** Turns a label into a name that can be typed; undefined if nothing of it is usable. */
function typeableName(label: string): string | undefined {
  const letters = label.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = letters.match(/[a-z0-9]+(?:[._][a-z0-9]+)*/g) ?? [];
  const [first = "", ...more] = words;
  let name = first.slice(0, LONGEST_NAME);
  for (const word of more) {
    if (name.length + word.length >= LONGEST_NAME) break;
    name += `-${word}`;
  }
  return name !== "" && newNameProblem(name) === undefined ? name : undefined;
}

const LONGEST_NAME = 24;

function sameServer(a: string, b: string): boolean {
  const [one, other] = [URL.parse(a), URL.parse(b)];
  return one !== null && one.host === other?.host;
}

/** The name, with a number if it is taken. File systems may ignore case, so names that differ only in case clash. */
function freeName(name: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((each) => each.toLowerCase()));
  if (!lower.has(name.toLowerCase())) return name;
  for (let count = 2; ; count++) if (!lower.has(`${name}-${count}`.toLowerCase())) return `${name}-${count}`;
}

/** A name for a server without a preset: the distinctive part of its host name. */
function serverName(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  if (host === "localhost" || /^[\d.[\]:]+$/.test(host)) return "local";
  const parts = host.split(".").filter((part) => part.length > 2 && !COMMON.includes(part));
  return parts[0] ?? host;
}

const COMMON = ["api", "www", "com", "net", "org", "gateway"];

async function askWhatIsMissing(answers: Answers, existing: readonly string[], world: World): Promise<Answers> {
  if (answers.name !== undefined) checkNewName(answers.name);
  const chosen = await askForServer(answers, world);
  const preset = presetOf(chosen);
  const named = {
    ...chosen,
    name: chosen.name ?? (await askName(preset?.name ?? serverName(chosen.baseUrl ?? ""), existing, world)),
  };
  const asked: Record<string, string> = {};
  let model = named.model;
  for (const name of preset?.asks ?? []) {
    if (name === "ANTHROPIC_MODEL") model ??= await world.ask.text("Model:", { check: modelProblem });
    else
      asked[name] = await world.ask.text(QUESTIONS[name] ?? name, {
        initial: world.env[name] ?? "",
        check: cloudProblem,
      });
  }
  if (preset === undefined && model === undefined) {
    const check = (answer: string) => (answer === "" ? undefined : modelProblem(answer));
    const answer = await world.ask.text("Model (empty if the server accepts Claude's model names):", { check });
    model = answer === "" ? undefined : answer;
  }
  const key = await askKeyIfNeeded(named, preset, world);
  const modelled = { ...named, asked, model, ...(key === "" ? {} : { key }) };
  // A key from a flag means that a script runs this, even on a terminal.
  if (answers.key !== undefined || answers.reference !== undefined) return modelled;
  return { ...modelled, contextWindow: await askWindowIfNeeded(modelled, preset, world) };
}

/** Claude Code would assume 1M tokens for a model that it does not know. */
async function askWindowIfNeeded(
  answers: Pick<Answers, "model" | "contextWindow" | "baseUrl">,
  preset: Preset | undefined,
  world: World,
): Promise<string | undefined> {
  const { model, contextWindow, baseUrl = preset?.baseUrl } = answers;
  return contextWindow === undefined && isForeign({ baseUrl, model }) ? askWindow(model, world) : contextWindow;
}

async function askWindow(model: string | undefined, world: World): Promise<string | undefined> {
  const question = `Context window of ${model} in tokens (empty: Claude Code assumes 1,000,000):`;
  const check = (answer: string) => (answer === "" ? undefined : windowProblem(answer));
  const answer = await world.ask.text(question, { check });
  return answer === "" ? undefined : answer;
}

async function askKeyIfNeeded(answers: Answers, preset: Preset | undefined, world: World): Promise<string> {
  const takesNone = !takesKey({ preset }) || preset?.tokenDefault !== undefined;
  if (takesNone || answers.key !== undefined || answers.reference !== undefined) return "";
  return askKey(preset?.keyUrl, keyPlaceholder({ preset, baseUrl: answers.baseUrl }) !== undefined, world);
}

const QUESTIONS: Readonly<Record<string, string>> = {
  AWS_REGION: "AWS region, for example us-east-1:",
  ANTHROPIC_VERTEX_PROJECT_ID: "Google Cloud project:",
};

const OTHER = "another server";
const OTHER_WORDS = "custom other own gateway proxy 自定义 其他 中转";

async function askForServer(answers: Answers, world: World): Promise<Answers> {
  let { preset, baseUrl } = answers;
  if (preset === undefined && baseUrl === undefined && presetOf(answers) === undefined) {
    const choice = await world.ask.choose("Provider (type to search):", [
      ...PRESETS.map((each) => ({
        value: each.name,
        label: `${each.name} · ${each.label}`,
        words: searchText(each),
      })),
      { value: OTHER, label: `${OTHER} · any with an Anthropic-compatible API`, words: OTHER_WORDS },
    ]);
    if (choice !== OTHER) preset = choice;
  }
  const needsAddress = presetOf({ ...answers, preset, baseUrl });
  if (baseUrl === undefined && (needsAddress === undefined || needsAddress.asksBaseUrl)) {
    baseUrl = await askAddress(needsAddress, world);
  }
  return { ...answers, preset, baseUrl };
}

async function askAddress(preset: Preset | undefined, world: World, initial = ""): Promise<string> {
  const form = preset?.baseUrlForm;
  const question = form === undefined ? "Base URL of its Anthropic API:" : `Your part of ${form}, or a whole base URL:`;
  const check = (answer: string) => {
    const address = wholeAddress(answer, preset);
    return (URL.canParse(address) ? undefined : keyInstead(answer)) ?? baseUrlProblem(address);
  };
  return wholeAddress(await world.ask.text(question, initial === "" ? { check } : { initial, check }), preset);
}

function askName(preset: string, existing: readonly string[], world: World): Promise<string> {
  return world.ask.text("Name (you will type: ccc NAME):", {
    preset,
    check: (name) => {
      // As in freeName: file systems may ignore case.
      const taken = existing.find((each) => each.toLowerCase() === name.toLowerCase());
      return taken === undefined ? (keyInstead(name) ?? newNameProblem(name)) : `provider "${taken}" already exists`;
    },
  });
}

function modelProblem(model: string): string | undefined {
  return needed(model) ?? keyInstead(model);
}

/** What is wrong with an AWS region or a Google Cloud project. ccc asks for no key after these. */
function cloudProblem(answer: string): string | undefined {
  return (
    needed(answer) ??
    (CLOUD_NAME.test(answer) ? undefined : "lower-case letters, digits and dashes; no key belongs here")
  );
}

const CLOUD_NAME = /^(?!sk-)[a-z][a-z0-9.:-]{0,50}$/;

function keyInstead(answer: string): string | undefined {
  return isLikeKey(answer) ? "this looks like a key: ccc asks for that later, and hides it" : undefined;
}

/** Names of providers and models are made of words and numbers; keys have a long part in which both are mixed. */
function isLikeKey(text: string): boolean {
  if (/^(sk|ak|tp|oc_sk|key|api)[-_]/i.test(text) && text.length >= SHORTEST_KEY) return true;
  return text
    .split(/[^A-Za-z0-9]/)
    .some((part) => part.length >= SHORTEST_KEY && /\d/.test(part) && /[A-Za-z]/.test(part));
}

function needed(answer: string): string | undefined {
  return answer === "" ? "required" : undefined;
}

/** Tests a new provider before it is saved. If it fails, the user decides what to do. */
async function tryAnswers(settled: Settled, world: World): Promise<Settled> {
  const { provider, key, written } = settled;
  const sent = key ?? written;
  // A provider without a key uses a login.
  if (sent === undefined) return settled;
  const env = (newSettings(provider, sent).env ?? {}) as Record<string, string>;
  const choice = await testKey({ env, apiKeyHelper: "" }, world, {
    isEntered: key !== undefined,
    otherwise: "try again",
    canSendAsApiKey: !provider.asApiKey,
    canCorrect: true,
  });
  const { preset } = provider;
  switch (choice) {
    case "save":
      return settled;
    case "same key":
      return tryAnswers(settled, world);
    case "another key":
      return tryAnswers({ ...settled, key: await askKey(preset?.keyUrl, false, world) }, world);
    case "as x-api-key":
      return tryAnswers({ ...settled, provider: { ...provider, asApiKey: true } }, world);
    case "another address": {
      const baseUrl = await askAddress(preset, world, env.ANTHROPIC_BASE_URL);
      return tryAnswers({ ...settled, provider: { ...provider, baseUrl } }, world);
    }
    case "another model": {
      const model = await askModel(env, world);
      const other = { ...provider, model, contextWindow: undefined, asked: withModel(provider.asked, model) };
      const contextWindow = await askWindowIfNeeded(other, preset, world);
      return tryAnswers({ ...settled, provider: { ...other, contextWindow } }, world);
    }
  }
}

/** If the preset asks for the model, its answer changes, too. */
function withModel(asked: NewProvider["asked"], model: string): NewProvider["asked"] {
  return Object.hasOwn(asked, "ANTHROPIC_MODEL") ? { ...asked, ANTHROPIC_MODEL: model } : asked;
}

/** Another model: one of the server's own list, if it has one. */
async function askModel(env: Readonly<Record<string, string>>, world: World): Promise<string> {
  const models = await serverModels(env, world);
  const unlisted = { value: "", label: "another one" };
  const chosen =
    models.length === 0
      ? ""
      : await world.ask.choose("Model:", [...models.map((each) => ({ value: each, label: each })), unlisted]);
  return chosen || world.ask.text("Model:", { check: modelProblem });
}

/** The models that the server lists; none if it has no list. */
async function serverModels(env: Readonly<Record<string, string>>, world: World): Promise<string[]> {
  const { url, headers } = apiRequest(env, "");
  const address = url.replace(/messages\?.*$/, "models?limit=1000");
  const { answer } = await askServer({ url: address, headers }, env, world.fetch, {
    timeoutMs: TIMEOUT_MS,
    longest: LONGEST_LIST,
  });
  const { data } = asObject(parseJson(answer?.status === 200 ? answer.body : ""));
  const ids = (Array.isArray(data) ? data : []).map((each) => asObject(each).id);
  return [...new Set(ids.filter((id) => typeof id === "string"))].filter((id) => /^[\x21-\x7e]{1,200}$/.test(id));
}

const LONGEST_LIST = 1_000_000;
