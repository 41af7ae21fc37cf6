/**
 * What ccc adds to the start of claude, against an empty Bun program, in one run: the programs take turns, so that
 * whatever else the machine does falls on all of them.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

const ROUNDS = Number(process.argv[2] ?? 100);
const folder = await mkdtemp(join(tmpdir(), "ccc-bench-"));
const home = join(folder, "home");
const bin = join(folder, "bin");
await mkdir(join(home, ".claude"), { recursive: true });
await mkdir(bin);
await Bun.write(join(folder, "empty.ts"), "");
await $`bun build --compile --minify --bytecode --format=esm ${join(folder, "empty.ts")} --outfile ${join(folder, "empty")}`.quiet();
// The smallest program there is in the place of claude: its own time is shown, and is no part of what ccc costs.
await $`cp ${(await $`which true`.text()).trim()} ${join(bin, "claude")}`;
const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
await Bun.write(
  join(home, ".claude/ccc.json"),
  JSON.stringify({
    current_provider: "glm",
    providers: {
      glm: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_MODEL: "m" } },
      kimi: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "t" } },
    },
  }),
);

const programs: Record<string, string[]> = {
  "empty Bun program": [join(folder, "empty")],
  "stand-in for claude": [join(bin, "claude")],
  "ccc glm (launches the stand-in)": [join(import.meta.dir, "../dist/ccc"), "glm", "-p", "hi"],
};
const times = new Map<string, number[]>(Object.keys(programs).map((name) => [name, []]));
for (let round = -5; round < ROUNDS; round++) {
  for (const [name, command] of Object.entries(programs)) {
    const start = Bun.nanoseconds();
    const { exitCode } = Bun.spawnSync(command, { env, cwd: folder });
    const elapsed = (Bun.nanoseconds() - start) / 1e6;
    if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}`);
    if (round >= 0) times.get(name)?.push(elapsed);
  }
}
await rm(folder, { recursive: true });

const median = (name: string) => times.get(name)?.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
const [empty = "", standIn = "", launch = ""] = Object.keys(programs);
console.log(`| program | median of ${ROUNDS}, ms | to an empty program |\n| --- | ---: | ---: |`);
for (const name of Object.keys(programs)) row(name, median(name));
row("ccc without the stand-in's own time", median(launch) - median(standIn));

function row(name: string, ms: number): void {
  console.log(`| ${name} | ${ms.toFixed(2)} | ${(ms / median(empty)).toFixed(2)} |`);
}
