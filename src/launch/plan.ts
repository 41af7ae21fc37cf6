import { beforeDoubleDash, claudeStart } from "../claude/arguments.ts";
import type { Layer, Layers } from "../claude/layers.ts";
import { referencedVariable } from "../config/env.ts";
import type { LoadedConfig } from "../config/load.ts";
import { launchSettingsFileName, type Paths, type SettingsVariant, settingsFileName } from "../config/paths.ts";
import { usageError } from "../errors.ts";
import { LAUNCH_FLAG, LAUNCH_MARKER, NO_SECRET, persistentSecret, REVIEWER_MARKER } from "../markers.ts";
import type { Files } from "../os/files.ts";
import { isAbsolute, join } from "../os/path.ts";
import { keyCommandLine, providerLaunch, type Reference } from "../providers/identity.ts";
import { type Decided, decideVariables, defaultsForServer, guardEnvironment, isolate } from "../providers/isolation.ts";
import { kindOf, providerVariables } from "../providers/variables.ts";
import { asObject, isObject, type Json, parseJson } from "../text/json.ts";
import { type Env, optional, type World } from "../world.ts";

/** A launch as a value: `--dry-run` prints it, tests compare it, execute() carries it out. */
export interface Plan {
  readonly provider: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Variables that claude does not inherit from the shell. */
  readonly unset: readonly string[];
  /** Variables that claude gets in addition to the shell's. */
  readonly set: Readonly<Record<string, string>>;
  /** Files to write before claude starts. */
  readonly files: readonly PlannedFile[];
  /** The settings files among them. */
  readonly settings: SettingsFiles;
  /**
   * Whether every launch of the provider has the same settings files, except for that of a supervised agent. Others are
   * removed when they are old.
   */
  readonly isShared: boolean;
  /** Whether current_provider becomes this provider. */
  readonly remember: boolean;
  /** References to keys. Each must be resolvable before claude starts. */
  readonly references: readonly Reference[];
  readonly notices: readonly string[];
}

interface PlannedFile {
  readonly path: string;
  readonly content: Json | string;
}

export interface SettingsFile extends PlannedFile {
  readonly content: Json;
}

interface SettingsFiles {
  readonly agent: SettingsFile;
  /** Undefined without supervision. */
  readonly reviewer: SettingsFile | undefined;
  /** One for each other reviewer: those that are asked if the first cannot review, and the one that confirms. */
  readonly fallback: readonly SettingsFile[];
  /** The agent's settings once the loop has handed the session over to the user. Undefined without a hand-over. */
  readonly handOver?: SettingsFile;
}

/** Claude's arguments without `--settings`, and the settings of the last one. */
interface Folded {
  readonly args: readonly string[];
  readonly settings: Json | undefined;
}

/** Everything a plan depends on. */
export interface LaunchSituation {
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly provider: string;
  /** Whether the user named it for a session to work in. */
  readonly named: boolean;
  readonly claude: string;
  /** The path of ccc, which Claude Code runs to get a key that is in no file. */
  readonly self: string;
  readonly folded: Folded;
  readonly layers: Layers;
  readonly decided: Decided;
  /** Tells the hook of `ccc use`, which has the same secret, that this is a launch. */
  readonly hookSecret: string;
  /** Whether the key is written into the settings, for sessions that start without ccc. */
  readonly writesKey: boolean;
  readonly env: Env;
}

/** The situation of a session that ccc starts now, with these arguments for claude. */
export function launchSituation(
  world: Pick<World, "self" | "env" | "files" | "cwd">,
  args: readonly string[],
  launch: Pick<LaunchSituation, "loaded" | "paths" | "provider" | "named" | "claude" | "layers">,
): LaunchSituation {
  const { self, env } = world;
  const { layers, paths } = launch;
  return {
    ...launch,
    self,
    folded: foldSettings(args, world),
    decided: decideVariables(layers.settings, env, paths.folder),
    hookSecret: persistentSecret(layers.usersText) ?? NO_SECRET,
    writesKey: false,
    env,
  };
}

