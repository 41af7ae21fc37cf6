/** The switch of plain claude to a provider: ccc's changes in Claude Code's settings.json, and the record that can undo them. */

import { dirname } from "node:path";
import * as v from "valibot";
import { claudeFolder, settingsPaths } from "../../claude/layers.ts";
import { keepBackup } from "../../config/edit.ts";
import { CccError } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { type HeldFile, temporaryWriter } from "../../os/locks.ts";
import { join } from "../../os/path.ts";
import { isObject, type Json, parseJson, prettyJson, valueAt } from "../../text/json.ts";
import { appendIn, type Path, parseText, removeIn, setIn } from "../../text/json-text.ts";
import type { World } from "../../world.ts";

/** A settings.json that is not JSON, or no object. */
export class UnreadableSettings extends CccError {
  constructor(path: string) {
    super(`${path} is not valid JSON`, { advice: "Fix the file first. Nothing was changed." });
  }
}

export interface UsePlaces {
  readonly files: Files;
  readonly now: () => Date;
  /** Claude Code's settings.json. */
  readonly settings: string;
  readonly record: string;
  readonly backups: string;
}

export function usePlaces(world: World): UsePlaces {
  const { env, platform, files, now } = world;
  // Beside settings.json: it has one record, whichever ccc.json the provider comes from.
  const folder = claudeFolder(env, platform);
  return {
    files,
    now,
    settings: settingsPaths(world).user,
    record: join(folder, "ccc/use.json"),
    backups: join(folder, "ccc/backups"),
  };
}

interface UseResult {
  readonly changed: boolean;
  /** The user's own values that are replaced until a reset. */
  readonly replaced: readonly Path[];
  /** The copy of the original file, if there was one. */
  readonly backup: string | undefined;
  /** Whether it is JSON without comments: Claude Code reads nothing else. */
  readonly isStrict: boolean;
}

/**
 * Applies `wantedOver` to settings.json as it was without ccc. The change is recorded before it is made, so that a reset
 * can undo it even if ccc is killed in between.
 */
export function use(
  places: UsePlaces,
  { provider, supervised }: { provider: string; supervised: boolean },
  wantedOver: (base: Json) => Json,
): UseResult {
  const { files, now, record: path } = places;
  return files.hold(places.settings, (held) => {
    const former = recordOf(places, held);
    const original = former === undefined ? held.found : withoutUse(held, former).file;
    const base = parseSettings(original?.text, held.path);
    const edited = editSettings(original?.text ?? "", base, wantedOver(base));
    if (edited === undefined) throw uneditable(held.path);
    const { text, changes } = edited;
    const isSame = former?.provider === provider && former.supervised === supervised;
    const isStrict = parseJson(text) !== undefined;
    if (isSame && saysTheSame(held, text)) return { changed: false, replaced: [], backup: undefined, isStrict };
    const state = { hash: hashOf(text), changes };
    const record: UseRecord = {
      version: 1,
      provider,
      supervised,
      since: isSame ? former.since : now().toISOString(),
      settings: held.path,
      original: original === undefined ? null : { ...original, hash: hashOf(original.text) },
      states: [state, ...(former?.states ?? [])],
    };
    // Do not copy what ccc itself wrote: it may hold a key.
    const isOurs = former?.states.some(({ hash }) => hash === hashOf(held.found?.text ?? "")) === true;
    const backup = held.found && !isOurs ? keepBackup(files, places.backups, held.found.text, now()) : undefined;
    writeRecord(files, path, record);
    held.write(text, PRIVATE);
    writeRecord(files, path, { ...record, states: [state] });
    const replaced = changes.filter((change) => "before" in change).map((change) => change.path);
    return { changed: true, replaced, backup, isStrict };
  });
}

interface ResetResult {
  readonly record: UseRecord;
  readonly outcome: WithoutUse["outcome"];
  /** Values that the user changed since, and that stay. */
  readonly kept: readonly Path[];
}

