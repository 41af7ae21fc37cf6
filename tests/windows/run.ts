/**
 * `bun run test:windows`: runs ccc.exe and the real claude.exe, on Windows or, elsewhere, under Wine. Words after it select
 * files by name. One test at a time: a Claude Code under Wine needs a core for itself.
 */
import { join } from "node:path";
import { $, Glob } from "bun";
import { compile } from "../../scripts/release/compile.ts";
import { sourceOf } from "../../scripts/release/source.ts";
import { CLAUDE_VERSION } from "./windows-programs.ts";

const ROOT = join(import.meta.dir, "../..");
process.chdir(ROOT);
if (process.platform !== "win32") await $`bash scripts/wine/setup.sh ${CLAUDE_VERSION}`;
const { commit } = await sourceOf(ROOT, process.env);
await compile("dist/ccc.exe", commit, { os: "windows", arch: "x64", libc: null });

// Not named like tests: `bun test` alone must not find them.
const all = [...new Glob("*.windows.ts").scanSync(import.meta.dir)].sort();
const chosen = all.filter((name) => process.argv.slice(2).every((word) => name.includes(word)));
const { exitCode } = await $`bun test --timeout 300000 ${chosen.map((name) => `./tests/windows/${name}`)}`.nothrow();
process.exit(exitCode);
