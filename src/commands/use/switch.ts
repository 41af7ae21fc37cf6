import { isDeepStrictEqual } from "node:util";
import { keepBackup } from "../../config/backup.ts";
import { CccError } from "../../errors.ts";
import type { HeldFile } from "../../os/files.ts";
import { type Json, parseJson } from "../../text/json.ts";
import { type Path, parseText } from "../../text/json-text.ts";
import { applyChanges, changesFor, mergeWanted } from "./settings-changes.ts";
import type { UsePlaces } from "./use-places.ts";
import { hashOf, readRecord, type UseRecord, writeRecord } from "./use-record.ts";
import { PRIVATE, parseSettings, withoutUse } from "./without-use.ts";

export interface UseResult {
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