/** Undoes what `use` did, and nothing else. Undefined if there is nothing to undo. */
export function reset(places: UsePlaces): ResetResult | undefined {
  const known = readRecord(places.files, places.record);
  // Restore the file that was changed, even if Claude Code's folder has changed since.
  return places.files.hold(known?.settings ?? places.settings, (held) => {
    clearAbandoned(places);
    const record = readRecord(places.files, places.record);
    if (record === undefined) return undefined;
    const { file, kept, outcome } = withoutUse(held, record);
    if (outcome === "reverted" && held.found !== undefined)
      keepBackup(places.files, places.backups, held.found.text, places.now());
    if (file === undefined) held.remove();
    else if (file.text !== held.found?.text || file.mode !== held.found.mode) held.write(file.text, file.mode);
    places.files.remove(places.record);
    return { record, outcome, kept };
  });
}

interface UseStatus {
  readonly provider: string;
  readonly supervised: boolean;
  readonly since: string;
  readonly settings: string;
  /** Values in settings.json that were changed since. */
  readonly changed: readonly string[];
}

/** The provider that plain claude uses. Undefined if it uses its own settings. */
export function useStatus({ files, record: path }: UsePlaces): UseStatus | undefined {
  const record = readRecord(files, path);
  if (record === undefined) return undefined;
  const { provider, supervised, since, settings, states } = record;
  const json = parseText(files.read(settings) ?? "{}");
  const changed = (states[0]?.changes ?? []).filter((change) => {
    const value = valueAt(json, change.path);
    if ("after" in change) return !Bun.deepEquals(value, change.after, true);
    return missingIn(Array.isArray(value) ? value : [], change.added).length > 0;
  });
  return { provider, supervised, since, settings, changed: changed.map((change) => change.path.join(".")) };
}

export interface UseSettings {
  readonly provider: string;
  readonly env: Readonly<Record<string, unknown>>;
  readonly apiKeyHelper: unknown;
}

/** What `use` wrote into the user's settings.json. Undefined without a readable record of that file. */
export function writtenByUse({ files, settings, record: path }: UsePlaces): UseSettings | undefined {
  const record = readableRecord(files, path);
  if (record === undefined || ![settings, files.realPath(settings)].includes(record.settings)) return undefined;
  const env: Record<string, unknown> = {};
  let apiKeyHelper: unknown;
  for (const change of record.states[0]?.changes ?? []) {
    if (!("after" in change)) continue;
    const [outer, name, ...more] = change.path;
    if (outer === "env" && name !== undefined && more.length === 0) env[name] = change.after;
    if (outer === "apiKeyHelper" && name === undefined) apiKeyHelper = change.after;
  }
  return { provider: record.provider, env, apiKeyHelper };
}

