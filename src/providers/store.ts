import { cloudOf } from "../claude/connection.ts";
import {
  COMPACT_WINDOW,
  CONTEXT_WINDOW,
  inEveryRole,
  modelVariables,
  SIMPLE_SYSTEM_PROMPT,
  TOOL_SEARCH,
} from "../claude/models.ts";
import { readReviewerName, reviewerLabel } from "../config/defaults.ts";
import { type Change, changeConfig, changesBetween, keepBackup } from "../config/edit.ts";
import { writtenEnv } from "../config/env.ts";
import { cccPaths, type Paths, settingsFileName, VARIANTS } from "../config/paths.ts";
import { allPins } from "../config/pins.ts";
import type { Config, ProviderEntry } from "../config/schema.ts";
import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson } from "../text/json.ts";
import { renameIn } from "../text/json-text.ts";
import { createRedactor, secretsIn } from "../text/redact.ts";
import { optional, type World } from "../world.ts";
import { presetEnv } from "./preset-list.ts";
import { presetOrigin } from "./presets.ts";
import { lastUsagePath } from "./quota/last.ts";
import { isReference, kindOf, PLACEHOLDER_KEYS, TOKENS } from "./variables.ts";

/** The providers in ccc.json, with the files that ccc generates for them. */
interface ProviderStore {
  /** Throws if the name is taken. */
  readonly add: (name: string, entry: ProviderEntry) => void;
  /** Changes or adds a provider. With a date, keeps a copy of ccc.json if the provider existed. */
  readonly change: (
    name: string,
    change: (before: ProviderEntry | undefined) => ProviderEntry,
    now?: Date,
  ) => ChangedProvider;
  /** Renames a provider wherever ccc.json names it; the order stays. Returns the settings that named it. */
  readonly rename: (renaming: Renaming) => string[];
  /** Removes a provider, with its generated files, and its key from everywhere ccc wrote it. */
  readonly remove: (name: string) => ProviderEntry;
}

interface StorePaths extends Paths {
  readonly backups: string;
}

/** A provider before and after a change of ccc.json. */
export interface ChangedProvider {
  readonly before: ProviderEntry | undefined;
  readonly after: ProviderEntry;
  /** The path of a copy of ccc.json as it was; replaced keys are masked in it. */
  readonly backup: string | undefined;
}

interface Renaming {
  readonly from: string;
  readonly to: string;
  /** References to change in the provider's variables, the new one by the old. */
  readonly references: ReadonlyMap<string, string>;
}

/** `backups` is the folder with copies of changed files. */
export function providerStore(world: Pick<World, "files" | "env" | "platform">, backups: string): ProviderStore {
  const { files } = world;
  const paths = { ...cccPaths(world), backups };
  return {
    add: (name, entry) => {
      changeProvider(files, paths, name, (before) => {
        // Checked under the lock: another ccc may have added it meanwhile.
        if (before !== undefined) throw alreadyThere(name);
        return entry;
      });
    },
    change: (name, change, now) => changeProvider(files, paths, name, change, now),
    rename: (renaming) => renameProvider(files, paths, renaming),
    remove: (name) => removeProvider(files, paths, name),
  };
}

export function entryOf(providers: Config["providers"], name: string): ProviderEntry | undefined {
  return Object.hasOwn(providers ?? {}, name) ? (providers?.[name] ?? {}) : undefined;
}

export function alreadyThere(name: string, advice = REPLACE): CccError {
  return new CccError(`provider "${name}" already exists; nothing was changed`, { advice });
}

export function goneProvider(name: string): CccError {
  return new CccError(`provider "${name}" is gone: another ccc has removed it`, {
    advice: "Your providers: ccc provider list",
  });
}

const REPLACE = "To replace it, pass --replace. To keep both, choose another name.";

/**
 * A provider that is added again. Server, key and models are the new ones; everything else that the user has set stays,
 * except what would send a key or a model of the old server to the new one.
 */
