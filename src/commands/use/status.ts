import { isDeepStrictEqual } from "node:util";
import { valueAt } from "../../text/json.ts";
import { type Path, parseText } from "../../text/json-text.ts";
import type { UsePlaces } from "./use-places.ts";
import { readRecord } from "./use-record.ts";

export interface UseStatus {
  readonly provider: string;
  readonly supervised: boolean;
  readonly since: string;
  readonly settings: string;
  /** Values in settings.json that were changed since. */
  readonly changed: readonly string[];
}

export function useStatus({ files, record: path }: UsePlaces): UseStatus | undefined {
  const record = readRecord(files, path);
  if (record === undefined) return undefined;
  const { provider, supervised, since, settings, states } = record;
  const json = parseText(files.read(settings) ?? "{}");
  const changed = (states[0]?.changes ?? []).filter((change) => {
    const value = valueAt(json, change.path);
    if ("after" in change) return !isDeepStrictEqual(value, change.after);
    return !change.added.every((entry) => Array.isArray(value) && value.some((each) => isDeepStrictEqual(each, entry)));
  });
  return { provider, supervised, since, settings, changed: changed.map((change) => pathName(change.path)) };
}

export function pathName(path: Path): string {
  return path.join(".");
}
