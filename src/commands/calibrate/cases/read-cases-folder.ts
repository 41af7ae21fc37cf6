import { basename } from "node:path";
import { usageError } from "../../../errors.ts";
import type { Files } from "../../../os/files.ts";
import { join } from "../../../os/path.ts";
import { CASE_FORMAT, type CalibrationCase, readPair } from "./calibration-case.ts";

/** The cases in a folder of the user's: one pair, or a folder for each pair. */
export function readCasesFolder(folder: string, files: Files): CalibrationCase[] {
  const isPair = (path: string) => files.identify(join(path, CASE_FILE))?.isFile === true;
  const pairs = isPair(folder) ? [folder] : subfolders(folder, files).filter(isPair);
  if (pairs.length === 0)
    throw usageError(`there is no case in ${folder}: a case is a folder with a ${CASE_FILE}`, CASE_FORMAT);
  return pairs.flatMap((pair) => readPair(basename(pair), textsIn(pair, files)));
}

const CASE_FILE = "case.json";

function subfolders(folder: string, files: Files): string[] {
  return files
    .list(folder)
    .map((name) => join(folder, name))
    .filter((path) => files.entry(path)?.kind === "folder");
}

function textsIn(folder: string, files: Files): Record<string, string> {
  const texts: Record<string, string> = {};
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of files.list(next === "" ? folder : join(folder, next))) {
      const path = next === "" ? name : `${next}/${name}`;
      const whole = join(folder, path);
      const entry = files.entry(whole);
      if (entry?.kind === "folder") waiting.push(path);
      // A link could lead to any file, and its content would go to the reviewer.
      else if (entry?.kind !== "file") throw usageError(`${whole} is not a regular file`, CASE_FORMAT);
      else if (entry.size > LARGEST) throw usageError(`${whole} is too large for a case`, CASE_FORMAT);
      else texts[path] = files.read(whole) ?? "";
      if (Object.keys(texts).length > MOST_FILES)
        throw usageError(`${folder} has too many files for a case`, CASE_FORMAT);
    }
  }
  return texts;
}

const LARGEST = 1_000_000;
const MOST_FILES = 500;
