import { isClaude, SIMPLE_SYSTEM_PROMPT } from "../claude/foreign-models.ts";
import { CONTEXT_WINDOW, inEveryRole, modelVariables } from "../claude/model.ts";
import type { Settings } from "../claude/settings.ts";
import { leavesAnthropic } from "./isolate.ts";
import { NO_TOOL_SEARCH, presetEnv } from "./preset-env.ts";
import { PRESETS, type Preset } from "./presets.ts";
import { isReference } from "./references.ts";

/** Everything needed to add a provider to ccc.json, except its key. */
export interface NewProvider {
  readonly preset: Preset | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
  /** The model's, in tokens. */
  readonly contextWindow: string | undefined;
  /** Whether the key is sent as x-api-key, even if the preset sends it as a bearer token. */
  readonly asApiKey: boolean;
  /** Whether a model that Claude Code does not know gets its full system prompt. */
  readonly fullPrompt: boolean;
  /** Answers to the preset's questions. */
  readonly asked: Readonly<Record<string, string>>;
}

export function findPreset(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** The variable for the key; undefined if the provider takes no key. */
export function tokenVariable({ preset, asApiKey }: Pick<NewProvider, "preset" | "asApiKey">): string | undefined {
  if (preset !== undefined && preset.token === undefined) return undefined;
  return asApiKey ? "ANTHROPIC_API_KEY" : (preset?.token ?? "ANTHROPIC_AUTH_TOKEN");
}

/** The entry in ccc.json. `key` is the key or a reference. */
export function newSettings(provider: NewProvider, key: string | undefined): Settings {
  const { preset, baseUrl, model, contextWindow, fullPrompt, asked } = provider;
  const token = tokenVariable(provider);
  const env: Record<string, string> = {};
  const base = baseUrl ?? preset?.baseUrl;
  if (base !== undefined) env.ANTHROPIC_BASE_URL = base;
  if (token !== undefined && key !== undefined) env[token] = key;
  const known = preset === undefined ? {} : presetEnv({ ...preset, ...(model === undefined ? {} : OTHER_MODEL) });
  Object.assign(env, { ...known, ...(base === undefined ? {} : { ANTHROPIC_BASE_URL: base }) }, asked, modelEnv(model));
  if (isForeign({ baseUrl: base, model })) Object.assign(env, NO_TOOL_SEARCH);
  if (contextWindow !== undefined) env[CONTEXT_WINDOW] = contextWindow;
  if (fullPrompt) env[SIMPLE_SYSTEM_PROMPT] = "0";
  return Object.keys(env).length === 0 ? {} : { env };
}

/** A model chosen by the user serves every role: the provider may have no other. */
function modelEnv(model: string | undefined): Record<string, string> {
  return model === undefined ? {} : modelVariables(inEveryRole(model));
}

/** Whether a model other than Claude is on a server other than Anthropic's. */
export function isForeign({
  baseUrl,
  model,
}: {
  readonly baseUrl?: string | undefined;
  readonly model: string | undefined;
}) {
  return leavesAnthropic(baseUrl) && model !== undefined && !isClaude(model);
}

/** Whether Claude Code would assume a window of 1M tokens: it compacts too late then, and long conversations fail. */
export function lacksWindow(
  of: { readonly baseUrl?: string | undefined; readonly model: string | undefined },
  window: number | string | undefined,
): boolean {
  return isForeign(of) && window === undefined && !of.model?.endsWith("[1m]");
}

/** A preset's facts about its models do not apply to another model. */
const OTHER_MODEL = { models: {}, contextWindow: undefined, compactWindow: undefined };

/** A name for a server without a preset: the distinctive part of its host name. */
export function nameFor(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  if (host === "localhost" || /^[\d.[\]:]+$/.test(host)) return "local";
  const parts = host.split(".").filter((part) => part.length > 2 && !COMMON.includes(part));
  return parts[0] ?? host;
}

const COMMON = ["api", "www", "com", "net", "org", "gateway"];

/** Why a text cannot be a key, or undefined. */
export function keyProblem(key: string): string | undefined {
  if (key === "") return "a key is required";
  if (/[\s\p{C}]/u.test(key)) return "a key contains no spaces and no control characters";
  if (isReference(key)) return "that is a reference, not a key: pass it with --token-ref";
  if (key.includes("${")) return "that names a variable: pass it with --token-ref env:NAME";
  return undefined;
}
