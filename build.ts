import { mkdir, rm } from "node:fs/promises";
import { $ } from "bun";
import { ABOUT, ROOT, sourceOf } from "./scripts/release/about.ts";
import { compile } from "./scripts/release/compile.ts";
import { packageRelease } from "./scripts/release/package.ts";
import { binaryName, TARGETS } from "./scripts/release/targets.ts";
import { verifyRelease } from "./scripts/release/verify.ts";

/**
 * Builds dist/ccc for this machine and runs it once. With --all, builds a complete release for every target in
 * dist/release/, and verifies it.
 */

const source = await sourceOf(import.meta.dir, process.env);
if (process.argv.includes("--all")) await buildAll("dist/release");
else await buildHere(process.platform === "win32" ? "dist/ccc.exe" : "dist/ccc");

async function buildHere(file: string): Promise<void> {
  await compile(file, source.commit);
  console.log(`${file}: ${(await $`./${file} --version`.text()).trim()}`);
}

async function buildAll(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const target of TARGETS) {
    await compile(`${folder}/${binaryName(target)}`, source.commit, target);
    console.log(`${folder}/${binaryName(target)}`);
  }
  await packageRelease(folder, source);
  const faults = await verifyRelease(folder, ROOT, ABOUT);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  console.log(`${folder}: complete`);
}
