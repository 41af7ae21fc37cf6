import { addedFolders } from "../../claude/arguments.ts";
import { withToolHook } from "../../claude/quick-events.ts";
import { settingsForReviewer } from "../../claude/runs.ts";
import { settingsFileName } from "../../config/paths.ts";
import {
  type LaunchSituation,
  type Plan,
  providerSettings,
  type SettingsFile,
  settingsFile,
} from "../../launch/plan.ts";
import {
  type AgentHooks,
  agentSettings,
  hookCommand,
  withAgentSettings,
  withCommands,
} from "../../launch/session-plan.ts";
import {
  GUARD_COMMAND,
  LAUNCH_FLAG,
  LAUNCH_MARKER,
  NO_SECRET,
  PERSISTENT_FLAG,
  REVIEWER_MARKER,
  reviewerMarker,
} from "../../markers.ts";
import { join } from "../../os/path.ts";
import { asObject, type Json } from "../../text/json.ts";
import { STATE_FOLDER } from "../project.ts";
import { plannedReviewers, type Supervision } from "./supervision.ts";

/**
 * Adds supervision to a plan: settings with hooks for the agent, and separate settings for each reviewer. A session in the
 * terminal also gets ccc's status line and commands.
 */
export function supervisePlan(
  plan: Plan,
  situation: LaunchSituation,
  supervision: Supervision,
  isTerminal: boolean,
): Plan {
  const { provider } = plan;
  const { content } = plan.settings.agent;
  const folders = addedFolders(situation.folded.args);
  // An older Claude Code, with its other form of hooks, must not change the files of a newer one, nor the other way round.
  const isShared = plan.isShared && folders.length === 0 && supervision.hookForm === "exec";
  const [first, ...others] = plannedReviewers(provider, supervision);
  const settingsOf = (name: string) =>
    name === provider ? { content, references: [] } : providerSettings(situation, name);
  const review = settingsOf(first.provider);
  const reviewing = reviewerSettings(review.content, supervision, folders);
  const reviewer = settingsFile(situation.paths, provider, "reviewer", reviewing, isShared);
  const agent = supervisedAgent(plan, situation, supervision, reviewer.path, isTerminal);
  const fallback = others.map((other) => {
    const own = settingsOf(other.provider);
    const file = reviewerFile(situation, supervision, { provider, model: other.model, content: own.content });
    return { file, references: own.references };
  });
  const fallbackFiles = fallback.map(({ file }) => file);
  const rest = plan.files.filter((file) => file !== plan.settings.agent);
  const supervised = {
    ...withAgentSettings(plan, agent),
    files: [agent, reviewer, ...fallbackFiles, ...rest],
    settings: { agent, reviewer, fallback: fallbackFiles },
    isShared,
    references: distinctReferences([
      ...plan.references,
      ...review.references,
      ...fallback.flatMap((each) => each.references),
    ]),
  };
  return isTerminal ? withCommands(supervised, situation) : supervised;
}

/** The plan of a loop, with what the session needs when it continues by the plan `later`. */
export function withHandOver(plan: Plan, later: Plan): Plan {
  const paths = new Set(plan.files.map(({ path }) => path));
  return {
    ...plan,
    files: [...plan.files, ...later.files.filter(({ path }) => !paths.has(path))],
    settings: { ...plan.settings, handOver: later.settings.agent },
  };
}

/** What supervision adds to the user's own settings.json, for sessions that ccc does not start. */
export function persistentSupervision(supervision: Supervision, reviewerFile: string, secret: string): Json {
  const hooks = reviewHooks(supervision, reviewerFile, `${PERSISTENT_FLAG}=${secret}`);
  return agentSettings({ env: { [LAUNCH_MARKER]: "" } }, { hooks });
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
  const { provider, model, content } = reviewer;
  const own = reviewerSettings(content, { ...supervision, model }, addedFolders(folded.args));
  return settingsFile(paths, provider, "reviewer", own, false);
}

/** The agent's settings. The loop reviews without hooks; hooks name their launch, so it has a file of its own. */
function supervisedAgent(
  { provider, settings: { agent } }: Plan,
  situation: LaunchSituation,
  supervision: Supervision,
  reviewerFile: string,
  isTerminal: boolean,
): SettingsFile {
  if (supervision.engine === "loop") return agent;
  const { content } = agent;
  const shown = isTerminal ? agentSettings(content, { status: { ...situation, isSupervised: true } }) : content;
  const hooks = reviewHooks(supervision, reviewerFile, `${LAUNCH_FLAG}=${supervision.launch}`);
  return {
    path: join(situation.paths.generated, settingsFileName(provider, "supervised", supervision.launch)),
    content: agentSettings(shown, { hooks }),
  };
}

/** Several settings may have the key of one provider, which is fetched once. */
export function distinctReferences(references: Plan["references"]): Plan["references"] {
  return [...new Map(references.map((each) => [`${each.field} ${each.reference}`, each])).values()];
}

function reviewHooks(supervision: Supervision, reviewerFile: string, ...flags: string[]): AgentHooks {
  const record = ["--config-dir", supervision.configDir, ...flags];
  return {
    supervision,
    record,
    review: ["--settings", reviewerFile, "--state-dir", STATE_FOLDER, "--announce", ...record],
    failure: supervision.canWake ? record : undefined,
    isIdle: false,
  };
}

/** The reviewer's settings: ccc's guard is the only hook; the agent's permissions to write and its plugins are not passed on. */
function reviewerSettings(
  content: Json,
  { self, hookForm, model }: Pick<Supervision, "self" | "hookForm" | "model">,
  folders: readonly string[] = [],
): Json {
  const settings = settingsForReviewer(content, folders);
  const chosen = model === undefined ? {} : { ANTHROPIC_MODEL: model };
  // Its environment has the reviewer's marker, but the hook of `ccc use` trusts only a marker with its secret.
  const { [REVIEWER_MARKER]: _, ...env } = asObject(settings.env);
  const secret = String(env[LAUNCH_MARKER] ?? NO_SECRET);
  const marker = secret === NO_SECRET ? {} : { [REVIEWER_MARKER]: reviewerMarker(secret) };
  const own = { ...settings, env: { ...env, ...marker, ...chosen } };
  return withToolHook(own, hookCommand(hookForm, self, [GUARD_COMMAND]));
}