export function replaceSettings(name: string, before: ProviderEntry, next: ProviderEntry): ProviderEntry {
  const old = before.env ?? {};
  const isSameServer = serverOf(before) === serverOf(next);
  const fromPreset = valuesOfPreset(name, before);
  const stays = (variable: string) =>
    !DESCRIBED.includes(variable) &&
    String(old[variable]) !== fromPreset[variable] &&
    (isSameServer || kindOf(variable) === undefined);
  const kept = Object.fromEntries(Object.entries(old).filter(([variable]) => stays(variable)));
  const { env: _env, preset: _preset, apiKeyHelper, model, ...settings } = before;
  const env: NonNullable<ProviderEntry["env"]> = Object.assign({}, next.env, kept, next.env);
  const hasKey = TOKENS.some((token) => next.env?.[token]);
  return {
    ...(isSameServer && model !== undefined ? { model } : {}),
    ...(isSameServer && !hasKey && apiKeyHelper !== undefined ? { apiKeyHelper } : {}),
    ...settings,
    ...next,
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

/** Variables that `ccc provider add` decides: those that it no longer sets are removed. */
const DESCRIBED: readonly string[] = [
  "ANTHROPIC_BASE_URL",
  ...TOKENS,
  ...Object.keys(modelVariables(inEveryRole("any"))),
  CONTEXT_WINDOW,
  COMPACT_WINDOW,
  TOOL_SEARCH,
  SIMPLE_SYSTEM_PROMPT,
];

function serverOf({ env }: ProviderEntry): string {
  const written = writtenEnv(env);
  return `${written.ANTHROPIC_BASE_URL ?? ""} ${cloudOf(written)?.variable ?? ""}`;
}

function valuesOfPreset(name: string, entry: ProviderEntry): Readonly<Record<string, string>> {
  const origin = presetOrigin(name, entry);
  if (origin.kind === "noted") return origin.note.env;
  return origin.kind === "guessed" ? presetEnv(origin.preset) : {};
}

function changeProvider(
  files: Files,
  paths: StorePaths,
  name: string,
  change: (before: ProviderEntry | undefined) => ProviderEntry,
  now?: Date,
): ChangedProvider {
  let before: ProviderEntry | undefined;
  let after: ProviderEntry = {};
  let backup: string | undefined;
  files.edit(paths.config, (text) => {
    const edited = changeConfig(text, paths.config, ({ providers }) => {
      before = entryOf(providers, name);
      after = change(before);
      return changesBetween(before === undefined ? undefined : providers?.[name], after, ["providers", name]);
    });
    if (edited === text) return undefined;
    if (text !== undefined && before !== undefined && now !== undefined)
      backup = keepBackup(files, paths.backups, text, now, "ccc.json");
    return edited;
  });
  if (before !== undefined) forgetKeys(files, paths, before);
  // The last usage may be that of another account.
  optional(() => files.remove(lastUsagePath(paths, name)));
  return { before, after, backup };
}

function renameProvider(files: Files, { config: path, generated }: StorePaths, renaming: Renaming): string[] {
  let named: string[] = [];
  files.edit(path, (text = "") => {
    const { from, to } = renaming;
    // Validated first: the errors of the renamed file would mention names that the user has not written.
    const before = changeConfig(text, path, ({ providers }) => {
      if (entryOf(providers, from) === undefined) throw goneProvider(from);
      if (entryOf(providers, to) !== undefined)
        throw alreadyThere(to, "Choose another name, or remove that one first.");
      return [];
    });
    return changeConfig(renameIn(before, ["providers", from], to), path, (config) => {
      if (entryOf(config.providers, from) !== undefined)
        throw new CccError(`${path} has a duplicate key, so ccc cannot change it safely`, {
          advice: "Remove one of the two; nothing was changed.",
        });
      const changes = namesChanged(config, renaming);
      named = changes.filter(({ path }) => path[0] !== "providers").map(({ path }) => path.join("."));
      return changes;
    });
  });
  removeGenerated(files, generated, renaming.from);
  return named;
}

/** Where ccc.json names the provider of a launch that names none. */
const CHOICES = ["default_provider", "current_provider"] as const;

/** The changes wherever else ccc.json names the provider. */
function namesChanged(config: Config, { from, to, references }: Renaming): Change[] {
  const { supervisor } = config;
  const renamed = (each: string) => {
    const reviewer = readReviewerName(each);
    return reviewer.provider === from ? reviewerLabel({ ...reviewer, provider: to }) : each;
  };
  const fallback = supervisor?.fallback?.map(renamed);
  const confirm = typeof supervisor?.confirm === "string" ? renamed(supervisor.confirm) : supervisor?.confirm;
  return [
    ...CHOICES.filter((key) => config[key] === from).map((key) => ({ path: [key], value: to })),
    ...(supervisor?.provider === from ? [{ path: ["supervisor", "provider"], value: to }] : []),
    ...(fallback?.some((each, index) => each !== supervisor?.fallback?.[index])
      ? [{ path: ["supervisor", "fallback"], value: fallback }]
      : []),
    ...(confirm === supervisor?.confirm ? [] : [{ path: ["supervisor", "confirm"], value: confirm }]),
    ...(config.fallback?.includes(from)
      ? [{ path: ["fallback"], value: config.fallback.map((each) => (each === from ? to : each)) }]
      : []),
    ...pinsChanged(config, from, to),
    ...referencesChanged(entryOf(config.providers, to) ?? {}, to, references),
  ];
}

/** Folders that are pinned to the provider. */
function pinsChanged({ folders }: Config, from: string, to: string): Change[] {
  return Object.entries(folders ?? {}).flatMap(([folder, pin]) => {
    if (pin === from) return [{ path: ["folders", folder], value: to }];
    return typeof pin === "object" && pin.provider === from
      ? [{ path: ["folders", folder, "provider"], value: to }]
      : [];
  });
}

function referencesChanged(entry: ProviderEntry, name: string, references: Renaming["references"]): Change[] {
  return Object.entries(entry.env ?? {}).flatMap(([variable, value]) => {
    const moved = references.get(String(value));
    return moved === undefined ? [] : [{ path: ["providers", name, "env", variable], value: moved }];
  });
}

function removeProvider(files: Files, paths: StorePaths, name: string): ProviderEntry {
  let before: ProviderEntry = {};
  files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, (config) => {
      const { supervisor, providers, folders, fallback } = config;
      before = providers?.[name] ?? {};
      if (fallback?.includes(name)) {
        throw new CccError(`"${name}" is a fallback of the agent: fallback in ${paths.config} names it`, {
          advice: "Remove it there first. Nothing was changed.",
        });
      }
      const isNamed = (each: string | boolean | undefined) =>
        typeof each === "string" && readReviewerName(each).provider === name;
      const field =
        supervisor?.provider === name
          ? "provider"
          : supervisor?.fallback?.some(isNamed)
            ? "fallback"
            : isNamed(supervisor?.confirm) && "confirm";
      if (field) {
        const which = field === "provider" ? "the" : "a";
        throw new CccError(`"${name}" is ${which} reviewer: supervisor.${field} in ${paths.config} names it`, {
          advice: "Choose another reviewer there first. Nothing was changed.",
        });
      }
      const pin = allPins({ folders }).find(({ provider }) => provider === name);
      if (pin !== undefined) {
        throw new CccError(`${pin.folder} is pinned to "${name}"`, {
          advice: "Remove the pin there first: ccc pin --remove. Nothing was changed.",
        });
      }
      return [
        { path: ["providers", name], value: undefined },
        ...CHOICES.filter((key) => config[key] === name).map((key) => ({ path: [key], value: undefined })),
      ];
    }),
  );
  removeGenerated(files, paths.generated, name);
  forgetKeys(files, paths, before);
  return before;
}

