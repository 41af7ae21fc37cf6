import type { Layer, Scope } from "../../../src/claude/layers.ts";
import type { HookCommand } from "../../../src/claude/versions.ts";
import { checkConfig } from "../../../src/config/check.ts";
import { cccPaths, launchSettingsFileName, type SettingsVariant, VARIANTS } from "../../../src/config/paths.ts";
import { type LaunchSituation, launchSituation, type Plan, type SettingsFile } from "../../../src/launch/plan.ts";
import type { Files } from "../../../src/os/files.ts";
import { keyCommandLine } from "../../../src/providers/identity.ts";
import { decideVariables } from "../../../src/providers/isolation.ts";
import { PROVIDER_VARIABLES } from "../../../src/providers/variables.ts";
import { asObject, type Json } from "../../../src/text/json.ts";
import { memoryFiles } from "../fakes.ts";

/** What is special about a launch. Nothing given: `ccc` on the current provider glm, which has a server and a token. */
export interface Given {
  /** The settings of the provider glm. */
  readonly glm?: Json;
  /** Those of another provider, kimi. */
  readonly kimi?: Json;
  /** Those that ccc.json shares among providers. */
  readonly shared?: Json;
  /** What the user typed after `ccc`. */
  readonly args?: readonly string[];
  readonly shell?: Readonly<Record<string, string>>;
  readonly files?: Files;
  /** Variables in Claude Code's own settings files. */
  readonly user?: Layer["env"];
  readonly project?: Layer["env"];
  readonly policy?: Layer["env"];
  readonly parts?: Partial<LaunchSituation>;
}

export const SERVER = { ANTHROPIC_BASE_URL: "https://glm.test" };
const TOKEN = { ANTHROPIC_AUTH_TOKEN: "t" };

/** The identity in generated settings: no key, and a claude that the session runs has no login. */
export const IDENTITY = {
  ...SERVER,
  ANTHROPIC_FEDERATION_RULE_ID: "ccc-no-login",
  ANTHROPIC_ORGANIZATION_ID: "ccc-no-login",
};

/** The command with which Claude Code asks for a provider's key. */
export function keyCommand(provider = "glm", server = SERVER.ANTHROPIC_BASE_URL): string {
  return keyCommandLine("/bin/ccc", provider, "/c", server);
}

export function situationOf(given: Given = {}): LaunchSituation {
  const { glm = { env: { ...SERVER, ...TOKEN } }, kimi = {}, shared = {}, args = [], shell = {} } = given;
  const config = checkConfig(
    JSON.stringify({ current_provider: "glm", settings: shared, providers: { glm, kimi } }),
    "/c/ccc.json",
  );
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
  const settings = [...layer("user", given.user), ...layer("project", given.project)];
  const loaded = {
    path: paths.config,
    config,
    providers: new Map(Object.entries(config.providers ?? {}).map(([name, each]) => [name, each ?? {}])),
    stamp: "stamp\n",
    isStamped: true,
  };
  const layers = { settings, managed: layer("managed", given.policy), usersText: "" };
  const world = { self: "/bin/ccc", env: shell, files: given.files ?? memoryFiles(), cwd: "/project" };
  const launch = { loaded, paths, provider: "glm", named: false, claude: "/bin/claude", layers };
  return { ...launchSituation(world, args, launch), ...given.parts };
}

function layer(scope: Scope, env: Layer["env"] | undefined): Layer[] {
  return env === undefined
    ? []
    : [{ path: `/${scope}.json`, scope, env, apiKeyHelper: undefined, forbidsHooks: false }];
}

/** A plan to be read: paths without ccc's folder, and of the settings that ccc generates only what is not blank. */
export function readable(plan: Plan) {
  const { settings, files, args, ...rest } = plan;
  const all = [settings.agent, ...(settings.reviewer === undefined ? [] : [settings.reviewer]), ...settings.fallback];
  const short = (text: string) =>
    all.reduce((shorter, file) => shorter.replaceAll(file.path, nameOf(plan.provider, file)), text);
  return {
    ...rest,
    args: args.map(short).join(" "),
    unset: rest.unset.join(" "),
    files: files.map(({ path }) => short(path).replace("/c/ccc/", "")).join(" "),
    agent: readableSettings(settings.agent.content, short),
    ...(settings.reviewer === undefined ? {} : { reviewer: readableSettings(settings.reviewer.content, short) }),
    ...(settings.fallback.length === 0
      ? {}
      : { fallback: settings.fallback.map(({ content }) => readableSettings(content, short)) }),
  };
}

/** A hash of the content reads "CONTENT". */
function nameOf(provider: string, { path, content }: SettingsFile): string {
  const named = (variant: SettingsVariant) => launchSettingsFileName(provider, variant, JSON.stringify(content));
  const variant = VARIANTS.find((each) => path === `/c/ccc/${named(each)}`);
  const name = path.replace("/c/ccc/", "");
  return variant === undefined ? name : name.replace(/\+.*/, "+CONTENT.json");
}

const ALL_BLANKS = [...new Set([...PROVIDER_VARIABLES, ...Object.keys(decideVariables([], {}, "").env)])];

function readableSettings({ env: block, hooks, permissions, ...rest }: Json, short: (text: string) => string) {
  const env = asObject(block);
  const missing = ALL_BLANKS.filter((name) => !Object.hasOwn(env, name));
  const told = Object.entries(env).filter(([name, value]) => value !== "" || !ALL_BLANKS.includes(name));
  return {
    ...rest,
    env: Object.fromEntries(told),
    ...(missing.length === 0 ? {} : { undecided: missing.join(" ") }),
    ...(hooks === undefined ? {} : { hooks: readableHooks(asObject(hooks), short) }),
    ...(permissions === undefined ? {} : { permissions: readablePermissions(asObject(permissions)) }),
  };
}

/** The commands of each event: a line for the shell, or a list of words. */
function readableHooks(hooks: Json, short: (text: string) => string) {
  const readableHook = ({ command, args }: HookCommand) =>
    args === undefined ? short(command) : [command, ...args].map(short);
  const commands = (groups: unknown) =>
    (groups as { hooks: HookCommand[] }[]).flatMap((group) => group.hooks.map(readableHook));
  return Object.fromEntries(Object.entries(hooks).map(([event, groups]) => [event, commands(groups)]));
}

/** The reviewer's many rules against writing read "no writing". */
function readablePermissions({ deny, ...rest }: Json): Json {
  const isReadOnly = Array.isArray(deny) && deny.includes("Edit(**)") && deny.includes("Write(**)");
  return isReadOnly ? { ...rest, deny: "no writing" } : { ...rest, ...(deny === undefined ? {} : { deny }) };
}

/** Stands for what the ordinary plan has and this one has not. */
export const GONE = null;

/** What is different in a value from the ordinary one, key by key. */
export function differences(value: object, ordinary: object): Json {
  const [now, before] = [new Map(Object.entries(value)), new Map(Object.entries(ordinary))];
  const found: Record<string, unknown> = {};
  for (const key of new Set([...before.keys(), ...now.keys()])) {
    const [a, b] = [now.get(key), before.get(key)];
    if (Bun.deepEquals(a, b)) continue;
    found[key] = !now.has(key) ? GONE : isRecord(a) && isRecord(b) ? differences(a, b) : a;
  }
  return found;
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
