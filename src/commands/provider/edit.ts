/** Changes of a provider in ccc.json: its JSON, its key, its preset. */

import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { checkConfig, whereBroken } from "../../config/check.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { join } from "../../os/path.ts";
import { forgetEntry, keyStorage, keyVariable, type Store } from "../../providers/keys.ts";
import { type PresetUpdate, presetOrigin, presetUpdate } from "../../providers/presets.ts";
import { shownChanges, shownReference } from "../../providers/show.ts";
import { type ChangedProvider, entryOf, goneProvider, providerStore } from "../../providers/store.ts";
import { isReference, isSecretVariable, PLACEHOLDER_KEYS, TOKENS } from "../../providers/variables.ts";
import { canAsk, createLog, isAgreed } from "../../terminal/dialog.ts";
import { isObject, type Json, parseJson, prettyJson } from "../../text/json.ts";
import { setIn } from "../../text/json-text.ts";
import { columns, outputWidth, wrap } from "../../text/table.ts";
import type { Program, World } from "../../world.ts";
import { askedProviders, currentLaunch, PROVIDER_OR_CURRENT, requireProvider } from "../arguments.ts";
import { usePlaces, useStatus } from "../use/switch.ts";
import { requestIdentity } from "../validate/validate.ts";
import { askKey, checkedKey, KEY_FLAGS, readKeyOptions, testKey, warnOfReference } from "./keys.ts";

/** Stands for a key, which must not be shown. */
const UNCHANGED = "(unchanged)";

const EDIT_DESCRIPTION = `Change a provider. Without an option, edit its JSON in your editor ($VISUAL, else $EDITOR): it is saved only if a
launch would accept it, and keys are not shown; leave "${UNCHANGED}" in place of a key to keep it.

With --key, give it another key: on a terminal ccc asks for it and tests it before it is saved. The old key is removed from
everywhere ccc wrote it. With --rename, everything that names the provider is updated: the default, reviewers, pinned
folders, its key in the keychain. Sessions that are running on it have to be started again.

Examples
  ccc provider edit glm --key
  ccc provider edit glm --token-ref 'cmd:pass show glm'
  ccc provider edit glm --rename glm-work

Exit codes
  0      saved, or nothing was changed
  1      failure; nothing was saved
  2      usage error, unknown provider, or not a terminal
  130    cancelled; nothing was saved

More
  ${docsPage("providers.md#changing-one")}`;

export function editCommand(world: World, rename: (from: string, to: string) => Promise<void>) {
  return defineCommand({
    meta: { name: "edit", description: EDIT_DESCRIPTION },
    args: {
      name: { type: "positional", required: true, description: "a provider in ccc.json" },
      key: { type: "boolean", default: false, description: "ask for another key" },
      ...KEY_FLAGS,
      rename: { type: "string", valueHint: "NEW", description: "give it another name" },
    },
    run: async ({ args }) => {
      const isAboutKey = args.key || args["token-stdin"] || args["token-ref"] !== undefined || args.store !== undefined;
      if (args.rename !== undefined && isAboutKey) throw usageError("--rename cannot be combined with another key");
      if (args.rename !== undefined) return rename(args.name, args.rename);
      if (isAboutKey) return changeKey(args, world);
      const loaded = loadConfig(world);
      const name = requireProvider(args.name, loaded, world);
      if (!canAsk(world) || !world.isTerminal(1))
        throw usageError(
          "ccc provider edit needs a terminal",
          `In a script: ccc provider edit ${name} --token-stdin, or ccc provider add ${name} --replace`,
        );
      await editProvider(name, loaded, world);
    },
  });
}

async function editProvider(name: string, loaded: LoadedConfig, world: World): Promise<void> {
  const original = entryOf(loaded.config.providers, name) ?? {};
  const initial = editableText(original);
  const scratch = world.scratch();
  const path = join(scratch.path, `${name}.json`);
  world.files.writePrivate(path, initial);
  try {
    const edited = await editUntilValid({ name, original, path, loaded }, world);
    if (edited === undefined) createLog(world).info("nothing was changed");
    else await save(name, original, edited, world);
  } catch (error) {
    // What the user wrote is never lost.
    if (![undefined, initial].includes(world.files.read(path))) createLog(world).info(`your text is in ${path}`);
    else scratch.remove();
    throw error;
  }
  scratch.remove();
}

