import { CccError } from "../../errors.ts";
import type { HeldFile } from "../../os/files.ts";
import { isObject, type Json } from "../../text/json.ts";
import { type Path, parseText } from "../../text/json-text.ts";
import { revertChanges } from "./settings-changes.ts";
import { hashOf, type UseRecord } from "./use-record.ts";

/** What becomes of settings.json when `ccc use` is undone. */
export interface WithoutUse {
  /** Undefined if the file goes, or is gone. */
  readonly file: HeldFile["found"];
  /** Values that the user changed since, and that stay. */
  readonly kept: readonly Path[];
  readonly outcome: "restored" | "reverted" | "removed" | "gone";
}

/** The file without ccc's changes: the original bytes, or, if it was edited since, only ccc's changes undone. */
export function withoutUse({ found, path }: HeldFile, { original, states }: UseRecord): WithoutUse {
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
export const PRIVATE = 0o600;

export function parseSettings(text: string | undefined, path: string): Json {
  if (text === undefined || text.trim() === "") return {};
  const value = parseText(text);
  if (isObject(value)) return value;
  throw new CccError(`${path} is not valid JSON`, { advice: "Fix the file first. Nothing was changed." });
}
