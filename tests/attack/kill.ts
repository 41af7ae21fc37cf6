import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "../../src/errors.ts";
import { ONE_REVIEW, provider, type RunOptions } from "../harness.ts";
import { type Campaign, type Outcome, type Problems, tryEach, unless } from "./campaign.ts";
import { damage, leftovers } from "./checks.ts";
import { strays } from "./processes.ts";
import type { Random } from "./random.ts";
import { type BoundedResult, misbehavior, newScene, type Scene } from "./scene.ts";
import { quickClaude, stopEvent } from "./stand-in.ts";

const KEYS = ["sk-killed-glm-0123456789", "sk-killed-kimi-0123456789", "sk-killed-file-0123456789"] as const;
const SETTINGS = '{\n\t"theme": "dark", "env": { "MINE": "1" }\n}\n';
const HOLDS = "all files are intact, no key is exposed, no process is left, the next run works at once and cleans up";

/** What is killed, and how the next run proves that nothing is broken. */
interface Victim {
  readonly commands: readonly (readonly string[])[];
  readonly stdin?: string;
  /** The verdict of the reviewer. */
  readonly completed: boolean;
  /** Before each try. */
  readonly setUp: (scene: Scene, random: Random) => Promise<void>;
  /** After each try: runs ccc again. */
  readonly next: (scene: Scene, args: readonly string[], options: RunOptions) => Promise<Problems>;
}

const LAUNCH: Victim = {
  commands: [
    ["glm", "-p", "x"],
    ["ref", "-p", "x"],
    ["--supervisor", "glm", "-p", "x"],
    ["--engine", "loop", "glm", "-p", "x"],
  ],
  completed: true,
  setUp: async ({ place }, random) => {
    // Without earlier files the launch writes all of them, otherwise few or none.
    if (random.below(4) > 0) await rm(place.at(".claude/ccc"), { recursive: true, force: true });
    await rm(place.at(".claude/SUPERVISOR.md"), { force: true });
    await config({ place });
  },
  // The stand-in for claude runs no hooks, so nothing is reviewed.
  next: async (scene, args) => again(await scene.run(args), args.includes("--supervisor") ? EXIT.notReviewed : EXIT.ok),
};

const HOOK: Victim = {
  commands: [["supervisor-hook"], ["supervisor-hook", "--announce"], ["supervisor-hook", "--state-dir", "elsewhere"]],
  stdin: stopEvent(),
  completed: false,
  setUp: async ({ place }, random) => {
    if (random.below(2) > 0) await rm(join(place.project, ".claude"), { recursive: true, force: true });
  },
  next: async (scene, args, options) => {
    const result = await scene.run(args, options);
    return [...again(result, 0), ...unless(result.stdout.includes('"FEEDBACK"'), `it said ${result.said}`)];
  },
};

const USE: Victim = {
  commands: [
    ["use", "glm"],
    ["use", "ref"],
    ["use", "--supervisor", "kimi"],
    ["use", "--reset"],
  ],
  completed: true,
  setUp: async (scene, random) => {
    await writeFile(scene.place.at(".claude/settings.json"), SETTINGS);
    if (random.below(2) > 0) await scene.run(["use", "kimi"]);
  },
  next: async (scene) => {
    const result = await scene.run(["use", "--reset"]);
    const text = await readFile(scene.place.at(".claude/settings.json"), "utf8").catch(() => "no file");
    return [
      ...again(result, 0),
      ...unless(text === SETTINGS, `after a reset settings.json is ${JSON.stringify(text)}`),
    ];
  },
};

export const KILL: readonly Campaign[] = [
  campaign("launch", "`kill -9` of a launch", "plain, supervised, loop engine, key from a file", LAUNCH),
  campaign("hook", "`kill -9` of the Stop hook", "with and without earlier state", HOOK),
  campaign(
    "use",
    "`kill -9` of `ccc use`",
    "switching on, over and back; `use --reset` restores settings.json to the byte",
    USE,
  ),
];

function campaign(name: string, what: string, variants: string, victim: Victim): Campaign {
  const how = `at random moments: ${variants}; ${HOLDS}`;
  const run = (count: number, random: Random) => killAtRandom(count, random, victim);
  return { name: `kill/${name}`, what, how, tries: 100, quick: 5, run };
}

async function killAtRandom(count: number, random: Random, victim: Victim): Promise<Outcome> {
  await using scene = await newScene();
  await config(scene);
  await quickClaude(scene.place, { completed: victim.completed, feedback: "FEEDBACK" });
  const options = victim.stdin === undefined ? {} : { stdin: victim.stdin };
  const usual: number[] = [];
  for (const args of victim.commands) {
    await victim.setUp(scene, random);
    usual.push((await scene.run(args, options)).ms);
  }
  const cases = Array.from({ length: count }, (_, index) => {
    const which = index % victim.commands.length;
    return { args: victim.commands[which] ?? [], afterMs: random.next() * (usual[which] ?? 0) };
  });
  const describe = ({ args, afterMs }: (typeof cases)[number]) =>
    `ccc ${args.join(" ")}, after ${afterMs.toFixed(1)} ms`;
  return await tryEach(cases, 1, describe, async ({ args, afterMs }) => {
    await victim.setUp(scene, random);
    await killAfter(scene.start(args, options), afterMs);
    const torn = damage(scene.place, KEYS);
    const left = await strays(scene.mark, STRAY_MS);
    const problems = await victim.next(scene, args, options);
    return [...torn, ...left, ...problems, ...damage(scene.place, KEYS), ...leftovers(scene.place)];
  });
}

/** Children of a killed ccc may run to the end. */
const STRAY_MS = 10_000;

export async function killAfter(child: Bun.Subprocess, ms: number): Promise<void> {
  const endsAt = performance.now() + ms;
  while (child.exitCode === null && performance.now() < endsAt) await Bun.sleep(0);
  child.kill("SIGKILL");
  await child.exited;
}

/** Waiting for an abandoned lock would take longer. */
const AT_ONCE_MS = 8_000;

function again(result: BoundedResult, exitCode: number): string[] {
  const { ms } = result;
  return [
    ...misbehavior(result),
    ...unless(result.exitCode === exitCode, `the next run ended with ${result.exitCode}: ${result.said}`),
    ...unless(ms < AT_ONCE_MS, `the next run took ${Math.round(ms)} ms`),
  ];
}

async function config({ place }: Pick<Scene, "place">): Promise<void> {
  await place.write(place.at(".claude/key"), KEYS[2]);
  await place.config({
    providers: {
      glm: provider({ url: "http://127.0.0.1:9" }, KEYS[0]),
      kimi: provider({ url: "http://127.0.0.1:9" }, KEYS[1]),
      ref: provider({ url: "http://127.0.0.1:9" }, "file:key"),
    },
    supervisor: { ...ONE_REVIEW, max_iterations: 1_000_000 },
  });
  await Bun.$`chmod 600 ${place.at(".claude/ccc.json")} ${place.at(".claude/key")}`;
}
