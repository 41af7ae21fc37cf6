import { type Layers, readLayers } from "../../claude/layers.ts";
import { namedIn } from "../../config/expand.ts";
import { settingsFileName } from "../../config/files.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { type Plan, planLaunch } from "../../launch/plan.ts";
import { persistentWord } from "../../marks.ts";
import { join, programFolders } from "../../os/path.ts";
import { NOTHING_DECIDED } from "../../providers/decided.ts";
import { type Identity, shadowStoredKey } from "../../providers/isolate.ts";
import { isOtherReference } from "../../providers/references.ts";
import { checkReferences } from "../../providers/resolve.ts";
import { isSecretVariable, MANAGED_BY_HOST } from "../../providers/variables.ts";
import { planSupervision, refuseWithoutHooks } from "../../supervisor/setup/plan-supervision.ts";
import { prepareSupervision } from "../../supervisor/setup/prepare-supervision.ts";
import { supervisePlan } from "../../supervisor/setup/supervise-plan.ts";
import { persistentSupervision } from "../../supervisor/setup/supervised-settings.ts";
import { asObject, type Json, prettyJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "./places.ts";
import { type Sources, winningVariables } from "./wanted.ts";

export interface Prepared {
  readonly sources: Omit<Sources, "base">;
  readonly notices: readonly string[];
  /** Variables whose secret values will be in settings.json. */
  readonly secrets: readonly string[];
}

/** Does what a launch on the provider does before it starts, including refusals, for sessions that start without ccc. */
export async function prepareUse(
  world: World,
  loaded: LoadedConfig,
  provider: string,
  supervised: boolean,
): Promise<Prepared> {
  const paths = cccPaths(world);
  const layers = readLayers(world.files, world);
  const self = lastingPath(world);
  const word = persistentWord(layers.usersText) ?? newWord();
  const supervision = supervised ? planSupervision(loaded, self, "hook") : undefined;
  if (supervision !== undefined) refuseWithoutHooks([], world.env, { ...layers, settings: [] });
  refuseReferences(loaded, [provider, supervision?.reviewerProvider ?? provider]);
  const claude = supervision === undefined ? "claude" : findClaude(world);
  const situation = {
    loaded,
    paths,
    provider,
    named: false,
    claude,
    self,
    folded: { args: [], settings: undefined },
    // The switch applies to all folders, so the settings of this folder must not matter.
    layers: { ...layers, settings: [] },
    decided: NOTHING_DECIDED,
    word,
    writesKey: true,
    env: world.env,
  };
  const plain = planLaunch(situation);
  const reviewed = supervision && supervisePlan(plain, situation, supervision);
  await checkReferences((reviewed ?? plain).references, world);
  const launch = plain.settings.agent.content;
  const notices = [
    ...plain.notices,
    ...expansions(loaded, provider, launch),
    ...argumentsLost(loaded),
    ...keysElsewhere(reviewed ?? plain),
    ...winners(layers, usePlaces(world).settings),
    ...strongerThanSettings(world.env),
    ...(supervised ? unreviewed(layers, usePlaces(world).settings) : []),
  ];
  const secrets = secretNames(launch);
  const reviewer = reviewed?.settings.reviewer;
  if (supervision === undefined || reviewer === undefined) {
    return { sources: { launch, supervision: undefined, shell: world.env }, notices, secrets };
  }
  const reviewerFile = join(paths.generated, settingsFileName(provider, "persistent"));
  world.files.writePrivate(reviewerFile, prettyJson(withoutStoredKey(reviewer.content)));
  await prepareSupervision(world, paths, { provider, claude, supervision, isPersistent: true });
  const added = withFolder(persistentSupervision(supervision, reviewerFile, word), world);
  return { sources: { launch, supervision: added, shell: world.env }, notices, secrets };
}

function withoutStoredKey(content: Json): Json {
  const { env, apiKeyHelper } = content;
  const identity = { env: asObject(env) as Identity["env"], apiKeyHelper: String(apiKeyHelper ?? "") };
  return { ...content, env: shadowStoredKey(identity).env };
}

function newWord(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function secretNames({ env }: Json): string[] {
  const entries = Object.entries(asObject(env));
  return entries.flatMap(([name, value]) => (value !== "" && isSecretVariable(name, String(value)) ? [name] : []));
}

/** A path that survives upgrades: the link on PATH if there is one, not its target. */
function lastingPath({ env, files, self, platform }: World): string {
  const own = files.identify(self)?.id;
  const folders = platform === "win32" ? [] : programFolders(env, platform);
  return folders.map((folder) => join(folder, "ccc")).find((path) => files.identify(path)?.id === own) ?? self;
}

/** The hook reads ccc.json and SUPERVISOR.md; an editor that starts claude may not set CCC_CONFIG_DIR. */
function withFolder(supervision: Json, { env: { CCC_CONFIG_DIR: folder } }: World): Json {
  return folder ? { ...supervision, env: { ...asObject(supervision.env), CCC_CONFIG_DIR: folder } } : supervision;
}

/** Claude Code can ask for a provider's key; any other secret would have to be written to settings.json. */
function refuseReferences({ config, providers }: LoadedConfig, names: readonly string[]): void {
  const blocks = {
    settings: config.settings?.env,
    ...Object.fromEntries(names.map((name) => [`providers.${name}`, providers.get(name)?.env])),
  };
  for (const [field, block] of Object.entries(blocks)) {
    const found = Object.entries(block ?? {}).find(([name, value]) => isOtherReference(name, value));
    if (found === undefined) continue;
    throw new CccError(`${field}.env.${found[0]} is a reference, which does not work in settings.json`, {
      advice: "Only a provider's key can be a reference here. Start it with ccc instead: ccc resolves all references.",
    });
  }
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
function keysElsewhere({ references }: Plan): string[] {
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
    const names = [...winningVariables(env), ...(apiKeyHelper ? ["apiKeyHelper"] : [])];
    if (path === own || names.length === 0) return [];
    return [
      `${path} sets ${names.join(", ")}, which wins for plain claude in this folder; launches with ccc are not affected`,
    ];
  });
}

/** Claude Code reads these from its environment alone, so settings.json cannot cancel them. */
function strongerThanSettings(env: World["env"]): string[] {
  const names = ["ANTHROPIC_UNIX_SOCKET", MANAGED_BY_HOST, "CLAUDE_CODE_HOST_AUTH_ENV_VAR"].filter((name) => env[name]);
  return names.map(
    (name) =>
      `${name} is set in this shell, and settings.json cannot override it: plain claude does not use the provider here; unset ${name}`,
  );
}
