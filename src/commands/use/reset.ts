import { dirname } from "node:path";
import { keepBackup } from "../../config/backup.ts";
import type { Path } from "../../text/json-text.ts";
import type { UsePlaces } from "./use-places.ts";
import { readRecord, type UseRecord } from "./use-record.ts";
import { type WithoutUse, withoutUse } from "./without-use.ts";

export interface ResetResult {
  readonly record: UseRecord;
  readonly outcome: WithoutUse["outcome"];
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
    const { file, kept, outcome } = withoutUse(held, record);
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
