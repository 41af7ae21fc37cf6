import { isDeepStrictEqual } from "node:util";
import { isObject, valueAt } from "../../text/json.ts";
import { appendIn, type Path, parseText, removeEntry, removeIn, setIn } from "../../text/json-text.ts";

/** One change to a settings file: a value is set, or entries are added to a list. */
export type SettingsChange = SetValue | AddEntries;

export interface SetValue {
  readonly path: Path;
  /** Absent if there was no value. */
  readonly before?: unknown;
  readonly after: unknown;
}

export interface AddEntries {
  readonly path: Path;
  readonly added: readonly unknown[];
}

/**
 * The changes that make `base` contain `wanted`. Objects are merged and lists extended, as Claude Code does with several
 * settings files; everything else is replaced.
 */
export function changesFor(base: unknown, wanted: unknown, path: Path = []): SettingsChange[] {
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
  if (isDeepStrictEqual(base, wanted)) return [];
  return [base === undefined ? { path, after: wanted } : { path, before: base, after: wanted }];
}

/** `base` after those changes, as a value. */
export function mergeWanted(base: unknown, wanted: unknown): unknown {
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
  return wanted.filter((entry) => !base?.some((each) => isDeepStrictEqual(each, entry)));
}

export function applyChanges(text: string, changes: readonly SettingsChange[]): string {
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
export function revertChanges(
  text: string,
  changes: readonly SettingsChange[],
  base: unknown,
): { text: string; kept: Path[] } {
  let edited = text;
  const kept: Path[] = [];
  for (const path of distinct(changes.map((change) => change.path))) {
    const about = changes.filter((change) => isDeepStrictEqual(change.path, path));
    for (const change of about) {
      for (const entry of "added" in change ? change.added : []) edited = removeEntry(edited, path, entry);
    }
    const values = about.filter((change): change is SetValue => "after" in change);
    const current = valueAt(parseText(edited), path);
    const match = values.find(({ after }) => isDeepStrictEqual(current, after));
    if (match !== undefined) {
      edited = "before" in match ? setIn(edited, path, match.before) : removeIn(edited, path);
    } else if (values.length > 0 && !values.some(({ before }) => isDeepStrictEqual(current, before))) kept.push(path);
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
