import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

export interface Program {
  readonly command: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A command to run before each round, which is not counted. */
  readonly before?: readonly string[];
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

export interface BenchPlace {
  readonly home: string;
  readonly project: string;
  readonly bin: string;
}

type Setting = { readonly ccc: string; readonly place: BenchPlace; readonly compileEmpty: () => Promise<string> };

/** What is measured: time as a user sees it, or the processor's alone, which other load on the machine hardly changes. */
type Clock = "time" | "processor time";

/** Runs the programs in turn, so that other load on the machine affects all of them alike, and compares medians. */
export async function bench(
  prepare: (setting: Setting) => Promise<Record<string, Program>>,
  claims: readonly Claim[],
  clock: Clock = "time",
) {
  const rounds = Number(process.argv[2] ?? 100);
  await inBenchPlace(async (place, compileEmpty) => {
    const programs = await prepare({ ccc: CCC, place, compileEmpty });
    const env = { HOME: place.home, PATH: `${place.bin}:/usr/bin:/bin` };
    report(measure(programs, rounds, env, place.project), claims, rounds, clock);
  });
}

export const CCC = join(import.meta.dir, "../dist/ccc");

/** Calls with a home, a project and a folder of programs, which are removed afterwards, and with a compiler of an empty Bun program. */
export async function inBenchPlace(
  use: (place: BenchPlace, compileEmpty: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "ccc-bench-"));
  const place = { home: join(root, "home"), project: join(root, "project"), bin: join(root, "bin") };
  for (const folder of [join(place.home, ".claude"), place.project, place.bin])
    await mkdir(folder, { recursive: true });
  const compileEmpty = async () => {
    await writeFile(join(root, "empty.ts"), "");
    await $`bun build --compile --minify --bytecode --format=esm ${join(root, "empty.ts")} --outfile ${join(root, "empty")}`.quiet();
    return join(root, "empty");
  };
  try {
    await use(place, compileEmpty);
  } finally {
    await rm(root, { recursive: true });
  }
}

/** In milliseconds, one of each round, for each program. */
export type Measured = ReadonlyMap<string, Readonly<Record<Clock, number[]>>>;

/** Runs the programs in turn, after five rounds that do not count. */
export function measure(
  programs: Record<string, Program>,
  rounds: number,
  env: Record<string, string>,
  cwd: string,
): Measured {
  const names = Object.keys(programs);
  const times: Measured = new Map(names.map((name) => [name, { time: [], "processor time": [] }]));
  for (let round = -5; round < rounds; round++) {
    for (const [name, program] of Object.entries(programs)) {
      const options = { env: { ...env, ...program.env }, cwd: program.cwd ?? cwd };
      if (program.before !== undefined) Bun.spawnSync([...program.before], { ...options, stdin: "ignore" });
      const start = Bun.nanoseconds();
      const { exitCode, resourceUsage } = Bun.spawnSync([...program.command], {
        ...options,
        stdin: program.stdin === undefined ? "ignore" : Buffer.from(program.stdin),
      });
      const elapsed = (Bun.nanoseconds() - start) / 1e6;
      if (exitCode !== 0) throw new Error(`${name} exited with ${exitCode}`);
      if (round < 0) continue;
      times.get(name)?.time.push(elapsed);
      times.get(name)?.["processor time"].push(Number(resourceUsage.cpuTime.total) / 1e3);
    }
  }
  return times;
}

export function median(values: readonly number[] = []): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

function report(times: Measured, claims: readonly Claim[], rounds: number, clock: Clock): void {
  const medianOf = (name = "") => median(times.get(name)?.[clock]);
  const ratio = (ms: number) => ms / medianOf("empty");
  console.log(
    `| program | median of ${rounds}, ms${clock === "time" ? "" : ` of ${clock}`} | relative to an empty Bun program |\n| --- | ---: | ---: |`,
  );
  for (const name of times.keys())
    console.log(`| ${name} | ${medianOf(name).toFixed(2)} | ${ratio(medianOf(name)).toFixed(2)} |`);
  for (const { name, without, base = "empty", limit } of claims) {
    const own = (medianOf(name) - medianOf(without)) / medianOf(base);
    const compared = base === "empty" ? "" : ` compared with ${base}`;
    const what = `${name}${without === undefined ? "" : ` minus the ${without.replace(/ alone$/, "")}`}${compared}`;
    console.log(`\n${own <= limit ? "ok" : "TOO SLOW"}: ${what}: ${own.toFixed(2)} (limit ${limit})`);
    if (own > limit) process.exitCode = 1;
  }
}
