import { failureHook } from "../../claude/failure-event.ts";
import type { HookForm } from "../../claude/hook-form.ts";
import { withFolders, withoutPermissions, withoutPlugins } from "../../claude/reviewer-command.ts";
import {
  BLOCK_CAP,
  type Hooks,
  recordHook,
  stopHook,
  WITHOUT_HOOKS,
  withHooks,
  withHooksAllowed,
} from "../../claude/stop-hook.ts";
import { withToolHook } from "../../claude/tool-event.ts";
import type { Engine } from "../../config/defaults.ts";
import { blockCap, HOOK_MARGIN_SECONDS, hookSeconds } from "../../config/hook-limits.ts";
import type { ReviewerName } from "../../config/reviewer-name.ts";
import type { SettingsVariant } from "../../config/settings-files.ts";
import { hookCommand } from "../../launch/hook-command.ts";
import type { SettingsFile } from "../../launch/plan.ts";
import { LAUNCH_MARK, NO_WORD, PERSISTENT_FLAG, REVIEWER_MARK, reviewerMark } from "../../marks.ts";
import { asObject, type Json } from "../../text/json.ts";
import { STATE_FOLDER } from "../hook-options.ts";
import { guardCommand } from "../tool-guard/guard-command.ts";

export interface Supervision {
  readonly engine: Engine;
  readonly hookForm: HookForm;
  /** Whether a hook can wake the agent's session. */
  readonly canWake: boolean;
  /** How long a session in a terminal waits for a usage limit. */
  readonly limitWaitSeconds: number;
  /** The path of ccc, for the hook command. */
  readonly self: string;
  /** The folder of ccc.json, where session records are kept. */
  readonly configDir: string;
  readonly limit: number;
  readonly timeoutSeconds: number;
  /** The user's own checks: of the command line and of ccc.json. */
  readonly checks: readonly string[];
  readonly checkTimeoutSeconds: number;
  /** The reviewer's provider and model, if different from the agent's. */
  readonly reviewerProvider: string | undefined;
  readonly reviewerModel: string | undefined;
  /** Who reviews if the reviewer cannot. */
  readonly fallback: readonly ReviewerName[];
}

type NameFile = (variant: SettingsVariant, content: Json) => SettingsFile;

export function supervisedFiles(
  supervision: Supervision,
  file: NameFile,
  settings: { readonly agent: Json; readonly reviewer: Json; readonly folders?: readonly string[] },
): { readonly agent: SettingsFile; readonly reviewer: SettingsFile } {
  const reviewer = file("reviewer", reviewerSettings(settings.reviewer, supervision, settings.folders));
  const agent =
    supervision.engine === "loop"
      ? file("plain", settings.agent)
      : file("supervised", supervisedSettings(settings.agent, supervision, reviewer.path));
  return { agent, reviewer };
}

/** Blanks for the variables that turn hooks off, so that no other settings, a project's in particular, can set them. */
const NO_HOOK_BLANKS = Object.fromEntries([...WITHOUT_HOOKS, REVIEWER_MARK].map((name) => [name, ""]));

/** The agent's settings with the hooks added and everything removed that would turn them off. */
function supervisedSettings(settings: Json, supervision: Supervision, reviewerFile: string): Json {
  const env = { ...asObject(settings.env), ...NO_HOOK_BLANKS, [BLOCK_CAP]: blockCap(supervision.limit) };
  return withHooks(withHooksAllowed({ ...settings, env }), hooksOf(supervision, reviewerFile));
}

/** What supervision adds to the user's own settings.json, for sessions that ccc does not start. */
export function persistentSupervision(supervision: Supervision, reviewerFile: string, word: string): Json {
  const env = { ...NO_HOOK_BLANKS, [BLOCK_CAP]: blockCap(supervision.limit), [LAUNCH_MARK]: "" };
  return withHooks({ env }, hooksOf(supervision, reviewerFile, `${PERSISTENT_FLAG}=${word}`));
}

function hooksOf(supervision: Supervision, reviewerFile: string, ...flags: string[]): Hooks {
  const { self, configDir, limitWaitSeconds } = supervision;
  const command = (...args: string[]) => hookCommand(supervision.hookForm, self, args);
  const record = ["--config-dir", configDir, ...flags];
  const review = ["--settings", reviewerFile, "--state-dir", STATE_FOLDER, "--announce", ...record];
  return {
    SessionStart: recordHook(command("supervisor-prompt", ...record)),
    UserPromptSubmit: recordHook(command("supervisor-prompt", ...record)),
    Stop: stopHook(command("supervisor-hook", ...review), hookTime(supervision)),
    ...(supervision.canWake && limitWaitSeconds > 0
      ? { StopFailure: failureHook(command("supervisor-failure", ...record), limitWaitSeconds + HOOK_MARGIN_SECONDS) }
      : {}),
  };
}

function hookTime({ timeoutSeconds, checkTimeoutSeconds, fallback }: Supervision): number {
  return hookSeconds(timeoutSeconds, checkTimeoutSeconds, 1 + fallback.length);
}

/** The reviewer's settings: ccc's guard is the only hook; the agent's permissions to write and its plugins are not passed on. */
export function reviewerSettings(
  given: Json,
  { self, hookForm, reviewerModel }: Pick<Supervision, "self" | "hookForm" | "reviewerModel">,
  folders: readonly string[] = [],
): Json {
  const settings = withoutPlugins(withFolders(given, folders));
  const model = reviewerModel === undefined ? {} : { ANTHROPIC_MODEL: reviewerModel };
  // Its environment marks it as a reviewer, but the hook of `ccc use` trusts only the mark with its own word.
  const { [REVIEWER_MARK]: _, ...env } = asObject(settings.env);
  const word = String(env[LAUNCH_MARK] ?? NO_WORD);
  const mark = word === NO_WORD ? {} : { [REVIEWER_MARK]: reviewerMark(word) };
  const own = withoutPermissions({ ...settings, env: { ...env, ...mark, ...model } });
  return withToolHook(own, guardCommand(hookForm, self));
}
