import { withoutPermissions } from "../claude/reviewer-command.ts";
import {
  BLOCK_CAP,
  type Hooks,
  recordHook,
  stopHook,
  WITHOUT_HOOKS,
  withHooks,
  withHooksAllowed,
  withoutHooks,
} from "../claude/stop-hook.ts";
import type { Engine } from "../config/defaults.ts";
import type { SettingsVariant } from "../config/files.ts";
import { asObject, type Json } from "../io/json.ts";
import { LAUNCH_MARK, PERSISTENT_FLAG, REVIEWER_MARK } from "../supervisor/guard.ts";
import { STATE_FOLDER } from "../supervisor/hook-options.ts";
import type { SettingsFile, SettingsFiles } from "./plan.ts";
import { shellWord } from "./shell.ts";

/** How the stops of a launch are reviewed. */
export interface Supervision {
  readonly engine: Engine;
  /** Path of ccc, which the hook calls. */
  readonly self: string;
  /** The folder of ccc.json, where the record of the session is kept. */
  readonly configDir: string;
  readonly limit: number;
  readonly timeoutSeconds: number;
  /** The reviewer's provider and model, where they are not the agent's. */
  readonly reviewerProvider: string | undefined;
  readonly reviewerModel: string | undefined;
}

/** Names a generated file. */
type NameFile = (variant: SettingsVariant, content: Json) => SettingsFile;

/** The settings files of a supervised launch. */
export function supervisedFiles(
  supervision: Supervision,
  file: NameFile,
  settings: { readonly agent: Json; readonly reviewer: Json },
): SettingsFiles {
  const reviewer = file("reviewer", reviewerSettings(settings.reviewer, supervision));
  const agent =
    supervision.engine === "loop"
      ? file("plain", settings.agent)
      : file("supervised", supervisedSettings(settings.agent, supervision, reviewer.path));
  return { agent, reviewer };
}

/** The time that the hook has beyond the review itself. */
const HOOK_MARGIN_SECONDS = 60;
/** Other Stop hooks may block too: Claude Code's own cap stays well above ccc's limit. */
const CAP_MARGIN = 10;

/** No layer of settings may switch the hook off, a project's in particular. */
const NO_HOOK_BLANKS = Object.fromEntries([...WITHOUT_HOOKS, REVIEWER_MARK].map((name) => [name, ""]));

/** The agent's settings with the Stop hook in them, and nothing that would switch it off. */
function supervisedSettings(settings: Json, supervision: Supervision, reviewerFile: string): Json {
  const env = { ...asObject(settings.env), ...NO_HOOK_BLANKS, ...blockCap(supervision) };
  return withHooks(withHooksAllowed({ ...settings, env }), hooksOf(supervision, reviewerFile));
}

/** What supervision adds to the user's own settings.json, for sessions that ccc does not start. */
export function persistentSupervision(supervision: Supervision, reviewerFile: string): Json {
  const env = { ...NO_HOOK_BLANKS, ...blockCap(supervision), [LAUNCH_MARK]: "" };
  return withHooks({ env }, hooksOf(supervision, reviewerFile, PERSISTENT_FLAG));
}

function hooksOf({ self, configDir, timeoutSeconds }: Supervision, reviewerFile: string, ...flags: string[]): Hooks {
  const command = (...words: string[]) => [self, ...words].map(shellWord).join(" ");
  const record = ["--config-dir", configDir, ...flags];
  const review = ["--settings", reviewerFile, "--state-dir", STATE_FOLDER, "--announce", ...record];
  return {
    SessionStart: recordHook(command("supervisor-prompt", ...record)),
    UserPromptSubmit: recordHook(command("supervisor-prompt", ...record)),
    Stop: stopHook(command("supervisor-hook", ...review), timeoutSeconds + HOOK_MARGIN_SECONDS),
  };
}

function blockCap({ limit }: Supervision) {
  return { [BLOCK_CAP]: String(limit + CAP_MARGIN) };
}

/** The same for the reviewer: no hook runs, and no permission of the agent's to write is passed on. */
function reviewerSettings(settings: Json, { reviewerModel }: Supervision): Json {
  const model = reviewerModel === undefined ? {} : { ANTHROPIC_MODEL: reviewerModel };
  // The reviewer's own environment says that it is one.
  const { [REVIEWER_MARK]: _, ...env } = asObject(settings.env);
  return withoutHooks(withoutPermissions({ ...settings, env: { ...env, ...model } }));
}
