import { addedFolders } from "../../claude/arguments.ts";
import { type LaunchSituation, type Plan, providerSettings, settingsFile, withSettings } from "../../launch/plan.ts";
import { type Supervision, supervisedFiles } from "./supervised-settings.ts";

/** Adds supervision to a plan: settings with hooks for the agent, and separate settings for the reviewer. */
export function supervisePlan(plan: Plan, situation: LaunchSituation, supervision: Supervision): Plan {
  const { provider } = plan;
  const agent = plan.settings.agent.content;
  const folders = addedFolders(situation.folded.args);
  // An older Claude Code, with its other hooks, must not change the files of a newer one, nor the other way round.
  const isShared = plan.isShared && folders.length === 0 && supervision.hookForm === "exec";
  const { reviewerProvider = provider } = supervision;
  const review =
    reviewerProvider === provider ? { content: agent, references: [] } : providerSettings(situation, reviewerProvider);
  const settings = supervisedFiles(
    supervision,
    (variant, content) => settingsFile(situation.paths, provider, variant, content, isShared),
    { agent, reviewer: review.content, folders },
  );
  const others = plan.files.filter((file) => file !== plan.settings.agent);
  return {
    ...plan,
    args: withSettings(settings.agent.path, situation.folded.args),
    files: [settings.agent, settings.reviewer, ...others],
    settings,
    isShared,
    references: [...plan.references, ...review.references],
  };
}
