import { dirname } from "node:path";
import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { leavesAnthropic } from "../../claude/connection.ts";
import { type Layers, readLayers } from "../../claude/layers.ts";
import { type HookForm, hookForm } from "../../claude/versions.ts";
import { namedIn, referencedVariable, writtenEnv } from "../../config/env.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import { cccPaths, type Paths, pathsIn, settingsFileName, settingsLifetime } from "../../config/paths.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { claudeVersion } from "../../launch/ask-claude.ts";
import { findClaude, lastingPath } from "../../launch/find.ts";
import { type Plan, planLaunch } from "../../launch/plan.ts";
import { LAUNCH_MARKER, persistentSecret } from "../../markers.ts";
import { join } from "../../os/path.ts";
import type { Identity } from "../../providers/identity.ts";
import { defaultsForServer, NOTHING_DECIDED } from "../../providers/isolation.ts";
import { resolveKeys } from "../../providers/references.ts";
import {
  ALWAYS_BLANK,
  isOtherReference,
  isSecretVariable,
  kindOf,
  MANAGED_BY_HOST,
  PROVIDER_VARIABLES,
  providerVariables,
} from "../../providers/variables.ts";
import { launchRecords } from "../../supervisor/record/launch.ts";
import { persistentSupervision, supervisePlan } from "../../supervisor/setup/plan.ts";
import { prepareSupervision, refuseWithoutHooks } from "../../supervisor/setup/prepare.ts";
import { plannedReviewers, planSupervision } from "../../supervisor/setup/supervision.ts";
import { createLog } from "../../terminal/dialog.ts";
import { asObject, type Json, prettyJson } from "../../text/json.ts";
import type { Path } from "../../text/json-text.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import type { Env, World } from "../../world.ts";
import { currentLaunch, requireProvider } from "../arguments.ts";
import { reset, type UsePlaces, use, usePlaces, useStatus, writtenByUse } from "./switch.ts";

const DESCRIPTION = `Make plain claude and editors use a provider, through Claude Code's own settings.json. Without a
provider, show which one is in use.

Examples
  ccc use glm                 plain claude uses glm from now on
  ccc use --supervisor glm    the same, and every stop is reviewed
  ccc use                     show which provider plain claude uses
  ccc use --reset             restore settings.json, byte for byte

Exit codes
  0    done
  1    refused, or failure
  2    usage error, or unknown provider

JSON
  { provider, supervised, since, settings, changed }, explained in
  ${docsPage("providers.md#the-persistent-switch")}`;

const A_NAME = "a provider";

export function useCommand(world: World) {
  return defineCommand({
    meta: {
      name: "use",
      description: DESCRIPTION,
    },
    args: {
      supervisor: { type: "boolean", default: false, description: "also review every stop" },
      reset: { type: "boolean", default: false, description: "undo what ccc changed, and nothing else" },
      json: { type: "boolean", default: false, description: "print what is in use as JSON for programs" },
      provider: { type: "positional", required: false, description: "a provider in ccc.json" },
    },
    run: ({ args }) => {
      const { provider, supervisor, reset: isReset, json } = args;
      if (isReset) {
        const other = [provider && A_NAME, supervisor && "--supervisor", json && "--json"].find(Boolean);
        if (other) throw usageError(`--reset cannot be combined with ${other}`);
        return undo(world);
      }
      if (provider !== undefined) {
        if (json) throw usageError(`--json cannot be combined with ${A_NAME}`);
        return switchTo(world, provider, supervisor);
      }
      if (supervisor) throw usageError("--supervisor needs a provider");
      return showStatus(world, json);
    },
  });
}

