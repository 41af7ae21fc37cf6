import { nameProblem } from "../../config/check.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import type { Identity } from "../../providers/identity.ts";
import {
  isForeign,
  keyProblem,
  nameFor,
  newSettings,
  PRESETS,
  type Preset,
  searchText,
  tokenVariable,
} from "../../providers/presets.ts";
import { isReference } from "../../providers/variables.ts";
import type { World } from "../../world.ts";
import { type Validation, validateProvider } from "../validate/validate.ts";
import { baseUrlProblem, type Given, keyStandIn, presetOf, type Settled, wholeAddress, windowProblem } from "./add.ts";

export const TOKEN_STDIN = { type: "boolean", default: false, description: "read the key from stdin" } as const;

export const TOKEN_REF = {
  type: "string",
  valueHint: "REF",
  description: "where the key is: env:NAME, file:PATH, cmd:COMMAND or keychain:NAME",
} as const;

export const STORE = {
  type: "enum",
  options: ["keychain", "file"],
  description: "where to store the key (default: the keychain, if the system has one, or else ccc.json)",
} as { readonly type: "enum"; readonly options: ["keychain", "file"]; readonly description: string };

export function checkReference(reference: string): void {
  if (!isReference(reference)) throw usageError("--token-ref takes env:NAME, file:PATH, cmd:COMMAND or keychain:NAME");
}

export function missingKey(): CccError {
  return usageError("the key is missing", "Pipe it in with --token-stdin, or refer to it with --token-ref env:NAME");
}

const LONGEST_KEY = 100_000;

export function keyFromStdin(world: World): string {
  if (world.isTerminal(0)) throw usageError("--token-stdin needs a file or a pipe, but stdin is a terminal");
  const key = (world.stdin(LONGEST_KEY) ?? "").trim();
  if (key === "") throw usageError("--token-stdin: stdin is empty, so there is no key");
  return key;
}

export async function askWhatIsMissing(given: Given, existing: readonly string[], world: World): Promise<Given> {
  const chosen = await askServer(given, world);
  const preset = presetOf(chosen);
  const named = {
    ...chosen,
    name: chosen.name ?? (await askName(preset?.name ?? nameFor(chosen.baseUrl ?? ""), existing, world)),
  };
  const asked: Record<string, string> = {};
  let model = named.model;
  for (const name of preset?.asks ?? []) {
    if (name === "ANTHROPIC_MODEL") model ??= await world.ask.text("Model:", { check: needed });
    else asked[name] = await world.ask.text(QUESTIONS[name] ?? name, { initial: world.env[name] ?? "", check: needed });
  }
  if (preset === undefined && model === undefined) {
    const answer = await world.ask.text("Model (empty if the server accepts Claude's model names):");
    model = answer === "" ? undefined : answer;
  }
  const key = await askKeyIfNeeded(named, preset, world);
  const modelled = { ...named, asked, model, ...(key === "" ? {} : { key }) };
  // With a key from a flag it is a script's command, even on a terminal.
  if (given.key !== undefined || given.reference !== undefined) return modelled;
  return { ...modelled, ...(await askAboutModel(modelled, preset, world)) };
}

/** What Claude Code would get wrong about a model that it does not know. */
async function askAboutModel(given: Given, preset: Preset | undefined, world: World): Promise<Partial<Given>> {
  const baseUrl = given.baseUrl ?? preset?.baseUrl;
  if (!isForeign({ baseUrl, model: given.model ?? preset?.models?.opus })) return {};
  const isKnown = given.contextWindow !== undefined || given.model === undefined;
  const contextWindow = isKnown ? given.contextWindow : await askWindow(given.model, world);
  const fullPrompt = given.fullPrompt ?? (await world.ask.confirm(FULL_PROMPT, false));
  return { contextWindow, fullPrompt };
}

const FULL_PROMPT =
  "Send the full system prompt? (Claude Code's default for models it does not know is a short one; the full one costs about 5,000 tokens more per request)";

async function askWindow(model: string | undefined, world: World): Promise<string | undefined> {
  const question = `Context window of ${model} in tokens (empty: Claude Code assumes 1,000,000):`;
  const check = (answer: string) => (answer === "" ? undefined : windowProblem(answer));
  const answer = await world.ask.text(question, { check });
  return answer === "" ? undefined : answer;
}