interface Editing {
  readonly name: string;
  readonly original: ProviderEntry;
  readonly path: string;
  readonly loaded: LoadedConfig;
}

/** Returns undefined if the text stays as it was. */
async function editUntilValid(editing: Editing, world: World): Promise<ProviderEntry | undefined> {
  const { name, path, original } = editing;
  for (;;) {
    await runEditor(path, world);
    const text = world.files.read(path);
    if (text === undefined)
      throw new CccError(`${path} is gone; nothing was saved`, { advice: `Edit it again: ccc provider edit ${name}` });
    try {
      const edited = accepted(text, editing, world);
      return Bun.deepEquals(edited, original, true) ? undefined : edited;
    } catch (error) {
      if (!(error instanceof CccError)) throw error;
      const advice = error.advice === undefined ? "" : `\n${error.advice}`;
      createLog(world).error(`not saved: ${error.message}${advice}`);
      if (!(await world.ask.confirm("Edit again?", true)))
        throw new CccError("nothing was saved", { exitCode: EXIT.interrupted });
    }
  }
}

/** The provider of the text, if a launch would accept it. */
function accepted(text: string, { name, original, loaded }: Editing, world: World): ProviderEntry {
  const edited = editedProvider(text, original);
  const file = world.files.read(loaded.path) ?? "{}";
  const config = checkConfig(setIn(file, ["providers", name], edited), "your text");
  const entry = entryOf(config.providers, name) ?? {};
  const problem = problemOf(entry, name, loaded, world);
  // An earlier problem does not prevent other changes.
  if (problem !== undefined && problem.message !== problemOf(original, name, loaded, world)?.message) throw problem;
  return entry;
}

/** A provider as the user edits it: without its keys and without its preset note. */
function editableText({ preset: _, ...settings }: ProviderEntry): string {
  if (!isObject(settings.env)) return prettyJson(settings);
  const hidden = keysIn(settings.env);
  const env = Object.entries(settings.env).map(([name, value]) => [name, hidden.has(name) ? UNCHANGED : value]);
  return prettyJson({ ...settings, env: Object.fromEntries(env) });
}

/** Parses an edited text, and restores the keys in it. Throws what is wrong with the text. */
function editedProvider(text: string, original: ProviderEntry): Json {
  const json = parseJson(text);
  if (json === undefined) throw new CccError(`this is not valid JSON: ${whereBroken(text)}`);
  if (!isObject(json)) throw new CccError("this must be an object, { … }");
  const note = original.preset === undefined ? {} : { preset: original.preset };
  if (!isObject(json.env)) return { ...json, ...note };
  const hidden = keysIn(original.env ?? {});
  const env = Object.entries(json.env).map(([name, value]) => [
    name,
    value === UNCHANGED ? keyFor(name, hidden) : value,
  ]);
  return { ...json, env: Object.fromEntries(env), ...note };
}

/** The key that a variable had, else the only key: the variable may have been renamed. */
function keyFor(name: string, hidden: ReadonlyMap<string, unknown>): unknown {
  if (hidden.has(name)) return hidden.get(name);
  const [only] = hidden.values();
  if (hidden.size === 1) return only;
  throw new CccError(`env.${name}: "${UNCHANGED}" stands for the key that was there, but there was none`);
}

function keysIn(env: Json): Map<string, unknown> {
  return new Map(Object.entries(env).filter(([name, value]) => isKey(name, String(value ?? ""))));
}

function isKey(name: string, value: string): boolean {
  const isShown = value === "" || isReference(value) || PLACEHOLDER_KEYS.has(value) || /^\$\{\w+\}$/.test(value);
  return !isShown && isSecretVariable(name, value);
}

