import { join, normalize } from "node:path";
import type { BunPlugin } from "bun";
import type { Libc } from "../../src/build-info.ts";
import { ownCases } from "../../src/commands/calibrate/cases.ts";
import { ROOT } from "./about.ts";
import { describeProgram, isSigned, signAdHoc } from "./program.ts";
import { type Target, targetName } from "./targets.ts";

/** Compiles ccc, for this machine unless a target is given. */
export async function compile(outfile: string, commit: string, target?: Target): Promise<void> {
  const libc = target === undefined ? await ownLibc() : target.libc;
  const define = {
    "process.env.NODE_ENV": '"production"',
    CCC_COMMIT: JSON.stringify(commit),
    CCC_LIBC: JSON.stringify(libc),
  };
  await Bun.build({
    entrypoints: ["src/main.ts"],
    plugins: await Promise.all(
      ["guard", "idle", "key", "launch", "prompt", "repeat", "statusline", "stop"].map((name) =>
        oneFile(`src/entry/${name}.ts`, define),
      ),
    ),
    minify: true,
    // What a launch does not need goes into other files, which it does not load.
    splitting: true,
    format: "esm",
    bytecode: true,
    // The cases of `ccc calibrate`. A Bun macro would fail in a folder with a quote in its path.
    define: { ...define, CCC_CASES: JSON.stringify(JSON.stringify(ownCases())) },
    compile: {
      outfile,
      ...(target === undefined ? {} : { target: bunTarget(target) }),
      // Nothing in the current folder may change what ccc does.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  if ((target?.os ?? process.platform) === "darwin") await fixSignature(outfile);
}

/** Bundles a module on its own. Each module that it shares with the rest would be one more file for both of them to load. */
async function oneFile(file: string, define: Record<string, string>): Promise<BunPlugin> {
  const { outputs } = await Bun.build({ entrypoints: [file], target: "bun", minify: true, define });
  const [bundle] = outputs;
  if (bundle === undefined) throw new Error(`${file} was not built`);
  const contents = await bundle.text();
  const path = join(ROOT, file);
  return {
    name: `bundle ${file}`,
    setup: (build) =>
      void build.onLoad({ filter: /\.ts$/ }, (loaded) =>
        normalize(loaded.path) === path ? { contents, loader: "js" } : undefined,
      ),
  };
}

async function fixSignature(file: string): Promise<void> {
  const program = await Bun.file(file).bytes();
  if (!isSigned(program)) await Bun.write(file, signAdHoc(program));
}

function bunTarget(target: Target): Bun.Build.CompileTarget {
  return targetName(target).replace(/^ccc/, "bun") as Bun.Build.CompileTarget;
}

/** A program for this machine is a copy of the Bun that builds it. */
async function ownLibc(): Promise<Libc | null> {
  const program = describeProgram(await Bun.file(process.execPath).bytes());
  if (program.endsWith("musl")) return "musl";
  return program.endsWith("glibc") ? "glibc" : null;
}