/**
 * Removes `--settings` (a file or JSON) from claude's arguments: Claude Code respects only the last one, which must be
 * ccc's. Words after `--` are not options.
 */
function foldSettings(args: readonly string[], { files, cwd }: Pick<World, "files" | "cwd">): Folded {
  const options = beforeDoubleDash(args);
  const kept: string[] = [];
  let value: string | undefined;
  for (let index = 0; index < options.length; index++) {
    const word = options[index] ?? "";
    // If the value is missing, claude reports it.
    if (word === "--settings" && index + 1 < options.length) value = options[++index];
    else if (word.startsWith("--settings=")) value = word.slice("--settings=".length);
    else kept.push(word);
  }
  const rest = args.slice(options.length);
  return { args: [...kept, ...rest], settings: value === undefined ? undefined : readSettings(value, files, cwd) };
}

function readSettings(value: string, files: Files, cwd: string): Json {
  if (value.trim().startsWith("{")) return parse(value, "the JSON given with --settings");
  const path = isAbsolute(value) ? value : join(cwd, value);
  const text = files.read(path);
  if (text === undefined) throw usageError(`--settings: no such file: ${path}`);
  return parse(text, `--settings: ${path}`);
}

function parse(text: string, what: string): Json {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw usageError(`${what} is not a JSON object`);
}

/** What a launch does: the settings file and the environment of the provider, and claude's arguments. */
export function planLaunch(situation: LaunchSituation): Plan {
  const { loaded, paths, provider, folded, layers, decided, env } = situation;
  const user = folded.settings === undefined ? NO_USER_SETTINGS : userSettings(folded.settings);
  const { content, guard, references } = providerSettings(situation, provider, user);
  const isShared = folded.settings === undefined && decided.isUsual;
  const { isPrint, isBackground, takesSettings } = claudeStart(folded.args);
  const agent = settingsFile(paths, provider, "plain", content, isShared);
  return {
    provider,
    file: situation.claude,
    // Some subcommands of claude do not have this option.
    args: takesSettings ? ["--settings", agent.path, ...folded.args] : folded.args,
    // Inherited from a reviewer's session, it would turn the hook off.
    unset: env[REVIEWER_MARKER] === undefined ? providerVariables(env) : [...providerVariables(env), REVIEWER_MARKER],
    set: isPrint ? guard : {},
    files: [agent, ...(loaded.isStamped ? [] : [{ path: paths.checked, content: loaded.stamp }])],
    settings: { agent, reviewer: undefined, fallback: [] },
    isShared,
    remember: situation.named && loaded.config.current_provider !== provider,
    references,
    notices: [
      ...ignoredSettings(user, provider),
      ...decided.notices,
      ...managedModels(layers.managed),
      ...(isBackground ? keysOfTheShell(references) : []),
    ],
  };
}

/** A generated settings file. One for this launch alone is named after its content. */
export function settingsFile(
  { generated }: Paths,
  provider: string,
  variant: SettingsVariant,
  content: Json,
  isShared: boolean,
): SettingsFile {
  const name = isShared
    ? settingsFileName(provider, variant)
    : launchSettingsFileName(provider, variant, JSON.stringify(content));
  return { path: join(generated, name), content };
}

/** The settings of a provider: every other identity is blanked, and the user's `--settings` are merged in. */
export function providerSettings(situation: LaunchSituation, provider: string, user: UserSettings = NO_USER_SETTINGS) {
  const { loaded, layers, decided, hookSecret, env, writesKey, self, paths } = situation;
  const launch = providerLaunch({
    loaded,
    provider,
    env,
    managed: layers.managed,
    writesKey,
    over: user.rest,
    keyCommand: (server) => keyCommandLine(self, provider, paths.folder, server),
  });
  if (launch.problem !== undefined) throw launch.problem;
  const { reference } = launch;
  const own = { ...launch.identity.env, ...user.env, [LAUNCH_MARKER]: hookSecret };
  const identity = { ...launch.identity, env: own };
  const others: Record<string, string> = { ...decided.env };
  const defaults = defaultsForServer(launch.configured.env, { settings: layers.settings, env });
  for (const { name, value } of defaults) others[name] = value;
  // Sessions that start without ccc find the key helper in the user's settings, and so do those they run.
  const isolated = isolate(identity, layers.settings, writesKey, others);
  const content = { ...launch.settings, ...isolated };
  return { content, guard: guardEnvironment(identity), references: reference === undefined ? [] : [reference] };
}

