import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PLAIN_ENV, provider } from "../harness.ts";
import { type Campaign, choose, type Problems, tryEach, unless } from "./campaign.ts";
import { type BoundedResult, misbehavior, newScene, type Scene } from "./scene.ts";
import { plantSpecial, SPECIAL, SPECIAL_KINDS } from "./special-kinds.ts";
import { quickClaude, SESSION, stopEvent, TRANSCRIPT } from "./stand-in.ts";

/** Shorter than the wait for a lock that cannot be acquired. */
const PATIENCE_MS = 18_000;
const KEY = "sk-special-0123456789";

const IN_PROJECT = [
  ...["SUPERVISOR.md", ".claude", ".claude/settings.json", ".claude/settings.local.json", ".claude/ccc"],
  ...[".claude/ccc/.gitignore", ".claude/ccc/supervisor.log", ".claude/ccc/supervisor.log.1"],
  ...["", ".lock", ".lock.takeover"].map((end) => `.claude/ccc/supervisor-${SESSION}.json${end}`),
  ...["-output.jsonl", "-report.json"].map((end) => `.claude/ccc/supervisor-${SESSION}${end}`),
];

const IN_HOME = [
  ...[".claude.json", ".claude/ccc.json", ".claude/ccc.json.lock", ".claude/ccc.json.lock.takeover", ".claude/key"],
  ...[".claude/SUPERVISOR.md", ".claude/settings.json", ".claude/settings.json.lock", ".claude/ccc", "transcript"],
  ...["checked", "use.json", "backups", "launches", "sessions", "fetched-keys.json"].map(
    (name) => `.claude/ccc/${name}`,
  ),
  ...["-plain", "-supervisor"].map((variant) => `.claude/ccc/settings-ref${variant}.json`),
];

interface Case {
  readonly path: string;
  readonly isInProject: boolean;
  readonly kind: string;
}

export const SPECIAL_FILES: readonly Campaign[] = [
  campaign("project", "Special files in the project", "launches, the loop and the hook", true),
  campaign("home", "Special files in the config folder", "launches, the hook, `use` and `use --reset`", false),
];

function campaign(name: string, what: string, commands: string, isInProject: boolean): Campaign {
  const paths = isInProject ? IN_PROJECT : IN_HOME;
  const cases = paths.flatMap((path) => SPECIAL_KINDS.map((kind) => ({ path, isInProject, kind })));
  const more = isInProject ? "no link is followed, and every stop is reviewed" : "they work or say why not";
  return {
    name: `special-files/${name}`,
    what,
    how: `${SPECIAL}, in place of each file that ccc uses there; ${commands} end soon, ${more}`,
    tries: cases.length,
    quick: 5,
    run: (count, random) =>
      tryEach(
        choose(cases, count, random),
        1,
        ({ path, kind }) => `${kind} as ${isInProject ? "" : "~/"}${path}`,
        attack,
      ),
  };
}

async function attack({ path, isInProject, kind }: Case): Promise<Problems> {
  await using scene = await newScene(PATIENCE_MS);
  const { place } = scene;
  await quickClaude(place, { completed: false, feedback: "FEEDBACK" });
  await place.config({
    providers: { ref: provider({ url: "http://127.0.0.1:9" }, "file:key") },
    supervisor: { max_iterations: 2 },
  });
  await place.write(place.at(".claude/key"), KEY);
  await place.write(place.at("transcript"), TRANSCRIPT);
  const outside = place.at("mine.txt");
  writeFileSync(outside, "mine\n");
  plantSpecial(kind, join(isInProject ? place.project : place.home, path), outside);
  if (!isInProject) return await inHome(scene);
  return [
    ...(await inProject(scene)),
    ...unless(readFileSync(outside, "utf8") === "mine\n", "it wrote through a link"),
    ...unless(!existsSync(`${outside}-nowhere`), "it created a file through a link"),
  ];
}

async function inProject(scene: Scene): Promise<Problems> {
  const hook = await scene.run(["supervisor-hook"], { stdin: stopEvent() });
  return [
    ...(await launched(scene, ["ref", "-p", "x"])),
    ...(await launched(scene, ["--engine", "loop", "ref", "-p", "x"])),
    ...ended("the hook", hook),
    ...unless(hook.stdout.includes("FEEDBACK"), `the hook did not review: ${hook.said}`),
  ];
}

async function inHome(scene: Scene): Promise<Problems> {
  const transcript = { transcript_path: scene.place.at("transcript") };
  const hook = await scene.run(["supervisor-hook"], { stdin: stopEvent(transcript) });
  return [
    ...(await launched(scene, ["ref", "-p", "x"])),
    ...(await launched(scene, ["--supervisor", "ref", "-p", "x"])),
    ...(await launched(scene, ["use", "ref"])),
    ...(await launched(scene, ["use", "--reset"])),
    ...ended("the hook", hook),
    ...unless(hook.exitCode === 0, `the hook ended with ${hook.exitCode}`),
    ...unless(hook.stdout.includes("FEEDBACK") || hook.stderr !== "", "the hook said nothing"),
  ];
}

/** ccc works, or says why not. */
async function launched(scene: Scene, args: readonly string[]): Promise<Problems> {
  const result = await scene.run(args, { env: PLAIN_ENV });
  const name = `ccc ${args.join(" ")}`;
  const isKnown = [0, 1, 2, 3, 4].includes(result.exitCode ?? -1);
  return [
    ...ended(name, result),
    ...unless(result.isHung || isKnown, `${name} ended with ${result.exitCode}`),
    ...unless(result.exitCode === 0 || result.stderr !== "", `${name} failed without a message`),
  ];
}

function ended(name: string, result: BoundedResult): string[] {
  return misbehavior(result).map((problem) => `${name}: ${problem}`);
}
