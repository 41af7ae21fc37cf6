import {
  addedFolders,
  beforeDoubleDash,
  CLAUDE_SUBCOMMANDS,
  isBackground,
  isInquiry,
  isPrint,
  NOT_PERSISTED,
  takesSettings,
} from "../claude/arguments.ts";
import {
  BLOCK_CAP,
  type Hooks,
  OPTIONS_WITHOUT_HOOKS,
  pluginFiles,
  pluginFolder,
  recordHook,
  switchableHook,
  WITHOUT_HOOKS,
  withHooks,
  withHooksAllowed,
  withPlugin,
  withStatusLine,
} from "../claude/hook-settings.ts";
import type { HookCommand, HookForm } from "../claude/versions.ts";
import { blockCap, hookSeconds, supervisorSettings } from "../config/defaults.ts";
import { IDLE_FLAG, STATUS_COMMAND } from "../marks.ts";
import { isWindowsPath, shellLine } from "../os/path.ts";
import { asObject, type Json } from "../text/json.ts";
import { type LaunchSituation, type Plan, settingsFile, withSettings } from "./plan.ts";

/** A program and its arguments as a hook in settings. */
export function hookCommand(form: HookForm, program: string, args: readonly string[]): HookCommand {
  return form === "exec" ? { command: program, args } : { command: shellLine([program, ...args]) };
}

/**
 * The command line of Claude Code's status line, which always goes through a shell. Undefined on Windows for a path that
 * needs quotes: the shell there is bash or PowerShell, and to the latter a quoted program is a string.
 */
