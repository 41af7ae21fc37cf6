/**
 * Builds dist/ccc for this machine and runs it once. With --all builds every target into dist/release/, checks that
 * each is the kind of program that its name says, and writes SHA256SUMS.
 */
import { mkdir, rm } from "node:fs/promises";
import { $ } from "bun";
import { describeProgram } from "./scripts/magic.ts";

interface Target {
  readonly name: string;
  readonly bun: Bun.Build.CompileTarget;
  /** What describeProgram says of the result. */
  readonly program: string;
}

const TARGETS: readonly Target[] = [
  { name: "ccc-linux-x64", bun: "bun-linux-x64", program: "ELF x64 glibc" },
  { name: "ccc-linux-arm64", bun: "bun-linux-arm64", program: "ELF arm64 glibc" },
  { name: "ccc-linux-x64-musl", bun: "bun-linux-x64-musl", program: "ELF x64 musl" },
  { name: "ccc-linux-arm64-musl", bun: "bun-linux-arm64-musl", program: "ELF arm64 musl" },
  { name: "ccc-darwin-x64", bun: "bun-darwin-x64", program: "Mach-O x64" },
  { name: "ccc-darwin-arm64", bun: "bun-darwin-arm64", program: "Mach-O arm64" },
  { name: "ccc-windows-x64.exe", bun: "bun-windows-x64", program: "PE x64" },
  { name: "ccc-windows-arm64.exe", bun: "bun-windows-arm64", program: "PE arm64" },
];

if (process.argv.includes("--all")) await buildAll("dist/release");
else await buildHere(process.platform === "win32" ? "dist/ccc.exe" : "dist/ccc");

async function buildHere(file: string): Promise<void> {
  await compile(file);
  console.log(`${file}: ${(await $`./${file} --version`.text()).trim()}`);
}

async function buildAll(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const sums: string[] = [];
  for (const target of TARGETS) {
    const file = `${folder}/${target.name}`;
    await compile(file, target.bun);
    const bytes = await Bun.file(file).bytes();
    const found = describeProgram(bytes);
    if (found !== target.program) throw new Error(`${file} is ${found}, not ${target.program}`);
    sums.push(`${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}  ${target.name}\n`);
    console.log(`${file}: ${found}, ${(bytes.length / 1e6).toFixed(0)} MB`);
  }
  await Bun.write(`${folder}/SHA256SUMS`, sums.join(""));
}

async function compile(outfile: string, target?: Bun.Build.CompileTarget): Promise<void> {
  await Bun.build({
    entrypoints: ["src/main.ts"],
    minify: true,
    // What a launch does not need stays in files of its own, which it does not load.
    splitting: true,
    format: "esm",
    bytecode: true,
    define: { "process.env.NODE_ENV": '"production"' },
    compile: {
      outfile,
      ...(target === undefined ? {} : { target }),
      // Nothing in the folder that ccc is called in may change what it does.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}
