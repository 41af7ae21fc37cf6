import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CccError } from "../../errors.ts";
import type { Files, HeldFile } from "../../os/files.ts";
import { isObject, type Json, parseJson } from "../../text/json.ts";
import { type Path, parseText } from "../../text/json-text.ts";
import { keepBackup } from "./backup.ts";
import { applyChanges, changesFor, mergeWanted, revertChanges } from "./changes.ts";
import { hashOf, readRecord, type UseRecord, writeRecord } from "./record.ts";

/** Where things are. */
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
  /** Values of the user's own that are replaced for the time being. */
  readonly replaced: readonly Path[];
  /** The copy of the file as it was, if there was one. */
  readonly backup: string | undefined;
  /** Whether it is JSON without comments. Claude Code reads no other. */
  readonly isStrict: boolean;
}

/** A key must be readable by its owner alone. */
const PRIVATE = 0o600;

/**
 * Makes settings.json say what `wantedOver` makes of it without ccc's changes. What is about to happen is recorded
 * first: whenever this is cut short, a reset finds the way back.
 */
export function use(
  places: UsePlaces,
  { provider, supervised }: { provider: string; supervised: boolean },
  wantedOver: (base: Json) => Json,
): UseResult {
  const { files, now, record: path } = places;
  return files.hold(places.settings, (held) => {
    const former = recordOf(places, held);
    const original = former === undefined ? held.found : takenBack(held, former).file;
    const base = parsed(original?.text, held.path);
    const wanted = wantedOver(base);
    const changes = changesFor(base, wanted);
    const text = applyChanges(original?.text.trim() ? original.text : "{}\n", changes);
    // Whatever is odd about the file, ccc writes none that says something else than it should.
    if (!isDeepStrictEqual(parseText(text), mergeWanted(base, wanted))) throw odd(held.path);
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
    // What ccc itself wrote, with a key in it, is not worth a copy.
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
  /** Values that are no longer ccc's. */
  readonly kept: readonly Path[];
}

/** Takes back what `use` did, and nothing else. Undefined where it did nothing. */
export function reset(places: UsePlaces): ResetResult | undefined {
  const known = readRecord(places.files, places.record);
  // The file that was changed is the one to mend, wherever Claude Code's folder is now.
  return places.files.hold(known?.settings ?? places.settings, (held) => {
    const record = readRecord(places.files, places.record);
    if (record === undefined) return undefined;
    const { file, kept, outcome } = takenBack(held, record);
    if (outcome === "reverted" && held.found !== undefined)
      keepBackup(places.files, places.backups, held.found.text, places.now());
    if (file === undefined) held.remove();
    else if (file.text !== held.found?.text || file.mode !== held.found.mode) held.write(file.text, file.mode);
    places.files.remove(places.record);
    // A writer that was killed may have left one that nobody would come back for.
    const isLeft = (name: string) => /^use\.json\.\d+\.tmp$/.test(name);
    places.files.removeOld(dirname(places.record), isLeft, 0);
    return { record, outcome, kept };
  });
}

interface TakenBack {
  readonly file: HeldFile["found"];
  readonly kept: readonly Path[];
  readonly outcome: ResetResult["outcome"];
}

/** The file without ccc's changes: as it was to the byte, or, where somebody else edited it since, only that undone. */
function takenBack({ found, path }: HeldFile, { original, states }: UseRecord): TakenBack {
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
  throw new CccError(`\`ccc use\` is in force in another file, ${record.settings}`, {
    advice: "Undo that first: ccc use --reset",
  });
}

function odd(path: string): CccError {
  return new CccError(`${path} is written in a way that ccc cannot edit safely; nothing was changed`, {
    advice: "Perhaps a key stands in it twice?",
  });
}

function saysTheSame({ found }: HeldFile, text: string): boolean {
  return found !== undefined && isDeepStrictEqual(parseText(found.text), parseText(text));
}

/** The settings in a text. What is none is not touched. */
function parsed(text: string | undefined, path: string): Json {
  if (text === undefined || text.trim() === "") return {};
  const value = parseText(text);
  if (isObject(value)) return value;
  throw new CccError(`${path} is not valid JSON`, { advice: "Fix the file first. Nothing was changed." });
}
