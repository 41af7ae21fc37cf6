import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CccError } from "../../errors.ts";
import type { Files, HeldFile } from "../../os/files.ts";
import { isObject, type Json, parseJson } from "../../text/json.ts";
import { type Path, parseText } from "../../text/json-text.ts";
import { keepBackup } from "./backup.ts";
import { applyChanges, changesFor, mergeWanted, revertChanges } from "./changes.ts";
import { hashOf, readRecord, type UseRecord, writeRecord } from "./record.ts";

export interface UsePlaces {
  readonly files: Files;
  readonly now: () => Date;
  /** Claude Code's settings.json. */
  readonly settings: string;
  readonly record: string;
  readonly backups: string;
}

export interface UseResult {
  readonly changed: boolean;
  /** The user's own values that are replaced until a reset. */
  readonly replaced: readonly Path[];
  /** The copy of the original file, if there was one. */
  readonly backup: string | undefined;
  /** Whether it is JSON without comments: Claude Code reads nothing else. */
  readonly isStrict: boolean;
}

/** The file may hold a key. */
const PRIVATE = 0o600;

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
    const original = former === undefined ? held.found : undone(held, former).file;
    const base = parsed(original?.text, held.path);
    const wanted = wantedOver(base);
    const changes = changesFor(base, wanted);
    const text = applyChanges(original?.text.trim() ? original.text : "{}\n", changes);
    // A text edit of an unusual file may go wrong: never write anything but the intended value.
    if (!isDeepStrictEqual(parseText(text), mergeWanted(base, wanted))) throw uneditable(held.path);
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

export interface ResetResult {
  readonly record: UseRecord;
  readonly outcome: "restored" | "reverted" | "removed" | "gone";
  /** Values that the user changed since, and that stay. */
  readonly kept: readonly Path[];
}

/** Undoes what `use` did, and nothing else. Undefined if there is nothing to undo. */
export function reset(places: UsePlaces): ResetResult | undefined {
  const known = readRecord(places.files, places.record);
  // Restore the file that was changed, even if Claude Code's folder is another one now.
  return places.files.hold(known?.settings ?? places.settings, (held) => {
    clearAbandoned(places);
    const record = readRecord(places.files, places.record);
    if (record === undefined) return undefined;
    const { file, kept, outcome } = undone(held, record);
    if (outcome === "reverted" && held.found !== undefined)
      keepBackup(places.files, places.backups, held.found.text, places.now());
    if (file === undefined) held.remove();
    else if (file.text !== held.found?.text || file.mode !== held.found.mode) held.write(file.text, file.mode);
    places.files.remove(places.record);
    return { record, outcome, kept };
  });
}

/** A killed `use` may have left half-written files with a key in them that nobody would come back for. */
function clearAbandoned({ files, record, backups }: UsePlaces): void {
  for (const folder of [dirname(record), backups]) files.removeOld(folder, (name) => /\.\d+\.tmp$/.test(name), 0);
}

interface Undone {
  readonly file: HeldFile["found"];
  readonly kept: readonly Path[];
  readonly outcome: ResetResult["outcome"];
}

/** The file without ccc's changes: the original bytes, or, if it was edited since, only ccc's changes undone. */
function undone({ found, path }: HeldFile, { original, states }: UseRecord): Undone {
  const before = original === null ? undefined : { text: original.text, mode: original.mode };
  if (found === undefined) return { file: undefined, kept: [], outcome: before === undefined ? "removed" : "gone" };
  const hash = hashOf(found.text);
  if (hash === original?.hash || states.some((state) => state.hash === hash)) {
    return { file: before, kept: [], outcome: before === undefined ? "removed" : "restored" };
  }
  parsed(found.text, path);
  const base = parsed(before?.text, path);
  const changes = states.flatMap((state) => state.changes);
  const { text, kept } = revertChanges(found.text, changes, base);
  const rest = parsed(text, path);
  if (before === undefined && Object.keys(rest).length === 0) return { file: undefined, kept, outcome: "removed" };
  return {
    file: { text, mode: found.mode === PRIVATE ? (before?.mode ?? PRIVATE) : found.mode },
    kept,
    outcome: "reverted",
  };
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
  return found !== undefined && isDeepStrictEqual(parseText(found.text), parseText(text));
}

function parsed(text: string | undefined, path: string): Json {
  if (text === undefined || text.trim() === "") return {};
  const value = parseText(text);
  if (isObject(value)) return value;
  throw new CccError(`${path} is not valid JSON`, { advice: "Fix the file first. Nothing was changed." });
}
