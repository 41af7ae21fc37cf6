import { addedFolders, claudeStart } from "../claude/arguments.ts";
import { OWN_CONTINUATION_SECONDS } from "../claude/failures.ts";
import {
  BLOCK_CAP,
  IDLE_STATUS,
  pluginFiles,
  pluginFolder,
  STOP_STATUS,
  WITHOUT_HOOKS,
  withHooks,
  withPlugin,
  withStatusLine,
} from "../claude/hook-settings.ts";
import type { HookCommand, HookForm } from "../claude/versions.ts";
import {
  limitWait,
  MOST_CHECKS,
  MOST_NUDGES,
  type SupervisorSettings,
  supervisorSettings,
} from "../config/defaults.ts";
import { IDLE_FLAG, REVIEWER_MARKER, STATUS_COMMAND } from "../markers.ts";
import { isWindowsPath } from "../os/path.ts";
import { asObject, type Json } from "../text/json.ts";
import { shellLine } from "../text/shell.ts";
import { type LaunchSituation, type Plan, type SettingsFile, settingsFile } from "./plan.ts";

/** The hooks of an agent's session: the arguments with which each calls ccc. */
export interface AgentHooks {
  readonly supervision: HookedSupervision;
  /** `ccc supervisor-prompt`, which records the session and its prompts. */
  readonly record: readonly string[];
  /** `ccc supervisor-hook`, which reviews a stop. */
  readonly review: readonly string[];
  /** `ccc supervisor-failure`, which waits for a usage limit to reset, or says what else can be done. Undefined: Claude Code is too old for it. */
  readonly failure: readonly string[] | undefined;
  /** Whether there is nothing to review until the user switches supervision on. */
  readonly isIdle: boolean;
}

interface HookedSupervision extends SupervisorSettings {
  /** The path of ccc. */
  readonly self: string;
  readonly hookForm: HookForm;
}

interface AgentStatus extends Pick<LaunchSituation, "self" | "provider" | "paths" | "layers"> {
  readonly isSupervised: boolean;
}

/**
 * Adds ccc's hooks and status line to the settings of an agent's session. No later change in the folder can turn the
 * hooks off. The user's own status line stays.
 */
export function agentSettings(content: Json, added: { hooks?: AgentHooks; status?: AgentStatus }): Json {
  const { hooks, status } = added;
  const shown = status === undefined ? content : statusSettings(content, status);
  return hooks === undefined ? shown : hookedSettings(shown, hooks);
}

function hookedSettings(content: Json, { supervision, record, review, failure, isIdle }: AgentHooks): Json {
  const call = (...args: string[]) => hookCommand(supervision.hookForm, supervision.self, args);
  const waits = limitWait(supervision);
  const env = {
    ...asObject(content.env),
    ...noHookBlanks(),
    [BLOCK_CAP]: String(mostBlocks(supervision)),
  };
  return withHooks(
    { ...content, env },
    {
      record: call("supervisor-prompt", ...record),
      stop: {
        ...call("supervisor-hook", ...review),
        timeout: hookSeconds(supervision),
        statusMessage: isIdle ? IDLE_STATUS : STOP_STATUS,
      },
      failure:
        failure === undefined
          ? undefined
          : {
              ...call("supervisor-failure", ...failure),
              timeout: waits + OWN_CONTINUATION_SECONDS + HOOK_MARGIN_SECONDS,
            },
    },
  );
}

/** Nudges must not use up the blocks that reviews need. */
function mostBlocks({ max_iterations, nudge }: SupervisorSettings): number {
  return max_iterations * (nudge ? MOST_NUDGES + 1 : 1) + OTHER_BLOCKS;
}

/** For other Stop hooks, which may block too: Claude Code counts all blocks in a row. */
const OTHER_BLOCKS = 10;

/** Time for a hook beyond what it waits for. */
const HOOK_MARGIN_SECONDS = 60;
/** A longer time would overflow Claude Code's timer. */
const LONGEST_HOOK_SECONDS = 2_100_000;

/**
 * The time limit of the Stop hook: enough for all checks, and for every reviewer to use its time. It does not depend on
 * the checks of one launch: other launches of the provider use the same settings file.
 */
function hookSeconds(settings: SupervisorSettings): number {
  const reviewers = (1 + settings.fallback.length) * (settings.confirm === false ? 1 : 2);
  // A proof takes as long as one more.
  const checks = (MOST_CHECKS + 1) * settings.check_timeout_seconds;
  return Math.min(reviewers * settings.timeout_seconds + checks + HOOK_MARGIN_SECONDS, LONGEST_HOOK_SECONDS);
}

/** Blanks for the variables that turn hooks off, so that no other settings, a project's in particular, can set them. */
function noHookBlanks(): Record<string, string> {
  return Object.fromEntries([...WITHOUT_HOOKS, REVIEWER_MARKER].map((name) => [name, ""]));
}