function problemOf({ preset: _, ...settings }: ProviderEntry, name: string, loaded: LoadedConfig, world: World) {
  const providers = new Map(loaded.providers).set(name, settings);
  return currentLaunch(world, { ...loaded, providers }, name).problem;
}

async function save(name: string, original: ProviderEntry, edited: ProviderEntry, world: World): Promise<void> {
  const change = (before: ProviderEntry | undefined) => {
    if (Bun.deepEquals(before ?? {}, original, true)) return edited;
    throw new CccError(`another ccc has changed "${name}" meanwhile; nothing was saved`, {
      advice: `Edit it again: ccc provider edit ${name}`,
    });
  };
  const changed = providerStore(world, usePlaces(world).backups).change(name, change, world.now());
  await forgetReplacedEntries(changed, name, world);
  createLog(world).info(`saved "${name}" in ${cccPaths(world).config}`);
  tellChanges(changed, name, world);
}

/** Lets the user edit a file. Throws if the editor fails. */
async function runEditor(path: string, world: World): Promise<void> {
  const { exitCode } = await world.handOver(editorProgram(path, world));
  if (exitCode === 0) return;
  throw new CccError(`the editor \`${editorOf(world)}\` ended with exit code ${exitCode}; nothing was saved`, {
    advice: "For another editor, set VISUAL or EDITOR: EDITOR=nano ccc provider edit …",
  });
}

/** The variable is a command with arguments, such as `code --wait`. */
function editorProgram(path: string, world: Pick<World, "env" | "platform">): Program {
  const { env, platform } = world;
  if (platform === "win32") {
    const words = editorOf(world).match(/"[^"]*"|\S+/g) ?? [];
    // Through cmd.exe, because many editors are started by a batch file.
    return { file: "cmd.exe", args: ["/d", "/c", ...words.map((word) => word.replaceAll('"', "")), path], env };
  }
  return { file: "/bin/sh", args: ["-c", `${editorOf(world)} "$1"`, "ccc", path], env };
}

function editorOf({ env, platform }: Pick<World, "env" | "platform">): string {
  return env.VISUAL || env.EDITOR || (platform === "win32" ? "notepad" : "vi");
}

/** Shows on stderr what changed in a provider, the copy of the old file, and whether plain claude uses the provider. */
export function tellChanges({ before, after, backup }: ChangedProvider, name: string, world: World): void {
  if (before === undefined) return;
  const rows = shownChanges(before, after).map(([sign, ...rest]) => [`  ${sign}`, ...rest]);
  world.stderr(columns(rows, world.isTerminal(2) ? world.columns(2) : Number.POSITIVE_INFINITY));
  if (backup !== undefined) createLog(world).info(`ccc.json as it was: ${backup} (replaced keys are masked there)`);
  tellUse(name, world);
}

/** A change of ccc.json does not change what `ccc use` wrote into settings.json. */
function tellUse(name: string, world: World): void {
  if (useStatus(usePlaces(world))?.provider !== name) return;
  createLog(world).info(`plain claude uses "${name}", too; to update it: ccc use ${name}`);
}

/** Removes keys from the keychain that ccc stored for a provider and that it no longer uses. */
export async function forgetReplacedEntries(
  { before, after }: ChangedProvider,
  name: string,
  world: World,
): Promise<void> {
  for (const token of TOKENS) {
    const old = before?.env?.[token];
    if (TOKENS.some((each) => after.env?.[each] === old)) continue;
    const forgotten = await forgetEntry(old, name, world);
    if (forgotten?.isRemoved === false) createLog(world).warn(forgotten.message);
  }
}

const SET_KEY_DESCRIPTION = `The same as ccc provider edit NAME --key.

Examples
  ccc provider set-key glm
  ccc provider set-key glm --token-stdin < key.txt
  ccc provider set-key glm --token-ref 'cmd:pass show glm'

More
  ${docsPage("providers.md#changing-one")}`;

