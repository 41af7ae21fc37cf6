import type { Settings } from "../claude/settings.ts";
import { expandEnv } from "../config/expand.ts";
import type { LoadedConfig } from "../config/load.ts";
import { CccError } from "../errors.ts";
import type { Env } from "../world.ts";
import { kindOf } from "./variables.ts";

/** What is known about where a session ran. */
export interface SessionTrace {
  /** The model of its last answer, by each name that the session knows for it. The best known name is first. */
  readonly models: readonly string[];
  /** The provider in ccc's own record of the session. */
  readonly recorded: string | undefined;
}

/** The providers that a session can have run on: none if that is unknown, several if they have the same model. */
export function providersOfSession(
  { models, recorded }: SessionTrace,
  modelsOf: ReadonlyMap<string, readonly string[]>,
): string[] {
  const found = models.map((model) => providersWith(model, modelsOf)).find((names) => names.length > 0) ?? [];
  const isRecorded = recorded !== undefined && modelsOf.has(recorded);
  // The session may have been resumed without ccc since, or with another provider: then the answer is newer.
  return isRecorded && (found.length === 0 || found.includes(recorded)) ? [recorded] : found;
}

function providersWith(model: string, modelsOf: ReadonlyMap<string, readonly string[]>): string[] {
  const name = comparable(model);
  const providers = [...modelsOf];
  const naming = providers.filter(([, models]) => models.some((each) => comparable(each) === name));
  // A provider that names no model gets Claude Code's own.
  const silent = name.startsWith("claude-") ? providers.filter(([, models]) => models.length === 0) : [];
  return (naming.length > 0 ? naming : silent).map(([provider]) => provider);
}

/** Without case, [1m] and the date that servers append. */
function comparable(model: string): string {
  return model
    .toLowerCase()
    .replace(/\[1m\]$/, "")
    .replace(/-20\d{6}$/, "");
}

/** The models that each provider names. */
export function namedModels({ config, providers }: LoadedConfig, env: Env): Map<string, string[]> {
  const named = (settings: Settings) => namedIn(settings, env);
  const shared = config.settings ?? {};
  return new Map(
    [...providers].map(([name, own]) => [name, Object.values({ ...named(shared), ...named(own) }).filter(Boolean)]),
  );
}

function namedIn(settings: Settings, env: Env): Record<string, string> {
  const block = Object.entries(settings.env ?? {}).filter(([name]) => kindOf(name) === "model");
  const model = typeof settings.model === "string" ? { model: settings.model } : {};
  try {
    return { ...model, ...expandEnv(Object.fromEntries(block), env, "") };
  } catch (error) {
    // A ${NAME} that is not set says nothing. The launch reports it.
    if (error instanceof CccError) return model;
    throw error;
  }
}
