import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { provider } from "../harness.ts";
import { type Campaign, choose, type Problems, tryEach, unless } from "./campaign.ts";
import { type BoundedResult, misbehaviour, newScene, type Scene } from "./scene.ts";
import { quickClaude, SESSION, stopEvent, TRANSCRIPT } from "./stand-in.ts";

/** Nobody should wait this long for a file that is none. */
const PATIENCE_MS = 18_000;
const KEY = "sk-special-0123456789";

/** What may stand where ccc expects a file of its own. */
const KINDS: Readonly<Record<string, (path: string, outside: string) => void>> = {
  "a pipe": (path) => void Bun.spawnSync(["mkfifo", path]),
  "a socket": (path, outside) => {
    // The path of a socket may be a hundred bytes long at most, that of a file more.
    const short = join(dirname(dirname(outside)), "s");
    const server = Bun.listen({ unix: short, socket: { data() {} } });
    renameSync(short, path);
    server.stop(true);
  },
  "a folder": (path) => mkdirSync(path),
  "a link to /dev/zero": (path) => symlinkSync("/dev/zero", path),
  "a link to nowhere": (path, outside) => symlinkSync(`${outside}-nowhere`, path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a link to a file of the user's": (path, outside) => symlinkSync(outside, path),
  "a huge file": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 100_000_000);
  },
  "an unreadable file": (path) => {
    writeFileSync(path, "x");
    chmodSync(path, 0o000);
  },
  "an empty file": (path) => writeFileSync(path, ""),
};

/** Where, in the project. */
const IN_PROJECT = [
  ...["SUPERVISOR.md", ".claude", ".claude/settings.json", ".claude/settings.local.json", ".claude/ccc"],
  ...[".claude/ccc/.gitignore", ".claude/ccc/supervisor.log", ".claude/ccc/supervisor.log.1"],
  ...["", ".lock", ".lock.takeover"].map((end) => `.claude/ccc/supervisor-${SESSION}.json${end}`),
  ...["-output.jsonl", "-report.json"].map((end) => `.claude/ccc/supervisor-${SESSION}${end}`),
];

/** Where, in the home. */
const IN_HOME = [
  ...[".claude.json", ".claude/ccc.json", ".claude/ccc.json.lock", ".claude/ccc.json.lock.takeover", ".claude/key"],
  ...[".claude/SUPERVISOR.md", ".claude/settings.json", ".claude/settings.json.lock", ".claude/ccc", "transcript"],
  ...["checked", "use.json", "backups", "sessions", `sessions/${SESSION}`].map((name) => `.claude/ccc/${name}`),
  ...["-plain", "", "-supervisor"].map((variant) => `.claude/ccc/settings-ref${variant}.json`),
];

interface Case {
  readonly path: string;
  readonly isProjects: boolean;
  readonly kind: string;
}

const CASES: readonly Case[] = [
  ...IN_PROJECT.map((path) => ({ path, isProjects: true })),
  ...IN_HOME.map((path) => ({ path, isProjects: false })),
].flatMap((where) => Object.keys(KINDS).map((kind) => ({ ...where, kind })));

export const SPECIAL_FILES: readonly Campaign[] = [
  campaign("project", "Special files in the project", "launches, the loop and the hook", true),
  campaign("home", "Special files in the config folder", "launches, the hook, `use` and `use --reset`", false),
];

function campaign(name: string, what: string, commands: string, isProjects: boolean): Campaign {
  const cases = CASES.filter((each) => each.isProjects === isProjects);
  const more = isProjects ? "; no stop goes without its review" : "";
  return {
    name: `special-files/${name}`,
    what,
    how: `in the place of each file that ccc reads or writes there a pipe, a socket, a folder, links to /dev/zero, nowhere, itself and a file of the user's, a huge, an unreadable and an empty file; ${commands} end soon, work or say why not, and write through no link of a project${more}`,
    tries: cases.length,
    quick: 5,
    run: (count, random) =>
      tryEach(
        choose(cases, count, random),
        1,
        ({ path, kind }) => `${kind} as ${isProjects ? "" : "~/"}${path}`,
        attack,
      ),
  };
}

async function attack({ path, isProjects, kind }: Case): Promise<Problems> {
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
  const target = join(isProjects ? place.project : place.home, path);
  mkdirSync(dirname(target), { recursive: true });
  if (existsSync(target)) rmSync(target, { recursive: true });
  KINDS[kind]?.(target, outside);
  const problems = isProjects ? await inProject(scene) : await inHome(scene);
  return [
    ...problems,
    // A file of the home may be a link that the user made: it is followed, and what it leads to is the user's own.
    ...unless(!isProjects || readFileSync(outside, "utf8") === "mine\n", "it wrote through a link"),
    ...unless(!isProjects || !existsSync(`${outside}-nowhere`), "it made a file through a link"),
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

/** It works, or it says why not. */
async function launched(scene: Scene, args: readonly string[]): Promise<Problems> {
  const result = await scene.run(args);
  const name = `ccc ${args.join(" ")}`;
  const isKnown = [0, 1, 2, 3, 4].includes(result.exitCode ?? -1);
  return [
    ...ended(name, result),
    ...unless(result.isHung || isKnown, `${name} ended with ${result.exitCode}`),
    ...unless(result.exitCode === 0 || result.stderr !== "", `${name} failed without a word`),
  ];
}

function ended(name: string, result: BoundedResult): string[] {
  return misbehaviour(result).map((problem) => `${name}: ${problem}`);
}
