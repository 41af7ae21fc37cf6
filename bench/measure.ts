import { dlopen, ptr } from "bun:ffi";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";

/**
 * What programs cost relative to an empty Bun program: processor time and page faults, with all the processes that they wait
 * for. Both are compared in turns in one run. Time as a user sees it depends on the machine and on what else it does, so it
 * is shown and not compared.
 */

export interface Program {
  readonly command: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A command to run before each round, which is not counted. */
  readonly before?: readonly string[];
}

/** A limit on the processor time of a program, as a multiple of the empty program's. */
export interface Claim {
  readonly name: string;
  /** A program whose cost is subtracted. */
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

export const CCC = join(import.meta.dir, "../dist/ccc");

/**
 * Measures the programs that `prepare` makes for dist/ccc, and fails if one is above its limit.
 * Arguments: the number of rounds, and `--with FILE` for each other build of ccc to measure in the same run.
 */
export async function bench(
  prepare: (ccc: string, place: BenchPlace) => Promise<Record<string, Program>>,
  claims: readonly Claim[],
): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { with: { type: "string", multiple: true, default: [] } },
    allowPositionals: true,
  });
  const rounds = Number(positionals[0] ?? 100);
  await inBenchFolder(async (folder, empty) => {
    const programs: Record<string, Program> = { empty: { command: [empty] } };
    const builds = [CCC, ...values.with];
    for (const [index, file] of builds.entries()) {
      // A home for each build: what one of them generates, another would generate again. ccc has to be called ccc.
      const place = await makePlace(join(folder, String(index)));
      const ccc = join(folder, String(index), "ccc");
      await copyFile(file, ccc);
      for (const [name, each] of Object.entries(await prepare(ccc, place))) {
        const program = inPlace(each, place);
        if (index === 0) programs[name] = program;
        else if (each.command[0] === ccc && runs(nameFor(name, file), program)) programs[nameFor(name, file)] = program;
      }
    }
    const costs = measure(programs, rounds);
    print(costs, rounds);
    for (const claim of claims) {
      if (judge(costs, claim) > claim.limit) process.exitCode = 1;
      for (const file of values.with)
        if (costs.has(nameFor(claim.name, file))) judge(costs, claim, (name) => nameFor(name, file));
    }
  });
}

const nameFor = (name: string, file: string) => `${name} (${basename(file)})`;

/** Not everything that is measured works with an earlier build. */
function runs(name: string, program: Program): boolean {
  try {
    run(name, program);
    return true;
  } catch (error) {
    console.log(`Not measured: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** Calls with a folder that is removed afterwards, and with an empty Bun program. */
export async function inBenchFolder(use: (folder: string, empty: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ccc-bench-"));
  const [source, empty] = [join(folder, "empty.ts"), join(folder, "empty")];
  try {
    await writeFile(source, "");
    await $`bun build --compile --minify --bytecode --format=esm ${source} --outfile ${empty}`.quiet();
    await use(folder, empty);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A home, a project and a folder of programs. */
export async function makePlace(folder: string): Promise<BenchPlace> {
  const place = { home: join(folder, "home"), project: join(folder, "project"), bin: join(folder, "bin") };
  for (const each of [join(place.home, ".claude"), place.project, place.bin]) await mkdir(each, { recursive: true });
  return place;
}

/** A program that starts in the project, with the home and the programs of the place. */
export function inPlace(program: Program, { home, project, bin }: BenchPlace): Program {
  return { cwd: project, ...program, env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, ...program.env } };
}

/** The medians of all rounds. */
export interface Cost {
  /** In milliseconds. */
  readonly processor: number;
  readonly faults: number;
  /** In milliseconds. */
  readonly time: number;
}

export type Costs = ReadonlyMap<string, Cost>;

/** Runs the programs in turns, each time in another order, after five rounds that do not count. */
export function measure(programs: Record<string, Program>, rounds: number): Costs {
  const runs = new Map(Object.keys(programs).map((name): [string, Cost[]] => [name, []]));
  for (let round = -5; round < rounds; round++)
    for (const [name, program] of shuffled(Object.entries(programs))) {
      const cost = run(name, program);
      if (round >= 0) runs.get(name)?.push(cost);
    }
  return new Map(
    [...runs].map(([name, costs]) => {
      const of = (figure: keyof Cost) => median(costs.map((cost) => cost[figure]));
      return [name, { processor: of("processor"), faults: of("faults"), time: of("time") }];
    }),
  );
}

function run(name: string, { command, stdin, env, cwd, before }: Program): Cost {
  const options = { env: { ...env }, ...(cwd === undefined ? {} : { cwd }) };
  if (before !== undefined) Bun.spawnSync([...before], { ...options, stdin: "ignore" });
  const faultsBefore = faultsOfChildren();
  const start = Bun.nanoseconds();
  const { exitCode, resourceUsage, stderr } = Bun.spawnSync([...command], {
    ...options,
    stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
  });
  const time = (Bun.nanoseconds() - start) / 1e6;
  if (exitCode !== 0) throw new Error(`${name} exited with ${exitCode}\n${stderr}`);
  const faults = faultsOfChildren() - faultsBefore;
  return { processor: Number(resourceUsage.cpuTime.total) / 1e3, faults, time };
}

const RUSAGE_CHILDREN = -1;
const libc = dlopen(process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6", {
  getrusage: { args: ["i32", "ptr"], returns: "i32" },
});

/** Bun's resource usage has no page faults. They are the seventh and eighth of the numbers in `struct rusage`. */
function faultsOfChildren(): number {
  const usage = new BigInt64Array(18);
  if (libc.symbols.getrusage(RUSAGE_CHILDREN, ptr(usage)) !== 0) throw new Error("getrusage failed");
  return Number((usage[8] ?? 0n) + (usage[9] ?? 0n));
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

function print(costs: Costs, rounds: number): void {
  const empty = costOf(costs, "empty");
  console.log(`| median of ${rounds} | processor time, ms | relative | page faults | relative | time, ms |`);
  console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const [name, { processor, faults, time }] of costs) {
    const relative = [processor / empty.processor, faults / empty.faults].map((ratio) => ratio.toFixed(2));
    console.log(`| ${[name, processor.toFixed(2), relative[0], faults, relative[1], time.toFixed(2)].join(" | ")} |`);
  }
}

/** Says how a program compares with its limit. */
function judge(costs: Costs, { name, without, base, limit }: Claim, nameIn = (each: string) => each): number {
  const named = (each: string) => costs.get(nameIn(each)) ?? costOf(costs, each);
  const [cost, compared] = [named(name), named(base ?? "empty")];
  const subtracted = without === undefined ? { processor: 0, faults: 0 } : named(without);
  const processor = (cost.processor - subtracted.processor) / compared.processor;
  const faults = (cost.faults - subtracted.faults) / compared.faults;
  const minus = without === undefined ? "" : ` minus ${without}`;
  const to = base === undefined ? "" : ` compared with ${base}`;
  const verdict = processor <= limit ? "ok" : "TOO SLOW";
  console.log(
    `\n${verdict}: ${nameIn(name)}${minus}${to}: ${processor.toFixed(2)} (limit ${limit}), page faults ${faults.toFixed(2)}`,
  );
  return processor;
}

function costOf(costs: Costs, name: string): Cost {
  const cost = costs.get(name);
  if (cost === undefined) throw new Error(`no program is called ${name}`);
  return cost;
}
