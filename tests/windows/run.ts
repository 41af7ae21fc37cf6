import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { $, Glob } from "bun";
import { sourceOf } from "../../scripts/release/about.ts";
import { compile } from "../../scripts/release/compile.ts";
import { CLAUDE_EXE, CLAUDE_FOLDER, CLAUDE_PACKAGE, CLAUDE_VERSION } from "./windows-programs.ts";

/**
 * `bun run test:windows`: runs ccc.exe and the real claude.exe, on Windows or, elsewhere, under Wine. Words after it select
 * files by name. One test at a time: a Claude Code under Wine needs a core for itself.
 */

const ROOT = join(import.meta.dir, "../..");
process.chdir(ROOT);
// Not named like tests: `bun test` alone must not find them.
const all = [...new Glob("*.windows.ts").scanSync(import.meta.dir)].sort();
const chosen = all.filter((name) => process.argv.slice(2).every((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(`no such file; there are: ${all.join(", ")}`);
  process.exit(2);
}

if (process.platform !== "win32") await $`bash scripts/wine/setup.sh`;
if (!existsSync(CLAUDE_EXE)) await getClaude();
// The program under test: one that is already built, or one built from this source.
if (process.env.CCC_TEST_EXE) {
  await mkdir("dist", { recursive: true });
  await copyFile(process.env.CCC_TEST_EXE, "dist/ccc.exe");
  // A download may have lost the executable bit, which Wine checks.
  await chmod("dist/ccc.exe", 0o755);
} else
  await compile("dist/ccc.exe", (await sourceOf(ROOT, process.env)).commit, { os: "windows", arch: "x64", libc: null });
const env = { ...process.env, CCC_TEST_WINDOWS: "1" };
const files = chosen.map((name) => `./tests/windows/${name}`);
const { exitCode } = await $`bun test --timeout 300000 ${files}`.env(env).nothrow();
process.exit(exitCode);

async function getClaude(): Promise<void> {
  console.log(`getting Claude Code ${CLAUDE_VERSION} for Windows`);
  const dependencies = { [CLAUDE_PACKAGE]: CLAUDE_VERSION };
  await Bun.write(join(CLAUDE_FOLDER, "package.json"), JSON.stringify({ dependencies }));
  await $`bun install --silent --no-save --os win32 --cpu x64`.cwd(CLAUDE_FOLDER);
}
