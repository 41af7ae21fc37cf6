import { addedFolders } from "../../claude/arguments.ts";
import {
  type LaunchSituation,
  type Plan,
  providerSettings,
  type SettingsFile,
  settingsFile,
  withSettings,
} from "../../launch/plan.ts";
import { NOTES_MARK } from "../../marks.ts";
import type { Json } from "../../text/json.ts";
import { plannedReviewers } from "./planned-reviewers.ts";
import { reviewerSettings, type Supervision, supervisedFiles } from "./supervised-settings.ts";

/** Adds supervision to a plan: settings with hooks for the agent, and separate settings for each reviewer. */
export function supervisePlan(plan: Plan, situation: LaunchSituation, supervision: Supervision): Plan {
  const { provider } = plan;
  const agent = plan.settings.agent.content;
  const folders = addedFolders(situation.folded.args);
  // An older Claude Code, with its other hooks, must not change the files of a newer one, nor the other way round.
  const isOlder = supervision.hookForm !== "exec" || (supervision.engine === "hook" && !supervision.canWake);
  const isShared = plan.isShared && folders.length === 0 && !isOlder;
  const [first, ...others] = plannedReviewers(provider, supervision);
  const settingsOf = (name: string) =>
    name === provider ? { content: agent, references: [] } : providerSettings(situation, name);
  const review = settingsOf(first.provider);
  const settings = supervisedFiles(
    supervision,
    (variant, content) => settingsFile(situation.paths, provider, variant, content, isShared),
    { agent, reviewer: review.content, folders },
  );
  const fallback = others.map((reviewer) => {
    const { content, references } = settingsOf(reviewer.provider);
    return { file: reviewerFile(situation, supervision, { provider, model: reviewer.model, content }), references };
  });
  const fallbackFiles = fallback.map(({ file }) => file);
  const rest = plan.files.filter((file) => file !== plan.settings.agent);
  return {
    ...plan,
    args: withSettings(settings.agent.path, situation.folded.args),
    // Inherited from another session, its hooks would report this one.
    unset: situation.env[NOTES_MARK] === undefined ? plan.unset : [...plan.unset, NOTES_MARK],
    files: [settings.agent, settings.reviewer, ...fallbackFiles, ...rest],
    settings: { ...settings, fallback: fallbackFiles },
    isShared,
    references: distinct([...plan.references, ...review.references, ...fallback.flatMap((each) => each.references)]),
  };
}

/** A reviewer's settings file. There may be several, and other launches may have others: it is named after its content. */
export function reviewerFile(
  { paths, folded }: Pick<LaunchSituation, "paths" | "folded">,
  supervision: Pick<Supervision, "self" | "hookForm">,
  reviewer: {
    /** For the file's name. */
    readonly provider: string;
    readonly model: string | undefined;
    /** The settings of its provider. */
    readonly content: Json;
  },
): SettingsFile {
  const { provider, model: reviewerModel, content } = reviewer;
  const own = reviewerSettings(content, { ...supervision, reviewerModel }, addedFolders(folded.args));
  return settingsFile(paths, provider, "reviewer", own, false);
}

/** A provider may review with several models, but its key is fetched once. */
function distinct(references: Plan["references"]): Plan["references"] {
  return [...new Map(references.map((each) => [`${each.field} ${each.reference}`, each])).values()];
}
