import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

export interface Program {
  readonly command: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A limit on the time of a program, as a multiple of the empty program's time. */
export interface Claim {
  readonly name: string;
  /** A program whose own time is subtracted. */
  readonly without?: string;
  /** A program to compare with instead of the empty one. */
  readonly base?: string;
  readonly limit: number;
}

interface Place {
  readonly home: string;
  readonly project: string;
  readonly bin: string;
}

type Setting = { readonly ccc: string; readonly place: Place; readonly compileEmpty: () => Promise<string> };

/** What is measured: time as a user sees it, or the processor's alone, which other load on the machine hardly changes. */
type Clock = "time" | "processor time";

/** Runs the programs in turn, so that other load on the machine affects all of them alike, and compares medians. */
export async function bench(
  prepare: (setting: Setting) => Promise<Record<string, Program>>,
  claims: readonly Claim[],
  clock: Clock = "time",
) {
  const rounds = Number(process.argv[2] ?? 100);
  const root = await mkdtemp(join(tmpdir(), "ccc-bench-"));
  const place = { home: join(root, "home"), project: join(root, "project"), bin: join(root, "bin") };
  for (const folder of [join(place.home, ".claude"), place.project, place.bin])
    await mkdir(folder, { recursive: true });
  const compileEmpty = async () => {
    await writeFile(join(root, "empty.ts"), "");
    await $`bun build --compile --minify --bytecode --format=esm ${join(root, "empty.ts")} --outfile ${join(root, "empty")}`.quiet();
    return join(root, "empty");
  };
  const programs = await prepare({ ccc: join(import.meta.dir, "../dist/ccc"), place, compileEmpty });
  const times = measure(
    programs,
    rounds,
    { HOME: place.home, PATH: `${place.bin}:/usr/bin:/bin` },
    place.project,
    clock,
  );
  await rm(root, { recursive: true });
  report(times, claims, rounds, clock);
}

function measure(
  programs: Record<string, Program>,
  rounds: number,
  env: Record<string, string>,
  cwd: string,
  clock: Clock,
) {
  const times = new Map<string, number[]>(Object.keys(programs).map((name) => [name, []]));
  for (let round = -5; round < rounds; round++) {
    for (const [name, program] of Object.entries(programs)) {
      const start = Bun.nanoseconds();
      const { exitCode, resourceUsage } = Bun.spawnSync([...program.command], {
        env: { ...env, ...program.env },
        cwd: program.cwd ?? cwd,
        stdin: program.stdin === undefined ? "ignore" : Buffer.from(program.stdin),
      });
      const elapsed = (Bun.nanoseconds() - start) / 1e6;
      const used = Number(resourceUsage.cpuTime.total) / 1e3;
      if (exitCode !== 0) throw new Error(`${name} exited with ${exitCode}`);
      if (round >= 0) times.get(name)?.push(clock === "time" ? elapsed : used);
    }
  }
  return times;
}

function report(times: ReadonlyMap<string, number[]>, claims: readonly Claim[], rounds: number, clock: Clock): void {
  const median = (name = "") => times.get(name)?.sort((a, b) => a - b)[rounds >> 1] ?? 0;
  const ratio = (ms: number) => ms / median("empty");
  console.log(
    `| program | median of ${rounds}, ms${clock === "time" ? "" : ` of ${clock}`} | relative to an empty Bun program |\n| --- | ---: | ---: |`,
  );
  for (const name of times.keys())
    console.log(`| ${name} | ${median(name).toFixed(2)} | ${ratio(median(name)).toFixed(2)} |`);
  for (const { name, without, base = "empty", limit } of claims) {
    const own = (median(name) - median(without)) / median(base);
    const compared = base === "empty" ? "" : ` compared with ${base}`;
    const what = `${name}${without === undefined ? "" : ` minus the ${without.replace(/ alone$/, "")}`}${compared}`;
    console.log(`\n${own <= limit ? "ok" : "TOO SLOW"}: ${what}: ${own.toFixed(2)} (limit ${limit})`);
    if (own > limit) process.exitCode = 1;
  }
}
