import { withFolders, withoutPermissions } from "../claude/reviewer-command.ts";
import {
  BLOCK_CAP,
  type Hooks,
  recordHook,
  stopHook,
  WITHOUT_HOOKS,
  withHooks,
  withHooksAllowed,
} from "../claude/stop-hook.ts";
import { withToolHook } from "../claude/tool-event.ts";
import type { Engine } from "../config/defaults.ts";
import type { SettingsVariant } from "../config/files.ts";
import type { SettingsFile, SettingsFiles } from "../launch/plan.ts";
import { shellWord } from "../launch/shell.ts";
import { asObject, type Json } from "../text/json.ts";
import { LAUNCH_MARK, NO_WORD, PERSISTENT_FLAG, REVIEWER_MARK, reviewerMark } from "./guard.ts";
import { STATE_FOLDER } from "./hook-options.ts";
import { guardCommandLine } from "./tool-guard/command-line.ts";

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
  settings: { readonly agent: Json; readonly reviewer: Json; readonly folders?: readonly string[] },
): SettingsFiles {
  const given = withFolders(settings.reviewer, settings.folders ?? []);
  const reviewer = file("reviewer", reviewerSettings(given, supervision));
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
export function persistentSupervision(supervision: Supervision, reviewerFile: string, word: string): Json {
  const env = { ...NO_HOOK_BLANKS, ...blockCap(supervision), [LAUNCH_MARK]: "" };
  return withHooks({ env }, hooksOf(supervision, reviewerFile, `${PERSISTENT_FLAG}=${word}`));
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

/** The same for the reviewer: ccc's guard is its only hook, and no permission of the agent's to write is passed on. */
function reviewerSettings(settings: Json, { self, reviewerModel }: Supervision): Json {
  const model = reviewerModel === undefined ? {} : { ANTHROPIC_MODEL: reviewerModel };
  // Its own environment says already that it is one, but not to the hook of `ccc use`.
  const { [REVIEWER_MARK]: _, ...env } = asObject(settings.env);
  const word = String(env[LAUNCH_MARK] ?? NO_WORD);
  const mark = word === NO_WORD ? {} : { [REVIEWER_MARK]: reviewerMark(word) };
  const own = withoutPermissions({ ...settings, env: { ...env, ...mark, ...model } });
  return withToolHook(own, guardCommandLine(self));
}
