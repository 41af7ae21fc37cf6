import { resolve } from "node:path";
import { usageError } from "../../../errors.ts";
import type { Files } from "../../../os/files.ts";
import { nearest } from "../../../text/nearest.ts";
import { type CalibrationCase, type FileTexts, readPair } from "./calibration-case.ts";
import { readCasesFolder } from "./read-cases-folder.ts";

export interface ChosenCases {
  readonly cases: readonly CalibrationCase[];
  /** The folder of the user's own cases. */
  readonly folder: string | null;
}

/** The cases that the user means: names of ccc's own, or a folder with others; without words, all of ccc's own. */
export function chooseCases(
  words: readonly string[],
  embedded: Readonly<Record<string, FileTexts>>,
  { files, cwd }: { readonly files: Files; readonly cwd: string },
): ChosenCases {
  const own = Object.entries(embedded).flatMap(([name, texts]) => readPair(name, texts));
  const [only = "", ...others] = words;
  if (words.length === 0) return { cases: own, folder: null };
  const folder = others.length === 0 && !isName(only, own) ? resolve(cwd, only) : undefined;
  if (folder !== undefined && files.identify(folder)?.isFolder === true)
    return { cases: readCasesFolder(folder, files), folder };
  const names = words.flatMap((word) => word.split(",")).map((name) => name.trim());
  for (const name of names) if (!isName(name, own)) throw unknownCase(name, own);
  return { cases: own.filter(({ id }) => names.some((name) => includes(name, id))), folder: null };
}

/** A pair, or one of its two variants. */
function includes(name: string, id: string): boolean {
  return id === name || id.startsWith(`${name}/`);
}

function isName(name: string, cases: readonly CalibrationCase[]): boolean {
  return cases.some(({ id }) => includes(name, id));
}

function unknownCase(name: string, cases: readonly CalibrationCase[]) {
  const pairs = [...new Set(cases.map(({ id }) => id.split("/")[0] ?? ""))];
  const meant = nearest(name, name.includes("/") ? cases.map(({ id }) => id) : pairs);
  return usageError(
    name === ""
      ? "--cases takes names of cases, or a folder of your own"
      : `no case and no folder is named "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    `The cases of ccc: ${pairs.join(", ")}`,
  );
}
