import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../harness.ts";

/** The files of ccc that are torn, or that contain a key and are readable by others. */
export function damage(place: Place, keys: readonly string[]): string[] {
  return ownFiles(place).flatMap((path) => {
    if (isTemporary(path)) return exposure(path, keys);
    return [...exposure(path, keys), ...(isTorn(path) ? [`${path} is torn`] : [])];
  });
}

/** Temporary files and locks that the next run should have removed. Removes them, so that each is reported once. */
export function leftovers(place: Place): string[] {
  return ownFiles(place)
    .filter(isTemporary)
    .map((path) => {
      rmSync(path);
      return `${path} is left over`;
    });
}

function isTemporary(path: string): boolean {
  return /\.(tmp|lock|takeover)$/.test(path);
}

/** The regular files in the folders where ccc writes, without those of Claude Code. */
function ownFiles(place: Place): string[] {
  const config = place.at(".claude");
  const top = names(config).filter((name) => /^(ccc\.json|settings\.json|SUPERVISOR\.md)/.test(name));
  return [
    ...top.map((name) => join(config, name)).filter(isFile),
    ...below(join(config, "ccc")),
    ...below(join(place.project, ".claude")),
  ];
}

/** All regular files in a folder and its subfolders. Does not follow links. */
export function below(folder: string): string[] {
  return names(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return below(path);
    return stat?.isFile() ? [path] : [];
  });
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function exposure(path: string, keys: readonly string[]): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o077) === 0) return [];
  const text = readFileSync(path, "latin1");
  const mode = (stat.mode & 0o777).toString(8);
  return keys.some((key) => text.includes(key)) ? [`${path} contains a key and has mode ${mode}`] : [];
}

function isTorn(path: string): boolean {
  if (!/\.jsonl?$/.test(path)) return false;
  const text = readFileSync(path, "utf8");
  const parts = path.endsWith(".jsonl") ? text.split("\n").filter((line) => line !== "") : [text];
  return parts.some((part) => parseOrUndefined(part) === undefined);
}

/** The value of a JSON text, undefined if it is not valid. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
