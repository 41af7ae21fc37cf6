import { refuseSettings } from "../../claude/accepted-settings.ts";
import { hookForm } from "../../claude/hook-form.ts";
import { readLayers } from "../../claude/layers.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { claudeVersion } from "../../launch/claude-version.ts";
import { findClaude } from "../../launch/find.ts";
import { foldSettings } from "../../launch/fold.ts";
import { planLaunch, providerSettings } from "../../launch/plan.ts";
import { launchSituation } from "../../launch/situation.ts";
import { checkReferences, withResolvedEnv } from "../../providers/resolve.ts";
import type { LaunchRecord } from "../../supervisor/record/launch-record.ts";
import { plannedReviewers, recordedReviewers } from "../../supervisor/setup/planned-reviewers.ts";
import { reviewerFile } from "../../supervisor/setup/supervise-plan.ts";
import type { Json } from "../../text/json.ts";
import { prettyJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import type { ChosenReviewer } from "./choose-reviewer.ts";

export interface PreparedReviewers {
  readonly record: Pick<LaunchRecord, "claude" | "version" | "reviewer" | "same_model" | "fallback">;
  /** The first reviewer's settings file. */
  readonly settings: string;
  /** The settings of all, and the keys that they refer to: for redaction. */
  readonly contents: readonly Json[];
  readonly keys: readonly string[];
}

/** Writes the reviewers' settings files, as a launch on their providers would. */
export async function prepareReviewers(
  world: World,
  { agent, supervision }: ChosenReviewer,
  given: LoadedConfig,
  paths: Paths,
): Promise<PreparedReviewers> {
  const claude = findClaude(world);
  const version = await claudeVersion(world, claude, paths);
  const reviewers = plannedReviewers(agent, supervision);
  const loaded = await withResolvedEnv(given, [...new Set(reviewers.map(({ provider }) => provider))], world);
  const folded = foldSettings(loaded.config.claude_args ?? [], world.files, world.cwd);
  if (folded.settings !== undefined) refuseSettings(folded.settings);
  const layers = readLayers(world.files, world);
  const situationOf = (provider: string) =>
    launchSituation(world, { loaded, paths, provider, named: false, claude, folded, layers });
  // Named after their content: other files of the provider belong to sessions that may be running.
  const planned = reviewers.map(({ provider, model }) => {
    const situation = situationOf(provider);
    // With the agent's provider it has the agent's own settings, so that it can share the prompt cache.
    const plan = provider === agent ? planLaunch(situation) : undefined;
    const { content, references } =
      plan === undefined
        ? providerSettings(situation, provider)
        : { content: plan.settings.agent.content, references: plan.references };
    const form = { self: world.self, hookForm: hookForm(version, world.platform) };
    return { file: reviewerFile(situation, form, { provider, model, content }), references };
  });
  const keys = await checkReferences(
    planned.flatMap(({ references }) => references),
    world,
  );
  for (const { file } of planned) {
    world.files.writePrivate(file.path, prettyJson(file.content));
    // Launches remove those that were not used for a long time.
    world.files.touch(file.path);
  }
  const [settings = "", ...fallback] = planned.map(({ file }) => file.path);
  const record = { claude, version: version ?? null, ...recordedReviewers(reviewers, fallback) };
  return { record, settings, contents: planned.map(({ file }) => file.content), keys };
}