function statusSettings(content: Json, { self, provider, paths, layers, isSupervised }: AgentStatus): Json {
  const all = [content, ...layers.settings, ...layers.managed];
  const mode = isSupervised ? "--supervisor" : "--no-supervisor";
  const command = statusCommandLine(self, [STATUS_COMMAND, "--provider", provider, "--config-dir", paths.folder, mode]);
  if (command === undefined || all.some(({ statusLine }) => statusLine !== undefined)) return content;
  // A review changes faster than a conversation that waits for its user.
  return withStatusLine(content, command, isSupervised ? 2 : 5);
}

/**
 * The command line of Claude Code's status line, which always goes through a shell. Undefined on Windows for a path that
 * needs quotes: the shell there is bash or PowerShell, and to the latter a quoted program is a string.
 */
function statusCommandLine(self: string, args: readonly string[]): string | undefined {
  if (!isWindowsPath(self)) return shellLine([self, ...args]);
  const program = self.replaceAll("\\", "/");
  const words = args.map((word) => word.replaceAll("\\", "/"));
  if (!/^[A-Za-z]:[\w/.+-]+$/.test(program) || words.some((word) => /["$`]/.test(word))) return undefined;
  return [program, ...words.map((word) => (/^[\w/.:+-]+$/.test(word) ? word : `"${word}"`))].join(" ");
}

/** A program and its arguments as a hook in settings. */
export function hookCommand(form: HookForm, program: string, args: readonly string[]): HookCommand {
  return form === "exec" ? { command: program, args } : { command: shellLine([program, ...args]) };
}

/**
 * A session in the terminal that is not supervised. Its hooks do nothing until the user switches supervision on, and are
 * left out, with ccc's commands, where hooks do not run.
 */
export function terminalPlan(plan: Plan, situation: LaunchSituation): Plan {
  const { folded, paths, provider } = situation;
  const plain = plan.settings.agent.content;
  const content = agentSettings(plain, { status: { ...situation, isSupervised: false } });
  if (!canRunHooks(plan, situation)) {
    return content === plain
      ? plan
      : withAgentSettings(plan, settingsFile(paths, provider, "shown", content, plan.isShared));
  }
  const folders = addedFolders(folded.args);
  const isShared = plan.isShared && folders.length === 0;
  const variant = Object.hasOwn(content, "statusLine") ? "terminal" : "hooked";
  // The hooks contain the path of this file, so the path cannot depend on them.
  const { path } = settingsFile(paths, provider, variant, { ...content, folders }, isShared);
  const agent = { path, content: agentSettings(content, { hooks: idleHooks(situation, path, folders) }) };
  return withCommands({ ...withAgentSettings(plan, agent), isShared }, situation);
}

/** Whether ccc's hooks would run, without overriding anything that turns hooks off. */
function canRunHooks({ settings: { agent } }: Plan, { folded, env, layers }: LaunchSituation): boolean {
  const all = [...layers.settings, ...layers.managed];
  const isOff = (name: string) => Boolean(env[name]) || all.some((layer) => Boolean(layer.env[name]));
  if (agent.content.disableAllHooks === true || all.some((layer) => layer.forbidsHooks)) return false;
  const { isPersisted, hookless } = claudeStart(folded.args);
  if (!isPersisted || hookless !== undefined) return false;
  return !WITHOUT_HOOKS.some(isOff);
}

function idleHooks(
  { self, provider, paths, loaded }: LaunchSituation,
  path: string,
  folders: readonly string[],
): AgentHooks {
  const idle = ["--config-dir", paths.folder, IDLE_FLAG];
  const launched = ["--provider", provider, "--agent-settings", path];
  return {
    // The version is not known here, and all versions understand this form.
    supervision: { ...supervisorSettings(loaded.config), self, hookForm: isWindowsPath(self) ? "exec" : "shell" },
    record: [...idle, ...launched, ...folders.flatMap((folder) => ["--add-dir", folder])],
    review: ["--announce", ...idle],
    failure: undefined,
    isIdle: true,
  };
}

/** Adds ccc's commands, which every session in the terminal gets. */
export function withCommands(plan: Plan, { paths }: Pick<LaunchSituation, "paths">): Plan {
  const folder = pluginFolder(paths.generated);
  return { ...plan, args: withPlugin(folder, plan.args), files: [...plan.files, ...pluginFiles(folder)] };
}

/** The plan with other settings for the agent. */
export function withAgentSettings(plan: Plan, agent: SettingsFile): Plan {
  const [option, , ...args] = plan.args;
  return {
    ...plan,
    args: option === "--settings" ? [option, agent.path, ...args] : plan.args,
    files: plan.files.map((file) => (file === plan.settings.agent ? agent : file)),
    settings: { ...plan.settings, agent },
  };
}
