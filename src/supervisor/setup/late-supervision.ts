import { hookForm } from "../../claude/hook-form.ts";
import { readLayers } from "../../claude/layers.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { loadConfig } from "../../config/load-config.ts";
import { CccError } from "../../errors.ts";
import { claudeVersion } from "../../launch/claude-version.ts";
import { type LaunchPins, launchPins } from "../../launch/launch-pins.ts";
import { type Plan, planLaunch } from "../../launch/plan.ts";
import { launchSituation } from "../../launch/situation.ts";
import { checkReferences, withResolvedEnv } from "../../providers/resolve.ts";
import { isObject, parseJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { launchEnvironment } from "../record/launch-environment.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { pinnedReviewers } from "./pinned-reviewers.ts";
import { planSupervision } from "./plan-supervision.ts";
import { plannedReviewers, recordedReviewers } from "./planned-reviewers.ts";
import { supervisePlan } from "./supervise-plan.ts";

/** A session that was launched without supervision. */
export interface LateSession {
  /** What was on record when it started. */
  readonly launch: LaunchRecord;
  readonly provider: string;
  /** The settings file that its launch wrote. */
  readonly agentSettings: string;
  /** The folders of `--add-dir`. */
  readonly folders: readonly string[];
}

/** What a supervised launch would have prepared. */
export interface LateSupervision {
  readonly launch: LaunchRecord;
  readonly limit: number;
  /** The reviewer's settings file. */
  readonly reviewer: string;
  /** It, and those of further reviewers, still to be written. */
  readonly files: Plan["files"];
}

/**
 * Plans supervision for a session that already runs: from ccc.json, from the settings and the environment of its launch,
 * and from what was on record when it started. Nothing else that the agent can have changed meanwhile counts.
 */
export async function superviseLater(world: World, paths: Paths, session: LateSession): Promise<LateSupervision> {
  const { provider, agentSettings } = session;
  const env = { ...launchEnvironment(session.launch.environment, world.env), CCC_CONFIG_DIR: paths.folder };
  const own: World = { ...world, env, cwd: session.launch.cwd };
  const content = parseJson(world.files.read(agentSettings) ?? "");
  if (!isObject(content)) throw new CccError(`${agentSettings} cannot be read`);

  const config = loadConfig(own);
  const { claude } = session.launch;
  const version = await claudeVersion(own, claude, paths);
  const pins = pinsOf(session, config, own);
  const { supervision: planned } = pinnedReviewers(planSupervision(config, own, "hook"), provider, pins);
  const supervision = { ...planned, hookForm: hookForm(version, world.platform) };
  const { reviewerProvider = provider, fallback } = supervision;
  const loaded = await withResolvedEnv(config, [reviewerProvider, ...fallback.map((each) => each.provider)], own);
  const layers = readLayers(world.files, own);
  const folded = { args: addingFolders(session), settings: undefined };
  const situation = launchSituation(own, { loaded, paths, provider, named: false, claude, folded, layers });
  const plain = planLaunch(situation);
  // With the user's own --settings, and named after its content: another launch may have other settings.
  const launched = {
    ...plain,
    isShared: false,
    settings: { ...plain.settings, agent: { path: agentSettings, content } },
  };
  const { settings, references } = supervisePlan(launched, situation, supervision);
  await checkReferences(references, own);
  if (settings.reviewer === undefined) throw new CccError("there are no settings for a reviewer");
  const others = settings.fallback.map(({ path }) => path);
  const reviewers = recordedReviewers(plannedReviewers(provider, supervision), others);
  return {
    launch: { ...session.launch, provider, version: version ?? null, ...reviewers },
    limit: supervision.limit,
    reviewer: settings.reviewer.path,
    files: [settings.reviewer, ...settings.fallback],
  };
}

function addingFolders({ folders }: LateSession): string[] {
  return folders.flatMap((folder) => ["--add-dir", folder]);
}

/** A session on a provider that a pin refuses was started with --anyway, which holds for its reviews too. */
function pinsOf(session: LateSession, config: LoadedConfig, world: World): LaunchPins {
  const pins = launchPins(addingFolders(session), config, world);
  return pins.strict.every((pin) => pin.provider === session.provider) ? pins : { ...pins, strict: [] };
}