export function setKeyCommand(world: World) {
  return defineCommand({
    meta: { name: "set-key", description: SET_KEY_DESCRIPTION, hidden: true },
    args: {
      name: { type: "positional", required: true, description: "a provider in ccc.json" },
      ...KEY_FLAGS,
    },
    run: ({ args }) => changeKey(args, world),
  });
}

interface KeyArguments {
  readonly name: string;
  readonly "token-stdin": boolean;
  readonly "token-ref"?: string | undefined;
  readonly store?: Store | undefined;
}

async function changeKey(args: KeyArguments, world: World): Promise<void> {
  const loaded = loadConfig(world);
  const name = requireProvider(args.name, loaded, world);
  const input = readKeyOptions(args, world);
  if (input.reference !== undefined && args.store !== undefined)
    throw usageError("--store cannot be combined with --token-ref, because there is no key to store");
  const isGiven = input.key !== undefined || input.reference !== undefined;
  if (isGiven) checkedKey(input);
  const entry = entryOf(loaded.config.providers, name) ?? {};
  const variable = keyVariable(name, entry);
  const asked = !isGiven && canAsk(world) ? await askAndTest({ name, entry, variable, loaded }, world) : undefined;
  const { key, written } = checkedKey(asked === undefined ? input : { key: asked });
  await setKey({ name, variable, key, reference: written, store: args.store }, world);
}

interface KeyOf {
  readonly name: string;
  readonly entry: ProviderEntry;
  readonly variable: string;
  readonly loaded: LoadedConfig;
}

async function askAndTest(of: KeyOf, world: World): Promise<string> {
  const origin = presetOrigin(of.name, of.entry);
  const keyUrl = origin.kind === "none" ? undefined : origin.preset?.keyUrl;
  for (;;) {
    const key = await askKey(keyUrl, false, world);
    const again = {
      isEntered: true,
      otherwise: "enter a key and try again",
      canSendAsApiKey: false,
      canCorrect: false,
    };
    if ((await testKey(await identityWith(of, key, world), world, again)) === "save") return key;
  }
}

/** What a launch would send with this key. */
function identityWith({ name, entry, variable, loaded }: KeyOf, key: string, world: World) {
  const { preset: _, ...settings } = entry;
  const own = { ...settings, env: { ...settings.env, [variable]: key } };
  return requestIdentity({ ...loaded, providers: new Map(loaded.providers).set(name, own) }, name, world);
}

interface NewKey {
  readonly name: string;
  readonly variable: string;
  readonly key: string | undefined;
  readonly reference: string | undefined;
  readonly store: Store | undefined;
}

async function setKey({ name, variable, key, reference = "", store }: NewKey, world: World): Promise<void> {
  const storage = key === undefined ? undefined : await keyStorage(name, key, store, world);
  // Before ccc.json: if the keychain refuses it, the provider keeps its old key.
  await storage?.put();
  const changed = providerStore(world, usePlaces(world).backups).change(name, (now) => {
    if (now === undefined) throw goneProvider(name);
    return { ...now, env: { ...now.env, [keyVariable(name, now)]: storage?.value ?? reference } };
  });
  await forgetReplacedEntries(changed, name, world);
  const log = createLog(world);
  log.info(`the key of "${name}" (${variable}) is now ${storage?.where ?? `read from ${shownReference(reference)}`}`);
  if (reference !== "") await warnOfReference(reference, world);
  tellUse(name, world);
  log.info(`to check it: ccc validate ${name}`);
}

const UPDATE_DESCRIPTION = `Bring a provider up to date with its preset. Shows what differs between the preset that it was made from and the
current one, and asks; without a terminal, pass --yes. Values that you have changed stay, and so does the key.

Signs
  ~ + -    changes, is added, is removed
  =        your own value, which stays

Exit codes
  0      up to date, or updated
  1      with --check: there is something to update; otherwise failure
  2      usage error, or unknown provider
  130    declined

More
  ${docsPage("providers.md#presets-stay-fresh")}`;

