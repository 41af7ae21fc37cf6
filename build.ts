/**
 * Builds dist/ccc for this machine and runs it once. With --all builds every target into dist/release/, with all that a
 * release has, and checks it.
 */
import { mkdir, rm } from "node:fs/promises";
import { $ } from "bun";
import { description, repository, version } from "./package.json" with { type: "json" };
import { assemble } from "./scripts/release/assemble.ts";
import { bundledPackages } from "./scripts/release/bundled.ts";
import { compile } from "./scripts/release/compile.ts";
import { sourceOf } from "./scripts/release/source.ts";
import { binaryName, TARGETS } from "./scripts/release/targets.ts";
import { verifyRelease } from "./scripts/release/verify.ts";

const root = import.meta.dir;
const source = await sourceOf(root, process.env);
if (process.argv.includes("--all")) await buildAll("dist/release");
else await buildHere(process.platform === "win32" ? "dist/ccc.exe" : "dist/ccc");

async function buildHere(file: string): Promise<void> {
  await compile(file, source.commit);
  console.log(`${file}: ${(await $`./${file} --version`.text()).trim()}`);
}

async function buildAll(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = new Set<string>();
  for (const target of TARGETS) {
    for (const file of await compile(`${folder}/${binaryName(target)}`, source.commit, target)) files.add(file);
    console.log(`${folder}/${binaryName(target)}`);
  }
  const packages = await bundledPackages([...files], root);
  await assemble(folder, root, {
    version,
    description,
    repository: repository.replace(/^github:/, ""),
    source,
    bun: Bun.version,
    packages,
  });
  const faults = await verifyRelease(folder);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  console.log(`${folder}: complete`);
}