async function switchTo(world: World, provider: string, supervised: boolean): Promise<number> {
  const loaded = loadConfig(world);
  requireProvider(provider, loaded, world);
  const places = usePlaces(world);
  const { wanted, notices, hasKey, keyFiles } = await prepareUse(world, loaded, provider, supervised);
  const { changed, replaced, backup, isStrict } = use(places, { provider, supervised }, wanted);
  const log = createLog(world);
  for (const notice of notices) log.warn(notice);
  if (!isStrict) log.warn(`${places.settings} has comments: Claude Code considers it invalid and ignores all of it`);
  if (replaced.length > 0) {
    log.info(`replaced in ${places.settings} until \`ccc use --reset\`: ${replaced.map(pathName).join(", ")}`);
  }
  const own = hasKey ? [places.settings, places.record].map((path) => ({ provider, path })) : [];
  for (const [name, files] of Map.groupBy(changed ? [...own, ...keyFiles] : [], (file) => file.provider)) {
    log.info(`the key of ${name} is now in ${and(files.map(({ path }) => path))}, readable only by you`);
  }
  if (backup !== undefined) log.info(`copy of the original file: ${backup}`);
  const what = `plain claude and your editors use ${provider}${supervised ? ", supervised" : ""} (${places.settings})`;
  say(changed ? `From now on ${what}. To undo: ccc use --reset` : `No change: ${what}.`, world);
  return EXIT.ok;
}

function undo(world: World): number {
  const log = createLog(world);
  const places = usePlaces(world);
  const used = pathsIn(folderOfUse(places));
  const done = reset(places);
  for (const paths of [used, cccPaths(world)]) {
    launchRecords(world.files, paths).forgetUse();
    removeReviewerFiles(world.files, paths);
  }
  if (done === undefined) {
    say("Nothing to undo: plain claude uses its own settings.", world);
    return EXIT.ok;
  }
  const { record, outcome, kept } = done;
  for (const path of kept) log.warn(`${pathName(path)} was changed since, so it stays as it is`);
  say(`${AFTER_RESET[outcome](record.settings)} ${record.provider} is no longer in use.`, world);
  return EXIT.ok;
}

/** The folder of the ccc.json that the switch was made with. A supervised one has recorded it, unless it is the usual one. */
function folderOfUse(places: UsePlaces): string {
  const folder = writtenByUse(places)?.env.CCC_CONFIG_DIR;
  return typeof folder === "string" ? folder : dirname(places.settings);
}

/** Removes the settings of every reviewer that `use` has written: they may hold keys. */
function removeReviewerFiles(files: World["files"], { generated }: Paths): void {
  for (const name of files.list(generated)) if (settingsLifetime(name) === "use") files.remove(join(generated, name));
}

const AFTER_RESET = {
  restored: (path: string) => `${path} is restored, byte for byte.`,
  reverted: (path: string) => `ccc's changes in ${path} are undone; later edits stay.`,
  removed: (path: string) => `${path} is removed: it did not exist before.`,
  gone: (path: string) => `${path} no longer exists, so there was nothing to undo.`,
} as const;

function showStatus(world: World, asJson: boolean): number {
  const places = usePlaces(world);
  const status = useStatus(places);
  if (asJson) {
    world.stdout(prettyJson(status ?? { provider: null, settings: places.settings }));
  } else if (status === undefined) {
    say("Plain claude uses its own settings. To change that: ccc use <provider>", world);
  } else {
    const { provider, supervised, since, settings, changed } = status;
    say(`Plain claude uses ${provider}${supervised ? ", supervised" : ""}, since ${clock(since)} (${settings})`, world);
    if (changed.length > 0) {
      createLog(world).warn(
        `that file was changed since: ${changed.join(", ")}. To fix it: ccc use ${supervised ? "--supervisor " : ""}${provider}`,
      );
    }
  }
  return EXIT.ok;
}

function say(text: string, world: World): void {
  world.stdout(`${wrap(text, outputWidth(world))}\n`);
}

/** In local time. */
function clock(time: string): string {
  // The Swedish format is 2026-11-16 06:19.
  return new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}

