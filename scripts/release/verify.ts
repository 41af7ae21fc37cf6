import { join } from "node:path";
import { asObject, parseJson } from "../../src/text/json.ts";
import { ABOUT, ROOT } from "./about.ts";
import { unpack } from "./archive.ts";
import { renderFormula } from "./formula.ts";
import { ASSETS, FORMULA, INSTALLERS, SBOM } from "./package.ts";
import { describeProgram, isSigned } from "./program.ts";
import { parseSums, SUMS, sha256, sumsOf } from "./sums.ts";
import { archiveName, binaryName, programOf, TARGETS, type Target } from "./targets.ts";

/** `bun scripts/release/verify.ts <folder>`: is the folder a complete release, and does every file match SHA256SUMS? */

/** The faults of a release made from the source in `root`, one line each, starting with the file's name. */
export async function verifyRelease(folder: string, root: string, about: About): Promise<readonly string[]> {
  const read = (name: string) => Bun.file(join(folder, name));
  const text = async (name: string) => ((await read(name).exists()) ? read(name).text() : "");
  const found = await sumsOf(folder);
  const faults = [
    ...checkList(found, await text(SUMS)),
    ...checkFormula(found, await text(FORMULA), about),
    ...checkSbom(await text(SBOM), about),
  ];
  for (const target of TARGETS.filter((each) => found.has(binaryName(each))))
    faults.push(...checkProgram(target, await read(binaryName(target)).bytes()));
  for (const target of TARGETS.filter((each) => found.has(archiveName(each))))
    faults.push(...(await checkArchive(target, await read(archiveName(target)).bytes(), found)));
  for (const name of INSTALLERS.filter((each) => found.has(each)))
    if ((await text(name)) !== (await Bun.file(join(root, name)).text()))
      faults.push(`${name}: is not the one of the source`);
  return faults;
}

type About = typeof ABOUT;

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

/** The formula is exactly the one for these archives. */
function checkFormula(found: ReadonlyMap<string, string>, formula: string, about: About): string[] {
  try {
    return formula === renderFormula({ ...about, sums: found })
      ? []
      : [`${FORMULA}: is not the one for these archives`];
  } catch {
    // A missing archive is already reported.
    return [];
  }
}

function checkSbom(text: string, { version }: About): string[] {
  const isIts = asObject(asObject(asObject(parseJson(text)).metadata).component).version === version;
  return isIts ? [] : [`${SBOM}: is no SBOM of version ${version}`];
}

/** Each archive has the same program as the bare file, with its documents. */
async function checkArchive(
  target: Target,
  bytes: Uint8Array<ArrayBuffer>,
  found: ReadonlyMap<string, string>,
): Promise<string[]> {
  const files = await unpack(archiveName(target), bytes);
  const program = target.os === "windows" ? "ccc.exe" : "ccc";
  const names = [...files.keys()].sort().join(", ");
  const name = archiveName(target);
  if (names !== ["LICENSE", "README.md", program].join(", ")) return [`${name}: holds ${names || "nothing"}`];
  const isSame = sha256(files.get(program) ?? new Uint8Array()) === found.get(binaryName(target));
  return isSame ? [] : [`${name}: its program is not ${binaryName(target)}`];
}

/** The program is for the platform in its name, and its signature is valid for macOS. */
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
      : await verifyRelease(folder, ROOT, ABOUT);
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) console.log(`${folder}: ${ASSETS.length} files, all as ${SUMS} says`);
  else process.exitCode = 1;
}
