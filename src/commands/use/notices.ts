import type { Layers } from "../../claude/layers.ts";
import { type LoadedConfig, namedIn } from "../../config/load.ts";
import type { Plan } from "../../launch/plan.ts";
import { kindOf, MANAGED_BY_HOST } from "../../providers/variables.ts";
import { asObject, type Json } from "../../text/json.ts";
import type { Env } from "../../world.ts";

interface NoticeSources {
  readonly loaded: LoadedConfig;
  readonly provider: string;
  readonly supervised: boolean;
  /** The settings of a launch, as they are written to the user's settings.json. */
  readonly launch: Json;
  readonly references: Plan["references"];
  readonly layers: Layers;
  /** The path of the user's settings.json. */
  readonly settings: string;
  readonly env: Env;
}

/** How plain claude will differ from a launch with ccc. */
export function useNotices({
  loaded,
  provider,
  supervised,
  launch,
  references,
  layers,
  settings,
  env,
}: NoticeSources): string[] {
  return [
    ...expansions(loaded, provider, launch),
    ...argumentsLost(loaded),
    ...keysElsewhere(references),
    ...winners(layers, settings),
    ...strongerThanSettings(env),
    ...(supervised ? unreviewed(layers, settings) : []),
  ];
}

/** settings.json does not support ${NAME}: ccc writes today's value. */
function expansions({ config, providers }: LoadedConfig, provider: string, launch: Json): string[] {
  const written = asObject(launch.env);
  const block = Object.entries({ ...config.settings?.env, ...providers.get(provider)?.env });
  return namedIn(block.flatMap(([name, value]) => (written[name] ? [value] : []))).map(
    (name) => `the current value of ${name} is written to the file; if it changes, run this again`,
  );
}

function argumentsLost({ config }: LoadedConfig): string[] {
  const given = config.claude_args ?? [];
  return given.length === 0 ? [] : ["claude_args of ccc.json apply only to launches with ccc, not to plain claude"];
}

/** An editor does not have the variables of this shell. */
function keysElsewhere(references: Plan["references"]): string[] {
  const names = references.flatMap(({ reference }) => (reference.startsWith("env:") ? [reference.slice(4)] : []));
  return [...new Set(names)].map(
    (name) => `the key is read when it is needed: ${name} must be set wherever claude is started`,
  );
}

/** Cases in which the user's settings cannot enforce reviews. */
function unreviewed({ settings }: Layers, own: string): string[] {
  return [
    ...settings
      .filter(({ path, forbidsHooks }) => path !== own && forbidsHooks)
      .map(({ path }) => `${path} disables hooks: plain claude is not reviewed in this folder`),
    "a project's settings can disable these reviews, but not those of `ccc --supervisor`",
  ];
}

/** A project's settings win over the user's settings.json, which `ccc use` changes. */
function winners({ settings }: Layers, own: string): string[] {
  return settings.flatMap(({ path, env, apiKeyHelper }) => {
    const names = [
      ...Object.keys(env).filter((name) => kindOf(name) !== undefined),
      ...(apiKeyHelper ? ["apiKeyHelper"] : []),
    ];
    if (path === own || names.length === 0) return [];
    return [
      `${path} sets ${names.join(", ")}, which wins for plain claude in this folder; launches with ccc are not affected`,
    ];
  });
}

/** Claude Code reads these from its environment alone, so settings.json cannot cancel them. */
function strongerThanSettings(env: Env): string[] {
  const names = ["ANTHROPIC_UNIX_SOCKET", MANAGED_BY_HOST, "CLAUDE_CODE_HOST_AUTH_ENV_VAR"].filter((name) => env[name]);
  return names.map(
    (name) =>
      `${name} is set in this shell, and settings.json cannot override it: plain claude does not use the provider here; unset ${name}`,
  );
}
