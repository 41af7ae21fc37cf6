import { type HookForm, hookForm } from "../../claude/hook-form.ts";
import { readLayers } from "../../claude/layers.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { useReviewerFileName } from "../../config/settings-files.ts";
import { CccError } from "../../errors.ts";
import { claudeVersion } from "../../launch/claude-version.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { findClaude } from "../../launch/find.ts";
import { lastingPath } from "../../launch/lasting-path.ts";
import { planLaunch } from "../../launch/plan.ts";
import { persistentWord } from "../../marks.ts";
import { join } from "../../os/path.ts";
import { NOTHING_DECIDED } from "../../providers/decided.ts";
import { defaultsForServer } from "../../providers/defaults-for-server.ts";
import { type Identity, shadowStoredKey } from "../../providers/isolate.ts";
import { isOtherReference } from "../../providers/references.ts";
import { checkReferences } from "../../providers/resolve.ts";
import { isSecretVariable } from "../../providers/variables.ts";
import { planSupervision, refuseWithoutHooks } from "../../supervisor/setup/plan-supervision.ts";
import { plannedReviewers } from "../../supervisor/setup/planned-reviewers.ts";
import { prepareSupervision } from "../../supervisor/setup/prepare-supervision.ts";
import { supervisePlan } from "../../supervisor/setup/supervise-plan.ts";
import { persistentSupervision } from "../../supervisor/setup/supervised-settings.ts";
import { asObject, type Json, prettyJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { useNotices } from "./use-notices.ts";
import { usePlaces } from "./use-places.ts";
import type { UseSources } from "./wanted.ts";

export interface PreparedUse {
  readonly sources: Omit<UseSources, "base">;
  readonly notices: readonly string[];
  /** Variables whose secret values will be in settings.json. */
  readonly secrets: readonly string[];
  /** The settings files of reviewers that have a key in them, and whose it is. */
  readonly keyFiles: readonly KeyFile[];
}

export interface KeyFile {
  readonly provider: string;
  readonly path: string;
}

/** Does what a launch on the provider does before it starts, including refusals, for sessions that start without ccc. */
export async function prepareUse(
  world: World,
  loaded: LoadedConfig,
  provider: string,
  supervised: boolean,
): Promise<PreparedUse> {
  const paths = cccPaths(world);
  const layers = readLayers(world.files, world);
  const self = lastingPath(world);
  const word = persistentWord(layers.usersText) ?? newWord();
  const planned = supervised ? planSupervision(loaded, { ...world, self }, "hook") : undefined;
  if (planned !== undefined) refuseWithoutHooks([], world.env, { ...layers, settings: [] });
  const reviewing = planned === undefined ? [] : plannedReviewers(provider, planned);
  refuseReferences(loaded, [provider, ...reviewing.map((each) => each.provider)]);
  const claude = planned === undefined ? "claude" : findClaude(world);
  const version = planned && (await claudeVersion(world, claude, paths));
  const supervision = planned && { ...planned, hookForm: lastingForm(version, world.platform) };
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
  const { configured } = currentLaunch(world, loaded, provider);
  const defaults = defaultsForServer(configured.env, { settings: [], env: world.env }).map(({ name }) => name);
  const reviewed = supervision && supervisePlan(plain, situation, supervision);
  const { references } = reviewed ?? plain;
  await checkReferences(references, world);
  const launch = plain.settings.agent.content;
  const notices = [
    ...plain.notices,
    ...useNotices({
      loaded,
      provider,
      supervised,
      launch,
      references,
      layers,
      settings: usePlaces(world).settings,
      env: world.env,
    }),
  ];
  const secrets = secretNames(launch);
  const reviewer = reviewed?.settings.reviewer;
  if (supervision === undefined || reviewer === undefined) {
    return { sources: { launch, defaults, supervision: undefined, shell: world.env }, notices, secrets, keyFiles: [] };
  }
  const files = [reviewer, ...(reviewed?.settings.fallback ?? [])].map(({ content }, index) => {
    const path = join(paths.generated, useReviewerFileName(provider, index));
    world.files.writePrivate(path, prettyJson(withoutStoredKey(content)));
    return { path, provider: reviewing[index]?.provider ?? provider, hasKey: secretNames(content).length > 0 };
  });
  const [reviewerFile = "", ...fallback] = files.map(({ path }) => path);
  await prepareSupervision(world, paths, { provider, claude, version, supervision, fallback, isPersistent: true });
  const added = withFolder(persistentSupervision(supervision, reviewerFile, word), world);
  return {
    sources: { launch, defaults, supervision: added, shell: world.env },
    notices,
    secrets,
    keyFiles: files.filter(({ hasKey }) => hasKey),
  };
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

/** Plain claude may be an older version, now in an editor or later: each of them understands a line for a POSIX shell. */
function lastingForm(version: string | undefined, platform: string): HookForm {
  return platform === "win32" ? hookForm(version, platform) : "shell";
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
