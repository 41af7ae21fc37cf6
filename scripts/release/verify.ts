/** `bun scripts/release/verify.ts <folder>`: is the folder a whole release, and every byte what SHA256SUMS says? */
import { join } from "node:path";
import { ASSETS, FORMULA } from "./assemble.ts";
import { describeProgram } from "./program.ts";
import { isSigned } from "./sign.ts";
import { parseSums, SUMS, sumsOf } from "./sums.ts";
import { binaryName, programOf, TARGETS, type Target } from "./targets.ts";

/** What is wrong with a release, one line for each fault, the file's name first. */
export async function verifyRelease(folder: string): Promise<readonly string[]> {
  const read = (name: string) => Bun.file(join(folder, name));
  const text = async (name: string) => ((await read(name).exists()) ? read(name).text() : "");
  const found = await sumsOf(folder);
  const programs: string[] = [];
  for (const target of TARGETS.filter((each) => found.has(binaryName(each))))
    programs.push(...checkProgram(target, await read(binaryName(target)).bytes()));
  return [...checkList(found, await text(SUMS)), ...checkFormula(found, await text(FORMULA)), ...programs];
}

/** Every asset is there, nothing else is, and SHA256SUMS has each exactly once, with its sum. */
function checkList(found: ReadonlyMap<string, string>, list: string): string[] {
  const lines = parseSums(list);
  const listed = lines.filter((line) => line !== undefined);
  const broken = lines.flatMap((line, index) => (line === undefined ? [`${SUMS}: line ${index + 1} is no sum`] : []));
  const names = new Set([...ASSETS, ...found.keys(), ...listed.map(({ name }) => name)]);
  const faults = [...names].sort().flatMap((name) => {
    const sums = listed.filter((line) => line.name === name).map(({ sum }) => sum);
    if (!ASSETS.includes(name)) return [`${name}: does not belong in a release`];
    if (!found.has(name)) return [`${name}: is missing`];
    if (sums.length !== 1) return [`${name}: is listed ${sums.length} times in ${SUMS}`];
    return sums[0] === found.get(name) ? [] : [`${name}: is not what ${SUMS} says`];
  });
  return [...broken, ...faults];
}

/** Each archive that the formula downloads has the sum that it expects. */
function checkFormula(found: ReadonlyMap<string, string>, formula: string): string[] {
  const downloads = [...formula.matchAll(/url ".*\/([^"/]+)"\s+sha256 "(\w+)"/g)];
  if (downloads.length !== 4) return [`${FORMULA}: has ${downloads.length} downloads with a sum, not 4`];
  return downloads
    .filter(([, name = "", sum]) => found.get(name) !== sum)
    .map(([, name]) => `${FORMULA}: has another sum for ${name}`);
}

/** The program is of the kind that its name says, and macOS will find it whole. */
function checkProgram(target: Target, bytes: Uint8Array<ArrayBuffer>): string[] {
  const program = describeProgram(bytes);
  if (program !== programOf(target)) return [`${binaryName(target)}: is ${program}, not ${programOf(target)}`];
  const isWhole = target.os !== "darwin" || isSigned(bytes);
  return isWhole ? [] : [`${binaryName(target)}: its signature does not fit`];
}

if (import.meta.main) {
  const folder = process.argv[2];
  const faults =
    folder === undefined
      ? ["a folder is missing: bun scripts/release/verify.ts <folder>"]
      : await verifyRelease(folder);
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) console.log(`${folder}: ${ASSETS.length} files, all as ${SUMS} says`);
  else process.exitCode = 1;
}