async function askKeyIfNeeded(given: Given, preset: Preset | undefined, world: World): Promise<string> {
  const takesNone = tokenVariable({ preset, asApiKey: false }) === undefined || preset?.tokenDefault !== undefined;
  if (takesNone || given.key !== undefined || given.reference !== undefined) return "";
  return askKey(preset?.keyUrl, keyStandIn({ preset, baseUrl: given.baseUrl }) !== undefined, world);
}

const QUESTIONS: Readonly<Record<string, string>> = {
  AWS_REGION: "AWS region, for example us-east-1:",
  ANTHROPIC_VERTEX_PROJECT_ID: "Google Cloud project:",
};

const OTHER = "another server";
const OTHER_WORDS = "custom other own gateway proxy 自定义 其他 中转";

async function askServer(given: Given, world: World): Promise<Given> {
  let { preset, baseUrl } = given;
  if (preset === undefined && baseUrl === undefined && presetOf(given) === undefined) {
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
  const needsAddress = presetOf({ ...given, preset, baseUrl });
  if (baseUrl === undefined && (needsAddress === undefined || needsAddress.asksBaseUrl)) {
    baseUrl = await askAddress(needsAddress, world);
  }
  return { ...given, preset, baseUrl };
}

async function askAddress(preset: Preset | undefined, world: World): Promise<string> {
  const form = preset?.baseUrlForm;
  const question = form === undefined ? "Base URL of its Anthropic API:" : `Your part of ${form}, or a whole base URL:`;
  const check = (answer: string) => baseUrlProblem(wholeAddress(answer, preset));
  return wholeAddress(await world.ask.text(question, { check }), preset);
}

function askName(preset: string, existing: readonly string[], world: World): Promise<string> {
  return world.ask.text("Name (you will type: ccc NAME):", {
    preset,
    check: (name) => (existing.includes(name) ? `provider "${name}" already exists` : nameProblem(name)),
  });
}

export function askKey(keyUrl: string | undefined, isOptional: boolean, world: World): Promise<string> {
  if (keyUrl !== undefined) world.stderr(`│  Get a key at ${keyUrl}\n`);
  const none = isOptional ? ", empty if the server needs none" : "";
  return world.ask.secret(`API key (hidden${none}):`, (key) =>
    isOptional && key === "" ? undefined : keyProblem(key),
  );
}

function needed(answer: string): string | undefined {
  return answer === "" ? "required" : undefined;
}

const AGAIN = "again";
const OTHER_HEADER = "header";
const SAVE = "save";
const STOP = "stop";

/** Tests a new provider before it is saved. If it fails, the user decides what to do. */
export async function tryAnswers(settled: Settled, world: World): Promise<Settled> {
  const { provider, key, written } = settled;
  const sent = key ?? written;
  // A provider without a key uses a login.
  if (sent === undefined) return settled;
  const env = (newSettings(provider, sent).env ?? {}) as Record<string, string>;
  const { status, cause } = await testShown({ env, apiKeyHelper: "" }, world);
  if (status !== "invalid") return settled;
  const isKeyProblem = key !== undefined && KEY_PROBLEMS.includes(cause);
  const choice = await world.ask.choose("What now?", [
    { value: AGAIN, label: isKeyProblem ? "enter the key again" : "try again" },
    ...(cause === "key_refused" && !provider.asApiKey
      ? [{ value: OTHER_HEADER, label: "send it as x-api-key: some servers accept only that" }]
      : []),
    { value: SAVE, label: "save it anyway" },
    { value: STOP, label: "cancel" },
  ]);
  if (choice === SAVE) return settled;
  if (choice === STOP) throw new CccError("cancelled; nothing was changed", { exitCode: EXIT.interrupted });
  if (choice === OTHER_HEADER) return tryAnswers({ ...settled, provider: { ...provider, asApiKey: true } }, world);
  if (!isKeyProblem) return tryAnswers(settled, world);
  return tryAnswers({ ...settled, key: await askKey(provider.preset?.keyUrl, false, world) }, world);
}

/** Sends one small request, and shows what came of it. */
export async function testShown(identity: Identity, world: World): Promise<Validation> {
  world.stderr("│  testing it…\n");
  const found = await validateProvider(identity, world.fetch);
  const isInvalid = found.status === "invalid";
  world.stderr(`${isInvalid ? "✗" : "✓"}  ${found.detail}\n`);
  if (isInvalid) world.stderr(`   ${found.advice}\n`);
  return found;
}

/** Why a request failed, where another key may help. */
export const KEY_PROBLEMS: readonly string[] = ["key_refused", "out_of_credit", "configuration"];