function readableRecord(files: Files, path: string): UseRecord | undefined {
  try {
    return readRecord(files, path);
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

function recordOf(places: UsePlaces, held: HeldFile): UseRecord | undefined {
  const record = readRecord(places.files, places.record);
  if (record === undefined || record.settings === held.path) return record;
  throw new CccError(`\`ccc use\` already changed another file, ${record.settings}`, {
    advice: "Undo that first: ccc use --reset",
  });
}

function uneditable(path: string): CccError {
  return new CccError(`${path} cannot be edited safely; nothing was changed`, {
    advice: "Perhaps it has a duplicate key?",
  });
}

function saysTheSame({ found }: HeldFile, text: string): boolean {
  return found !== undefined && Bun.deepEquals(parseText(found.text), parseText(text), true);
}

/** A killed `use` may have left half-written files with a key in them, which nothing else would remove. */
function clearAbandoned({ files, record, backups }: UsePlaces): void {
  for (const folder of [dirname(record), backups])
    files.removeOld(folder, (name) => temporaryWriter(name) !== undefined, 0);
}

const PathSchema = v.pipe(v.array(v.string()), v.readonly());
const ChangeSchema = v.union([
  v.strictObject({ path: PathSchema, before: v.optional(v.unknown()), after: v.unknown() }),
  v.strictObject({ path: PathSchema, added: v.pipe(v.array(v.unknown()), v.readonly()) }),
]);

/** One change in settings.json: a value was set, or entries were added to a list. */
type SettingsChange = v.InferOutput<typeof ChangeSchema>;

type SetValue = Extract<SettingsChange, { after: unknown }>;

/** A state in which ccc may have left settings.json. */
const StateSchema = v.object({ hash: v.string(), changes: v.pipe(v.array(ChangeSchema), v.readonly()) });

const RecordSchema = v.object({
  version: v.literal(1),
  provider: v.string(),
  supervised: v.boolean(),
  since: v.string(),
  /** The changed settings.json, with links resolved. */
  settings: v.string(),
  /** The original file; null if there was none. */
  original: v.nullable(v.object({ text: v.string(), mode: v.number(), hash: v.string() })),
  /** The state that was written last, or was about to be; then earlier ones, if it is unknown which one is on disk. */
  states: v.array(StateSchema),
});

/** What `ccc use` did, and everything needed to undo it. */
type UseRecord = v.InferOutput<typeof RecordSchema>;

function readRecord(files: Files, path: string): UseRecord | undefined {
  const text = files.read(path);
  if (text === undefined) return undefined;
  const result = v.safeParse(RecordSchema, parseJson(text));
  if (result.success) return result.output;
  throw new CccError(`${path} is damaged, so ccc does not know what it changed in settings.json`, {
    advice: `Compare settings.json with the copies in the folder "backups" beside it, then remove ${path}.`,
  });
}

function writeRecord(files: Files, path: string, record: UseRecord): void {
  files.writePrivate(path, prettyJson(record));
}

/** The settings.json without `ccc use`. */
interface WithoutUse {
  /** Undefined if there is no file any more. */
  readonly file: HeldFile["found"];
  /** Values that the user changed since, and that stay. */
  readonly kept: readonly Path[];
  readonly outcome: "restored" | "reverted" | "removed" | "gone";
}

/** The file without ccc's changes: the original bytes, or, if it was edited since, only ccc's changes undone. */
function withoutUse({ found, path }: HeldFile, { original, states }: UseRecord): WithoutUse {
  const before = original === null ? undefined : { text: original.text, mode: original.mode };
  if (found === undefined) return { file: undefined, kept: [], outcome: before === undefined ? "removed" : "gone" };
  const hash = hashOf(found.text);
  if (hash === original?.hash || states.some((state) => state.hash === hash)) {
    return { file: before, kept: [], outcome: before === undefined ? "removed" : "restored" };
  }
  parseSettings(found.text, path);
  const base = parseSettings(before?.text, path);
  const changes = states.flatMap((state) => state.changes);
  const { text, kept } = revertChanges(found.text, changes, base);
  const rest = parseSettings(text, path);
  if (before === undefined && Object.keys(rest).length === 0) return { file: undefined, kept, outcome: "removed" };
  return {
    file: { text, mode: found.mode === PRIVATE ? (before?.mode ?? PRIVATE) : found.mode },
    kept,
    outcome: "reverted",
  };
}

/** The file may hold a key. */
const PRIVATE = 0o600;

function parseSettings(text: string | undefined, path: string): Json {
  if (text === undefined || text.trim() === "") return {};
  const value = parseText(text);
  if (isObject(value)) return value;
  throw new UnreadableSettings(path);
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/**
 * Edits the text of a settings file so that it contains `wanted`, and keeps the rest byte for byte. Undefined if that goes
 * wrong, as in a file with a duplicate key: nothing but the intended value may be written.
 */
function editSettings(text: string, base: Json, wanted: Json): { text: string; changes: SettingsChange[] } | undefined {
  const changes = changesFor(base, wanted);
  const edited = applyChanges(text.trim() === "" ? "{}\n" : text, changes);
  return Bun.deepEquals(parseText(edited), mergeWanted(base, wanted), true) ? { text: edited, changes } : undefined;
}

/**
 * The changes that make `base` contain `wanted`. Objects are merged and lists extended, as Claude Code does with several
 * settings files; everything else is replaced.
 */
function changesFor(base: unknown, wanted: unknown, path: Path = []): SettingsChange[] {
  if (isObject(wanted) && (isObject(base) || base === undefined)) {
    if (base === undefined && Object.keys(wanted).length === 0) return [{ path, after: {} }];
    return Object.entries(wanted).flatMap(([key, value]) => {
      const below = isObject(base) && Object.hasOwn(base, key) ? base[key] : undefined;
      return key === "__proto__" ? [] : changesFor(below, value, [...path, key]);
    });
  }
  if (Array.isArray(wanted) && (Array.isArray(base) || base === undefined)) {
    const added = missingIn(base, wanted);
    return added.length === 0 && base !== undefined ? [] : [{ path, added }];
  }
  if (Bun.deepEquals(base, wanted, true)) return [];
  return [base === undefined ? { path, after: wanted } : { path, before: base, after: wanted }];
}

/** `base` after those changes, as a value. */
function mergeWanted(base: unknown, wanted: unknown): unknown {
  if (isObject(wanted) && (isObject(base) || base === undefined)) {
    const merged: Record<string, unknown> = { ...base };
    for (const [key, value] of Object.entries(wanted)) {
      const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
      if (key !== "__proto__") merged[key] = mergeWanted(below, value);
    }
    return merged;
  }
  if (Array.isArray(wanted) && Array.isArray(base)) return [...base, ...missingIn(base, wanted)];
  return wanted;
}

function missingIn(base: readonly unknown[] | undefined, wanted: readonly unknown[]): unknown[] {
  return wanted.filter((entry) => !base?.some((each) => Bun.deepEquals(each, entry, true)));
}

function applyChanges(text: string, changes: readonly SettingsChange[]): string {
  let edited = text;
  for (const change of changes) {
    if ("after" in change) edited = setIn(edited, change.path, change.after);
    else {
      if (valueAt(parseText(edited), change.path) === undefined) edited = setIn(edited, change.path, []);
      for (const entry of change.added) edited = appendIn(edited, change.path, entry);
    }
  }
  return edited;
}

/**
 * Reverts changes in a text that may have been edited since. A value that is no longer what ccc wrote belongs to the user:
 * it stays and is returned in `kept`. Several changes may concern one path, if it is unknown which was written last.
 */
function revertChanges(
  text: string,
  changes: readonly SettingsChange[],
  base: unknown,
): { text: string; kept: Path[] } {
  let edited = text;
  const kept: Path[] = [];
  for (const path of distinct(changes.map((change) => change.path))) {
    const about = changes.filter((change) => Bun.deepEquals(change.path, path, true));
    for (const change of about) {
      for (const entry of "added" in change ? change.added : []) edited = removeIn(edited, path, entry);
    }
    const values = about.filter((change): change is SetValue => "after" in change);
    const current = valueAt(parseText(edited), path);
    const match = values.find(({ after }) => Bun.deepEquals(current, after, true));
    if (match !== undefined) {
      edited = "before" in match ? setIn(edited, path, match.before) : removeIn(edited, path);
    } else if (values.length > 0 && !values.some(({ before }) => Bun.deepEquals(current, before, true)))
      kept.push(path);
    edited = withoutEmptied(edited, path, base);
  }
  return { text: edited, kept };
}

/** Removes objects and lists that ccc created and that are empty now. */
function withoutEmptied(text: string, path: Path, base: unknown): string {
  let edited = text;
  for (let length = path.length; length > 0; length--) {
    const outer = path.slice(0, length);
    const value = valueAt(parseText(edited), outer);
    if (value === undefined) continue;
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (!isEmpty || valueAt(base, outer) !== undefined) break;
    edited = removeIn(edited, outer);
  }
  return edited;
}

function distinct(paths: readonly Path[]): Path[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}