export function statusCommandLine(self: string, args: readonly string[]): string | undefined {
  if (!isWindowsPath(self)) return shellLine([self, ...args]);
  const program = self.replaceAll("\\", "/");
  const words = args.map((word) => word.replaceAll("\\", "/"));
  if (!/^[A-Za-z]:[\w/.+-]+$/.test(program) || words.some((word) => /["$`]/.test(word))) return undefined;
  return [program, ...words.map((word) => (/^[\w/.:+-]+$/.test(word) ? word : `"${word}"`))].join(" ");
}

/** The plan of a session in the terminal with ccc's status line, unless the user has one. */
export function statusLinePlan(plan: Plan, situation: LaunchSituation, isSupervised: boolean): Plan {
  const given = plan.settings.agent;
  if (hasStatusLine(plan, situation)) return plan;
  const { self, provider, paths } = situation;
  const how = isSupervised ? SUPERVISED : PLAIN;
  const command = statusCommandLine(self, [
    ...[STATUS_COMMAND, "--provider", provider, "--config-dir", paths.folder],
    how.flag,
  ]);
  if (command === undefined) return plan;
  const content = withStatusLine(given.content, command, how.refreshSeconds);
  // Not the file of sessions without: Claude Code reads a file again when it changes.
  const agent = settingsFile(paths, provider, how.variant, content, plan.isShared);
  const files = plan.files.map((file) => (file === given ? agent : file));
  const args = withSettings(agent.path, situation.folded.args);
  return { ...plan, args, files, settings: { ...plan.settings, agent } };
}

/** What the reviewer does changes more often than a conversation that waits for its user. */
const SUPERVISED = { flag: "--supervisor", variant: "watched", refreshSeconds: 2 } as const;
const PLAIN = { flag: "--no-supervisor", variant: "shown", refreshSeconds: 5 } as const;

function hasStatusLine({ settings: { agent } }: Plan, { layers }: LaunchSituation): boolean {
  if (Object.hasOwn(agent.content, "statusLine")) return true;
  for (const layer of layers.settings) if (layer.statusLine !== undefined) return true;
  for (const layer of layers.managed) if (layer.statusLine !== undefined) return true;
  return false;
}

/** Whether claude starts a session in the terminal, not `-p`, a background session, a subcommand or an answer about itself. */
export function isTerminalLaunch(args: readonly string[]): boolean {
  if (isPrint(args) || isInquiry(args) || isBackground(args) || !takesSettings(args)) return false;
  return !CLAUDE_SUBCOMMANDS.has(args[0] ?? "") && !beforeDoubleDash(args).some(isForPrograms);
}

/** Only a program reads claude's messages as JSON. */
function isForPrograms(word: string): boolean {
  return /^--(input|output)-format(=|$)/.test(word);
}

/** What every session in the terminal gets: ccc's commands. */
export function withCommands(plan: Plan, { paths }: Pick<LaunchSituation, "paths">): Plan {
  const folder = pluginFolder(paths.generated);
  return { ...plan, args: withPlugin(folder, plan.args), files: [...plan.files, ...pluginFiles(folder)] };
}

/**
 * A session in the terminal that is not supervised. Its hooks do nothing until the user switches supervision on. Where
 * hooks do not run, the plan stays as it is.
 */
export function terminalPlan(plan: Plan, situation: LaunchSituation): Plan {
  if (!canRunHooks(plan, situation)) return plan;
  const folders = addedFolders(situation.folded.args);
  const isShared = plan.isShared && folders.length === 0;
  const given = plan.settings.agent;
  const variant = Object.hasOwn(given.content, "statusLine") ? "terminal" : "hooked";
  // The hooks name the file, so its name follows from all but the hooks.
  const { path } = settingsFile(situation.paths, plan.provider, variant, { ...given.content, folders }, isShared);
  const agent = { path, content: switchable(given.content, situation, path, folders) };
  const files = plan.files.map((file) => (file === given ? agent : file));
  const args = withSettings(path, situation.folded.args);
  return withCommands({ ...plan, args, files, settings: { ...plan.settings, agent }, isShared }, situation);
}

/** Whether ccc's hooks would run, without overriding anything that turns hooks off. */
function canRunHooks({ settings: { agent } }: Plan, { folded, env, layers }: LaunchSituation): boolean {
  const all = [...layers.settings, ...layers.managed];
  const isOff = (name: string) => Boolean(env[name]) || all.some((layer) => Boolean(layer.env[name]));
  if (agent.content.disableAllHooks === true || all.some((layer) => layer.forbidsHooks)) return false;
  const options = beforeDoubleDash(folded.args);
  if (options.includes(NOT_PERSISTED) || options.some((word) => OPTIONS_WITHOUT_HOOKS.includes(word))) return false;
  return !WITHOUT_HOOKS.some(isOff);
}

/** Settings with hooks for a later supervision. Nothing that is changed in the folder meanwhile can turn them off. */
function switchable(content: Json, situation: LaunchSituation, path: string, folders: readonly string[]): Json {
  const blanks = Object.fromEntries(WITHOUT_HOOKS.map((name) => [name, ""]));
  const env = {
    ...asObject(content.env),
    ...blanks,
    [BLOCK_CAP]: blockCap(supervisorSettings(situation.loaded.config)),
  };
  return withHooks(withHooksAllowed({ ...content, env }), idleHooks(situation, path, folders));
}

function idleHooks(
  { self, provider, paths, loaded }: LaunchSituation,
  path: string,
  folders: readonly string[],
): Hooks {
  const seconds = hookSeconds(supervisorSettings(loaded.config));
  // Which version runs is not known here, and all of them understand this form.
  const command = (...args: string[]) => hookCommand(isWindowsPath(self) ? "exec" : "shell", self, args);
  const idle = ["--config-dir", paths.folder, IDLE_FLAG];
  const launched = ["--provider", provider, "--agent-settings", path];
  const added = folders.flatMap((folder) => ["--add-dir", folder]);
  const record = recordHook(command("supervisor-prompt", ...idle, ...launched, ...added));
  return {
    SessionStart: record,
    UserPromptSubmit: record,
    Stop: switchableHook(command("supervisor-hook", "--announce", ...idle), seconds),
  };
}
