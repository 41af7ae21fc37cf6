import { getClaude, versionOnNpm } from "../../scripts/claude/get-claude.ts";
import { complaints, type Tried } from "./compatibility.ts";
import { compatibilityPage, scenarioTable } from "./compatibility-page.ts";
import { WATCHED_VERSIONS } from "./watched-versions.ts";

/**
 * `bun run test:versions [VERSION…]`: runs ccc's scenarios on real versions of Claude Code from npm, measures what each can
 * do, prints both as tables, and writes them to docs/compatibility.md unless versions were named. One at a time.
 */

const PAGE = `${import.meta.dir}/../../docs/compatibility.md`;

const named = process.argv.slice(2);
const odd = named.find((word) => !/^[\w.-]+$/.test(word) || word.startsWith("-"));
if (odd !== undefined) {
  console.error(`"${odd}" is not a version of Claude Code. Usage: bun run test:versions [VERSION or tag …]`);
  process.exit(2);
}

const all: Tried[] = [];
for (const wanted of named.length > 0 ? named : [...WATCHED_VERSIONS, "latest"]) {
  const tried = await tryVersion(wanted);
  if (tried !== undefined) all.push(tried);
}
console.log(`\n${scenarioTable(all)}`);
if (named.length === 0) await Bun.write(PAGE, compatibilityPage(all, new Date()));
const open = complaints(all);
for (const each of open) console.log(each);
console.log(open.length === 0 ? "All as expected." : `\n${open.length} to look at.`);
process.exit(open.length === 0 ? 0 : 1);

/** Undefined for a tag of a version that was already tried. */
async function tryVersion(wanted: string): Promise<Tried | undefined> {
  const start = performance.now();
  try {
    const version = await versionOnNpm(wanted);
    if (all.some((tried) => tried.version === version)) return undefined;
    const claude = await getClaude(version);
    const tried: Tried = { version, ...(await tryIn(claude)) };
    const seconds = Math.round((performance.now() - start) / 1000);
    console.error(`${version}: ${complaints([tried]).length} to look at (${seconds} s)`);
    return tried;
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    console.error(`${wanted}: not available: ${missing}`);
    return { version: wanted, missing, findings: {}, seen: {} };
  }
}

/** In a separate process, whose environment says which Claude Code to use. */
async function tryIn(claude: string): Promise<Pick<Tried, "findings" | "seen">> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/one-version.ts`], {
    env: { ...process.env, CCC_TEST_CLAUDE: claude },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`its scenarios did not run: exit code ${child.exitCode}`);
  return JSON.parse(output);
}
