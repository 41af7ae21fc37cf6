import { cloudOf } from "../claude/clouds.ts";
import { SIMPLE_SYSTEM_PROMPT, TOOL_SEARCH } from "../claude/foreign-models.ts";
import { COMPACT_WINDOW, CONTEXT_WINDOW, inEveryRole, modelVariables } from "../claude/model.ts";
import type { ProviderEntry } from "../config/schema.ts";
import { presetEnv } from "./preset-env.ts";
import { presetOrigin } from "./preset-note.ts";
import { kindOf, TOKENS } from "./variables.ts";

/**
 * A provider that is added again. Server, key and models are the new ones; everything else that the user has set stays,
 * except what would send a key or a model of the old server to the new one.
 */
export function replaceSettings(name: string, before: ProviderEntry, next: ProviderEntry): ProviderEntry {
  const old = before.env ?? {};
  const isSameServer = serverOf(before) === serverOf(next);
  const fromPreset = valuesOfPreset(name, before);
  const stays = (variable: string) =>
    !DESCRIBED.includes(variable) &&
    String(old[variable]) !== fromPreset[variable] &&
    (isSameServer || kindOf(variable) === undefined);
  const kept = Object.fromEntries(Object.entries(old).filter(([variable]) => stays(variable)));
  const { env: _env, preset: _preset, apiKeyHelper, model, ...settings } = before;
  const env: NonNullable<ProviderEntry["env"]> = Object.assign({}, next.env, kept, next.env);
  const hasKey = TOKENS.some((token) => next.env?.[token]);
  return {
    ...(isSameServer && model !== undefined ? { model } : {}),
    ...(isSameServer && !hasKey && apiKeyHelper !== undefined ? { apiKeyHelper } : {}),
    ...settings,
    ...next,
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

/** What `ccc provider add` says about a provider: a variable that it does not set any more is gone. */
const DESCRIBED: readonly string[] = [
  "ANTHROPIC_BASE_URL",
  ...TOKENS,
  ...Object.keys(modelVariables(inEveryRole("any"))),
  CONTEXT_WINDOW,
  COMPACT_WINDOW,
  TOOL_SEARCH,
  SIMPLE_SYSTEM_PROMPT,
];

function serverOf({ env }: ProviderEntry): string {
  const texts = Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, String(value)]));
  return `${texts.ANTHROPIC_BASE_URL ?? ""} ${cloudOf(texts)?.variable ?? ""}`;
}

function valuesOfPreset(name: string, entry: ProviderEntry): Readonly<Record<string, string>> {
  const origin = presetOrigin(name, entry);
  if (origin.kind === "noted") return origin.note.env;
  return origin.kind === "guessed" ? presetEnv(origin.preset) : {};
}
