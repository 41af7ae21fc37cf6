import { CONTEXT_WINDOW, inEveryRole, modelVariables } from "../claude/model.ts";
import type { Settings } from "../claude/settings.ts";
import { presetEnv } from "./preset-env.ts";
import { PRESETS, type Preset } from "./presets.ts";
import { isReference } from "./references.ts";

/** All that has to be known of a provider to put it into ccc.json, but its key. */
export interface NewProvider {
  readonly preset: Preset | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
  /** Of that model, in tokens. */
  readonly contextWindow: string | undefined;
  /** What the preset asks for. */
  readonly asked: Readonly<Record<string, string>>;
}

export function findPreset(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** The variable that takes the key; undefined where there is none to take. */
export function tokenVariable({ preset }: Pick<NewProvider, "preset">): string | undefined {
  return preset === undefined ? "ANTHROPIC_AUTH_TOKEN" : preset.token;
}

/** The entry in ccc.json. `key` is the key itself, or a reference to it. */
export function newSettings(provider: NewProvider, key: string | undefined): Settings {
  const { preset, baseUrl, model, contextWindow, asked } = provider;
  const token = tokenVariable(provider);
  const env: Record<string, string> = {};
  const base = baseUrl ?? preset?.baseUrl;
  if (base !== undefined) env.ANTHROPIC_BASE_URL = base;
  if (token !== undefined && key !== undefined) env[token] = key;
  const known = preset === undefined ? {} : presetEnv({ ...preset, ...(model === undefined ? {} : OTHER_MODEL) });
  Object.assign(env, { ...known, ...(base === undefined ? {} : { ANTHROPIC_BASE_URL: base }) }, asked, modelEnv(model));
  if (contextWindow !== undefined) env[CONTEXT_WINDOW] = contextWindow;
  return Object.keys(env).length === 0 ? {} : { env };
}

/** A model of the user's own stands for every role: the provider need not have any other. */
function modelEnv(model: string | undefined): Record<string, string> {
  return model === undefined ? {} : modelVariables(inEveryRole(model));
}

/** What a preset says of its own models does not hold for another. */
const OTHER_MODEL = { models: {}, contextWindow: undefined };

/** A name for a server that no preset knows: what tells it from others in its address. */
export function nameFor(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  if (host === "localhost" || /^[\d.[\]:]+$/.test(host)) return "local";
  const parts = host.split(".").filter((part) => part.length > 2 && !COMMON.includes(part));
  return parts[0] ?? host;
}

const COMMON = ["api", "www", "com", "net", "org", "gateway"];

/** Why a text cannot be a key, if so. */
export function keyProblem(key: string): string | undefined {
  if (key === "") return "a key is needed";
  if (/[\s\p{C}]/u.test(key)) return "a key has no spaces and no control characters in it";
  if (isReference(key)) return "that is a reference, not a key: give it with --token-ref";
  if (key.includes("${")) return "that names a variable: give it with --token-ref env:NAME";
  return undefined;
}
