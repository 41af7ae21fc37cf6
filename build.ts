/**
 * Builds dist/ccc for this machine and runs it once. With --all builds every target into dist/release/, checks that
 * each is the kind of program that its name says, and writes SHA256SUMS.
 */
import { mkdir, rm } from "node:fs/promises";
import { $ } from "bun";
import { compile } from "./scripts/release/compile.ts";
import { describeProgram } from "./scripts/release/program.ts";
import { sourceOf } from "./scripts/release/source.ts";
import { binaryName, programOf, TARGETS } from "./scripts/release/targets.ts";

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
  const sums: string[] = [];
  for (const target of TARGETS) {
    const file = `${folder}/${binaryName(target)}`;
    await compile(file, source.commit, target);
    const bytes = await Bun.file(file).bytes();
    const found = describeProgram(bytes);
    if (found !== programOf(target)) throw new Error(`${file} is ${found}, not ${programOf(target)}`);
    sums.push(`${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}  ${binaryName(target)}\n`);
    console.log(`${file}: ${found}, ${(bytes.length / 1e6).toFixed(0)} MB`);
  }
  await Bun.write(`${folder}/SHA256SUMS`, sums.join(""));
}