interface UserSettings {
  readonly rest: Json;
  readonly env: Readonly<Record<string, string>>;
  readonly ignored: readonly string[];
}

const NO_USER_SETTINGS: UserSettings = { rest: {}, env: {}, ignored: [] };

/** What the user's `--settings` may change: everything but credentials and servers. */
function userSettings(settings: Json): UserSettings {
  const { env: block, apiKeyHelper, ...rest } = settings;
  const env: Record<string, string> = {};
  const ignored: string[] = apiKeyHelper === undefined ? [] : ["apiKeyHelper"];
  for (const [name, value] of Object.entries(asObject(block))) {
    const kind = kindOf(name);
    if (kind === "credential" || kind === "route") ignored.push(name);
    else env[name] = String(value);
  }
  return { rest, env, ignored };
}

function ignoredSettings({ ignored }: UserSettings, provider: string): string[] {
  return ignored.map((name) => `--settings sets ${name}; ignored, because the provider "${provider}" decides that`);
}

function managedModels(managed: readonly Layer[]): string[] {
  return managed.flatMap(({ path, env }) => {
    const models = Object.keys(env).filter((name) => env[name] && kindOf(name) === "model");
    return models.map((name) => `your organization's policy sets ${name} (${path}); it wins over the provider's model`);
  });
}

/** A background session has the environment of whatever started the service that runs it. */
function keysOfTheShell(references: readonly Reference[]): string[] {
  const names = references.flatMap(({ reference }) => referencedVariable(reference) ?? []);
  return names.map((name) => `${name} has to be set where Claude Code's background service was started`);
}

/** Whether Claude Code is known to load the settings of a plan. */
interface SettingsProof {
  /**
   * Whether it has to be asked. After a single mistake it drops the whole file, with the provider's server and key
   * command, and continues with the user's login. ccc's own settings are known to load; `plain` is the plan with only
   * those and the user's.
   */
  readonly isNeeded: (plain: Plan) => boolean;
  /** Remembers that it loads them. */
  readonly keep: () => void;
}

export function settingsProof(plan: Plan, world: World, { generated }: Paths): SettingsProof {
  const { files } = world;
  // Holds the proofs of the last settings that were found to load.
  const path = join(generated, "loaded");
  return {
    isNeeded: (plain) => {
      const { env: _, apiKeyHelper, ...rest } = plain.settings.agent.content;
      if (apiKeyHelper === "" || Object.keys(rest).length === 0 || plain.args[0] !== "--settings") return false;
      return !(optional(() => files.read(path)) ?? "").includes(proofOf(plan, world));
    },
    keep: () => {
      optional(() => {
        const proofs = (files.read(path) ?? "").split("\n").filter(Boolean).slice(-MOST_PROOFS);
        files.writePrivate(path, `${[...proofs, ""].join("\n")}${proofOf(plan, world)}`);
      });
    },
  };
}

const MOST_PROOFS = 20;

/** Changes with the settings and with the program, but not with the id of a launch. */
function proofOf({ file, settings }: Plan, { files }: World): string {
  const program = [file, files.programSize(file), files.modified(file)];
  const about = JSON.stringify([...program, settings.agent.content]).replaceAll(LAUNCH_IN_TEXT, LAUNCH_FLAG);
  return `${Bun.hash(about).toString(36)}\n`;
}

const LAUNCH_IN_TEXT = new RegExp(`${LAUNCH_FLAG}=[0-9a-f-]{36}`, "g");
