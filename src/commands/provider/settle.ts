import { CLAUDE_SUBCOMMANDS } from "../../claude/subcommands.ts";
import { isUrl } from "../../claude/url.ts";
import { nameProblem } from "../../config/names.ts";
import { type CccError, usageError } from "../../errors.ts";
import { findPreset, keyProblem, type NewProvider, nameFor, tokenVariable } from "../../providers/new-provider.ts";
import { PRESET_NAMES, type Preset, searchPresets } from "../../providers/presets.ts";
import { nearest } from "../../text/nearest.ts";
import { SHORTEST_KEY } from "../../text/secret.ts";
import type { Env } from "../../world.ts";
import { checkReference, missingKey } from "./key-input.ts";

/** What the user has said so far about a new provider. */
export interface Given {
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

export interface Settled {
  readonly name: string;
  readonly provider: NewProvider;
  /** The key to store. */
  readonly key: string | undefined;
  /** The value in ccc.json if there is no key to store: a reference, or a placeholder for a server that needs no key. */
  readonly written: string | undefined;
}

/** Turns the answers into a provider, or throws what is missing or wrong. */
export function settle(given: Given, env: Env): Settled {
  const preset = presetOf(given);
  if (preset === undefined && given.baseUrl === undefined) {
    if (given.name !== undefined) throw unknownPreset(given.name);
    throw usageError("--preset or --base-url is missing", "To list the presets: ccc provider presets");
  }
  const baseUrl = baseUrlOf(given, preset);
  const provider = {
    preset,
    baseUrl,
    model: given.model,
    contextWindow: windowOf(given),
    asApiKey: given.asApiKey ?? false,
    fullPrompt: given.fullPrompt ?? false,
    asked: askedOf(given, preset, env),
  };
  const name = given.name ?? preset?.name ?? nameFor(baseUrl ?? "");
  checkNewName(name);
  return { name, provider, ...keyOf(given, provider) };
}

/** Refuses a name that no new provider can have. */
export function checkNewName(name: string): void {
  const problem = nameProblem(name) ?? (CLAUDE_SUBCOMMANDS.has(name) ? "that is a command of claude" : undefined);
  if (problem !== undefined) throw usageError(`"${name}": ${problem}`);
}

/** The named preset, or else the one with the provider's name: with an address, only one that needs an address. */
export function presetOf({ preset, baseUrl, name = "" }: Given): Preset | undefined {
  if (preset === undefined) {
    const found = findPreset(name);
    return baseUrl === undefined || found?.asksBaseUrl ? found : undefined;
  }
  const found = findPreset(preset);
  if (found !== undefined) return found;
  throw unknownPreset(preset);
}

function unknownPreset(name: string): CccError {
  const meant = nearest(name, PRESET_NAMES) ?? searchPresets(name)[0]?.name;
  return usageError(
    name.length >= SHORTEST_KEY
      ? "unknown preset"
      : `unknown preset "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    "To list the presets: ccc provider presets. For any other server: --base-url URL",
  );
}

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

/** Where an address has a part of the user's own, that part is enough. */
export function wholeAddress(text: string, preset: Preset | undefined): string {
  const form = preset?.baseUrlForm;
  return form !== undefined && /^[\w-]+$/.test(text) ? form.replace(/\{\w+\}/, text) : text;
}

function baseUrlOf(given: Given, preset: Preset | undefined): string | undefined {
  const baseUrl = given.baseUrl === undefined ? undefined : wholeAddress(given.baseUrl, preset);
  if (baseUrl === undefined) {
    if (!preset?.asksBaseUrl) return undefined;
    const form = preset.baseUrlForm === undefined ? "" : `, for example ${preset.baseUrlForm}`;
    throw usageError(`${preset.name} has no fixed address: --base-url is missing${form}`);
  }
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) throw usageError(`--base-url ${problem}`);
  return baseUrl.replace(/\/+$/, "");
}

function windowOf({ contextWindow }: Given): string | undefined {
  const problem = contextWindow === undefined ? undefined : windowProblem(contextWindow);
  if (problem !== undefined) throw usageError(`--context-window takes ${problem}`);
  return contextWindow;
}

export function windowProblem(text: string): string | undefined {
  return /^[1-9]\d{2,8}$/.test(text) ? undefined : "a number of tokens, for example 200000";
}

function askedOf({ model, asked }: Given, preset: Preset | undefined, env: Env): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of preset?.asks ?? []) {
    const value = name === "ANTHROPIC_MODEL" ? model : (asked?.[name] ?? env[name]);
    const how = name === "ANTHROPIC_MODEL" ? "--model is missing" : `set ${name} in the environment`;
    if (!value) throw usageError(`${preset?.name} needs ${name}: ${how}`);
    found[name] = value;
  }
  return found;
}

function keyOf(given: Given, provider: NewProvider): Pick<Settled, "key" | "written"> {
  const { key, reference } = given;
  if (tokenVariable(provider) === undefined) {
    if (key === undefined && reference === undefined) return { key: undefined, written: undefined };
    throw usageError(`${provider.preset?.name} takes no key, because it uses a login`);
  }
  if (reference !== undefined) {
    checkReference(reference);
    return { key: undefined, written: reference };
  }
  if (key !== undefined) {
    const problem = keyProblem(key);
    if (problem === undefined) return { key, written: undefined };
    throw usageError(problem);
  }
  const standIn = keyStandIn(provider);
  if (standIn !== undefined) return { key: undefined, written: standIn };
  throw missingKey();
}

/** The placeholder for a server that needs no key. Claude Code requires one anyway. */
export function keyStandIn({ preset, baseUrl }: Pick<NewProvider, "preset" | "baseUrl">): string | undefined {
  if (preset !== undefined) return preset.tokenDefault;
  const url = URL.parse(baseUrl ?? "");
  return url !== null && isLocal(url) ? "none" : undefined;
}

function isLocal({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