function and(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function pathName(path: Path): string {
  return path.join(".");
}

/** The settings that make plain claude behave like a launch on a provider, and how it still differs from one. */
interface PreparedUse {
  /** The settings to write, given the user's settings.json without ccc's changes. */
  readonly wanted: (base: Json) => Json;
  readonly notices: readonly string[];
  /** Whether settings.json will contain a key. */
  readonly hasKey: boolean;
  /** The settings files of reviewers that contain a key, with the provider of that key. */
  readonly keyFiles: readonly KeyFile[];
}

interface KeyFile {
  readonly provider: string;
  readonly path: string;
}

/** Does what a launch on the provider does before it starts, including refusals, for sessions that start without ccc. */
async function prepareUse(
  world: World,
  loaded: LoadedConfig,
  provider: string,
  supervised: boolean,
): Promise<PreparedUse> {
  const paths = cccPaths(world);
  const layers = readLayers(world.files, world);
  const self = lastingPath(world);
  const secret = persistentSecret(layers.usersText) ?? newSecret();
  const planned = supervised ? planSupervision(loaded, { ...world, self }, "hook") : undefined;
  if (planned !== undefined) refuseWithoutHooks([], world.env, { ...layers, settings: [] });
  const reviewing = planned === undefined ? [] : plannedReviewers(provider, planned);
  refuseReferences(loaded, [provider, ...reviewing.map((each) => each.provider)]);
  const claude = planned === undefined ? "claude" : findClaude(world);
  const version = planned && (await claudeVersion(world, claude, paths));
  const supervision = planned && { ...planned, hookForm: lastingForm(version, world.platform) };
  const situation = {
    loaded,
    paths,
    provider,
    named: false,
    claude,
    self,
    folded: { args: [], settings: undefined },
    // The switch applies to all folders, so the settings of this folder must not matter.
    layers: { ...layers, settings: [] },
    decided: NOTHING_DECIDED,
    hookSecret: secret,
    writesKey: true,
    env: world.env,
  };
  const plain = planLaunch(situation);
  const { configured } = currentLaunch(world, loaded, provider);
  const defaults = defaultsForServer(configured.env, { settings: [], env: world.env }).map(({ name }) => name);
  const reviewed = supervision && supervisePlan(plain, situation, supervision, false);
  const { references } = reviewed ?? plain;
  await resolveKeys(references, world);
  const launch = plain.settings.agent.content;
  const about = { loaded, provider, supervised, launch, references, layers, env: world.env };
  const notices = [...plain.notices, ...differences(about, usePlaces(world).settings)];
  const hasKey = hasSecret(launch);
  const sources = { launch, defaults, shell: world.env };
  const reviewer = reviewed?.settings.reviewer;
  if (supervision === undefined || reviewer === undefined) {
    return { wanted: (base) => wantedSettings({ ...sources, base, supervision: {} }), notices, hasKey, keyFiles: [] };
  }
  const files = [reviewer, ...(reviewed?.settings.fallback ?? [])].map(({ content }, index) => {
    const path = join(paths.generated, settingsFileName(provider, "persistent", index));
    world.files.writePrivate(path, prettyJson(withoutStoredKey(content)));
    return { path, provider: reviewing[index]?.provider ?? provider, hasKey: hasSecret(content) };
  });
  const [reviewerFile = "", ...fallback] = files.map(({ path }) => path);
  await prepareSupervision(world, paths, { provider, claude, version, supervision, fallback, isPersistent: true });
  const added = withFolder(persistentSupervision(supervision, reviewerFile, secret), world);
  return {
    wanted: (base) => wantedSettings({ ...sources, base, supervision: added }),
    notices,
    hasKey,
    keyFiles: files.filter(({ hasKey }) => hasKey),
  };
}

function withoutStoredKey(content: Json): Json {
  const { env, apiKeyHelper } = content;
  const identity = { env: asObject(env) as Identity["env"], apiKeyHelper: String(apiKeyHelper ?? "") };
  return { ...content, env: shadowStoredKey(identity).env };
}

/**
 * Claude Code sends a key that was stored by a login beside a bearer token in settings, whatever the server. A header of the
 * same name replaces it: the provider then gets its own token twice, and not that key.
 */
function shadowStoredKey(identity: Identity): Identity {
  const { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: key, ANTHROPIC_CUSTOM_HEADERS: headers = "" } = identity.env;
  const isNeeded = token && !key && !identity.apiKeyHelper && leavesAnthropic(identity.env.ANTHROPIC_BASE_URL);
  if (!isNeeded || /^x-api-key:/im.test(headers)) return identity;
  const shadowed = [headers, `x-api-key: ${token}`].filter((line) => line !== "").join("\n");
  return { ...identity, env: { ...identity.env, ANTHROPIC_CUSTOM_HEADERS: shadowed } };
}

function newSecret(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function hasSecret({ env }: Json): boolean {
  return Object.entries(asObject(env)).some(([name, value]) => value !== "" && isSecretVariable(name, String(value)));
}

/** Plain claude may be an older version, now in an editor or later: each of them understands a line for a POSIX shell. */
function lastingForm(version: string | undefined, platform: string): HookForm {
  return platform === "win32" ? hookForm(version, platform) : "shell";
}

/** The hook reads ccc.json and SUPERVISOR.md; an editor that starts claude may not set CCC_CONFIG_DIR. */
function withFolder(supervision: Json, { env: { CCC_CONFIG_DIR: folder } }: World): Json {
  return folder ? { ...supervision, env: { ...asObject(supervision.env), CCC_CONFIG_DIR: folder } } : supervision;
}

/** Claude Code can ask for a provider's key; any other secret would have to be written to settings.json. */
function refuseReferences({ config, providers }: LoadedConfig, names: readonly string[]): void {
  const blocks = {
    settings: config.settings?.env,
    ...Object.fromEntries(names.map((name) => [`providers.${name}`, providers.get(name)?.env])),
  };
  for (const [field, block] of Object.entries(blocks)) {
    const found = Object.entries(block ?? {}).find(([name, value]) => isOtherReference(name, value));
    if (found === undefined) continue;
    throw new CccError(`${field}.env.${found[0]} is a reference, which does not work in settings.json`, {
      advice: "Only a provider's key can be a reference here. Start it with ccc instead: ccc resolves all references.",
    });
  }
}

interface UseSources {
  /** The settings of an unsupervised launch on this provider, including blanks. */
  readonly launch: Json;
  /** The variables in it that ccc set by itself. */
  readonly defaults: readonly string[];
  /** What supervision adds. */
  readonly supervision: Json;
  /** The user's settings.json without ccc's changes. */
  readonly base: Json;
  readonly shell: Env;
}

/** The provider's settings, and blanks for variables that would override them, now or in common cases. */
function wantedSettings({ launch, defaults, supervision, base, shell }: UseSources): Json {
  const { env: block, apiKeyHelper, ...rest } = launch;
  const usersEnv = asObject(base.env);
  const isDecided = (name: string) => defaults.includes(name) && Object.hasOwn(usersEnv, name);
  const isSet = (name: string) => Boolean(shell[name]) || Object.hasOwn(usersEnv, name);
  const identity = shadowStoredKey({ env: nonBlank(block, isDecided), apiKeyHelper: String(apiKeyHelper ?? "") });
  const blanks = [...PROVIDER_VARIABLES, ...providerVariables({ ...shell, ...writtenEnv(usersEnv) })].filter(
    (name) => Object.hasOwn(ALWAYS_BLANK, name) || isSet(name),
  );
  // A variable that disables hooks is overridden in the user's file; in a shell it is a decision about one run.
  const supervising = Object.entries(writtenEnv(supervision.env)).filter(
    ([name, value]) => value !== "" || name === LAUNCH_MARKER || Object.hasOwn(usersEnv, name),
  );
  const env = {
    ...Object.fromEntries(blanks.map((name) => [name, ""])),
    ...identity.env,
    ...Object.fromEntries(supervising),
  };
  return withHooksOn({ ...rest, env, ...helper(identity, base) }, supervision, base);
}

/** An empty apiKeyHelper cancels the user's own; without one, nothing is written. */
function helper({ apiKeyHelper }: Identity, base: Json): Json {
  return apiKeyHelper !== "" || base.apiKeyHelper ? { apiKeyHelper } : {};
}

/** Adds the hook, and turns off the switches in the file that would disable it. */
function withHooksOn(settings: Json, { hooks }: Json, base: Json): Json {
  if (hooks === undefined) return settings;
  const switches = ["disableAllHooks", "allowManagedHooksOnly"].filter((name) => base[name] ?? settings[name]);
  return {
    ...settings,
    ...Object.fromEntries(switches.map((name) => [name, false])),
    hooks: merged(asObject(settings.hooks), asObject(hooks)),
  };
}

function merged(hooks: Json, more: Json): Json {
  const events = [...new Set([...Object.keys(hooks), ...Object.keys(more)])];
  return Object.fromEntries(events.map((event) => [event, [...listOf(hooks[event]), ...listOf(more[event])]]));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Without the launch marker: sessions of plain claude are not launches. */
function nonBlank(block: unknown, isDecided: (name: string) => boolean): Record<string, string> {
  const values = Object.entries(writtenEnv(block)).filter(([name]) => !isDecided(name));
  return Object.fromEntries(
    values.filter(([name, value]) => (value !== "" || kindOf(name) === undefined) && name !== LAUNCH_MARKER),
  );
}

interface Switch {
  readonly loaded: LoadedConfig;
  readonly provider: string;
  readonly supervised: boolean;
  /** The settings of a launch. */
  readonly launch: Json;
  readonly references: Plan["references"];
  readonly layers: Layers;
  readonly env: Env;
}

/** How plain claude will differ from a launch with ccc. `own` is the user's settings.json. */
function differences({ loaded, provider, supervised, launch, references, layers, env }: Switch, own: string): string[] {
  return [
    ...expansions(loaded, provider, launch),
    ...argumentsLost(loaded),
    ...keysElsewhere(references),
    ...winners(layers, own),
    ...strongerThanSettings(env),
    ...(supervised ? unreviewed(layers, own) : []),
  ];
}

/** settings.json does not support ${NAME}: ccc writes today's value. */
function expansions({ config, providers }: LoadedConfig, provider: string, launch: Json): string[] {
  const written = asObject(launch.env);
  const block = Object.entries({ ...config.settings?.env, ...providers.get(provider)?.env });
  return namedIn(block.flatMap(([name, value]) => (written[name] ? [value] : []))).map(
    (name) => `the current value of ${name} is written to the file; if it changes, run this again`,
  );
}

function argumentsLost({ config }: LoadedConfig): string[] {
  if (!config.claude_args?.length) return [];
  return ["claude_args of ccc.json apply only to launches with ccc, not to plain claude"];
}

/** An editor does not have the variables of this shell. */
function keysElsewhere(references: Plan["references"]): string[] {
  const names = references.flatMap(({ reference }) => referencedVariable(reference) ?? []);
  return [...new Set(names)].map(
    (name) => `the key is read when it is needed: ${name} must be set wherever claude is started`,
  );
}

/** Cases in which the user's settings cannot enforce reviews. */
function unreviewed({ settings }: Layers, own: string): string[] {
  return [
    ...settings
      .filter(({ path, forbidsHooks }) => path !== own && forbidsHooks)
      .map(({ path }) => `${path} disables hooks: plain claude is not reviewed in this folder`),
    "a project's settings can disable these reviews, but not those of `ccc --supervisor`",
  ];
}

/** A project's settings win over the user's settings.json, which `ccc use` changes. */
function winners({ settings }: Layers, own: string): string[] {
  return settings.flatMap(({ path, env, apiKeyHelper }) => {
    const names = [
      ...Object.keys(env).filter((name) => kindOf(name) !== undefined),
      ...(apiKeyHelper ? ["apiKeyHelper"] : []),
    ];
    if (path === own || names.length === 0) return [];
    return [
      `${path} sets ${names.join(", ")}, which wins for plain claude in this folder; launches with ccc are not affected`,
    ];
  });
}

/** Claude Code reads these only from its environment, so settings.json cannot cancel them. */
function strongerThanSettings(env: Env): string[] {
  const names = ["ANTHROPIC_UNIX_SOCKET", MANAGED_BY_HOST, "CLAUDE_CODE_HOST_AUTH_ENV_VAR"].filter((name) => env[name]);
  return names.map(
    (name) =>
      `${name} is set in this shell, and settings.json cannot override it: plain claude does not use the provider here; unset ${name}`,
  );
}