/** Removes the settings that launches of a provider have generated, which the next launch writes again, and its last usage. */
function removeGenerated(files: Files, folder: string, provider: string): void {
  const own = VARIANTS.map((variant) => settingsFileName(provider, variant));
  const begins = own.map((file) => file.replace(/\.json$/, "+"));
  for (const file of files.list(folder)) {
    const isOwn = own.includes(file) || begins.some((begin) => file.startsWith(begin));
    if (isOwn) files.remove(join(folder, file));
  }
  files.remove(lastUsagePath({ generated: folder }, provider));
}

/**
 * Deletes keys that are no longer in ccc.json from everything that ccc wrote: removes generated settings that contain one,
 * also those of other providers, which hold their reviewer's key, and masks it in copies of files.
 */
function forgetKeys(files: Files, paths: StorePaths, before: ProviderEntry): void {
  const left = new Set(keysOfAll(files.read(paths.config) ?? ""));
  const { known: masked } = createRedactor(keysOf(before).filter((key) => !left.has(key)));
  for (const path of filesIn(files, paths.generated, /^settings-.*\.json$/)) {
    const text = files.read(path) ?? "";
    if (masked(text) !== text) files.remove(path);
  }
  for (const path of filesIn(files, paths.backups, /./)) {
    const text = files.read(path) ?? "";
    if (masked(text) !== text) files.writePrivate(path, masked(text));
  }
}

function filesIn(files: Files, folder: string, wanted: RegExp): string[] {
  const paths = files.list(folder).flatMap((name) => (wanted.test(name) ? [join(folder, name)] : []));
  return paths.filter((path) => files.identify(path)?.isFile === true);
}

function keysOfAll(config: string): string[] {
  const { settings, providers } = asObject(parseJson(config));
  return [settings, ...Object.values(asObject(providers))].flatMap((each) => keysOf(asObject(each)));
}

/** The secret values among a provider's variables. */
function keysOf({ env }: Readonly<{ env?: unknown }>): string[] {
  const held = Object.entries(writtenEnv(env)).filter(([, value]) => !isReference(value));
  const credentials = held.filter(([name]) => kindOf(name) === "credential").map(([, value]) => value);
  return [...credentials, ...secretsIn(Object.fromEntries(held))].filter((key) => !PLACEHOLDER_KEYS.has(key));
}