export function updateCommand(world: World) {
  return defineCommand({
    meta: { name: "update", description: UPDATE_DESCRIPTION },
    args: {
      name: PROVIDER_OR_CURRENT,
      all: { type: "boolean", default: false, description: "all providers in ccc.json" },
      check: {
        type: "boolean",
        default: false,
        description: "only show what would change; exit code 1 if anything would",
      },
      yes: { type: "boolean", default: false, description: "do not ask" },
    },
    run: ({ args }) => {
      const { all, check, yes } = args;
      if (check && yes) throw usageError("--check cannot be combined with --yes");
      const loaded = loadConfig(world);
      const names = askedProviders(loaded, args.name, all, world);
      return updateProviders(names, { isAll: all, check, yes }, loaded, world);
    },
  });
}

interface How {
  readonly isAll: boolean;
  readonly check: boolean;
  readonly yes: boolean;
}

async function updateProviders(
  names: readonly string[],
  { isAll, check, yes }: How,
  { config }: LoadedConfig,
  world: World,
): Promise<number> {
  const log = createLog(world);
  let declined = 0;
  let needed = 0;
  for (const name of names) {
    const entry = entryOf(config.providers, name) ?? {};
    const update = presetUpdate(name, entry);
    const said = update === undefined ? whyNone(presetOrigin(name, entry)) : heading(update);
    world.stdout(`${wrap(`${name}: ${said}`, outputWidth(world))}\n`);
    if (update === undefined) continue;
    world.stdout(
      columns([...shownChanges(entry, update.after), ...keptRows(update)].map(indented), outputWidth(world)),
    );
    if (!update.isNeeded) continue;
    needed++;
    if (check) continue;
    if (yes && isAll && update.isGuess) {
      log.warn(`"${name}" was not updated, because its preset is a guess. To do it: ccc provider update ${name}`);
    } else if (
      await isAgreed(`Update "${name}"?`, { yes, to: "update, or --check to only look", preset: true }, world)
    ) {
      apply(name, world);
    } else declined++;
  }
  if (check) return needed > 0 ? EXIT.failure : EXIT.ok;
  if (declined > 0 && declined === needed) throw new CccError("nothing was changed", { exitCode: EXIT.interrupted });
  return EXIT.ok;
}

function apply(name: string, world: World): void {
  const { backup } = providerStore(world, usePlaces(world).backups).change(
    name,
    // Decided again under the lock: another ccc may have changed it meanwhile.
    (before = {}) => presetUpdate(name, before)?.after ?? before,
    world.now(),
  );
  const log = createLog(world);
  log.info(
    `updated "${name}" in ${cccPaths(world).config}${backup === undefined ? "" : `; the file as it was: ${backup}`}`,
  );
  tellUse(name, world);
}

function heading({ preset, from, isGuess, isNeeded }: PresetUpdate): string {
  if (isGuess) {
    const guess = `perhaps from the preset ${preset.name}, which has the same server`;
    return isNeeded
      ? `${guess}. ccc cannot tell which values are your own: all that differ would change.`
      : `${guess}, and the same values (${preset.asOf})`;
  }
  if (!isNeeded) return `up to date with the preset ${preset.name} (${preset.asOf})`;
  const days = from === undefined || from === preset.asOf ? preset.asOf : `${from} → ${preset.asOf}`;
  return `the preset ${preset.name} has changed (${days})`;
}

function whyNone(origin: ReturnType<typeof presetOrigin>): string {
  if (origin.kind === "noted")
    return `made from the preset ${origin.note.name}, which this version of ccc does not have`;
  return "not made from a preset, so there is nothing to update";
}

function keptRows({ kept }: PresetUpdate): string[][] {
  return kept.map(({ name, own, preset }) => [
    "=",
    name,
    `${own ?? "(not set)"} stays, it is your own (the preset has ${preset ?? "none"})`,
  ]);
}

function indented([sign, ...rest]: readonly string[]): string[] {
  return [`  ${sign}`, ...rest];
}
