import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { credentials, newSandbox, ONE_REVIEW, provider } from "../harness.ts";
import { type Campaign, type Problems, tryEach, unless } from "./campaign.ts";
import { damage, leftovers } from "./checks.ts";
import { newScene } from "./scene.ts";
import { quickClaude, SESSION, stopEvent } from "./stand-in.ts";

const LIMIT = 10;
const SETTINGS = '{ "theme": "dark" }\n';

export const PARALLEL: readonly Campaign[] = [
  campaign(
    "hooks",
    "24 hooks at once on one session",
    "exactly ten are counted and reviewed; no update is lost",
    4,
    hooks,
  ),
  campaign(
    "launches",
    "8 launches at once on two providers",
    "real Claude Code; no key reaches the wrong server",
    2,
    launches,
  ),
  campaign(
    "checks",
    "8 supervised launches at once in one folder",
    "real Claude Code; each has its own check, and none ends as done",
    2,
    checks,
  ),
  campaign(
    "use",
    "16 `ccc use` at once",
    "all files are intact, and one reset restores settings.json to the byte",
    4,
    use,
  ),
];

function campaign(name: string, what: string, how: string, tries: number, attack: () => Promise<Problems>): Campaign {
  return {
    name: `parallel/${name}`,
    what,
    how,
    tries,
    quick: 1,
    run: (count) =>
      tryEach(
        Array.from({ length: count }, (_, index) => index),
        1,
        (index) => `round ${index + 1}`,
        attack,
      ),
  };
}

async function hooks(): Promise<Problems> {
  await using scene = await newScene();
  const { place } = scene;
  await quickClaude(place, { completed: false, feedback: "FEEDBACK" });
  await place.config({ providers: { glm: {} }, supervisor: { max_iterations: LIMIT } });
  const runs = await Promise.all(
    Array.from({ length: 24 }, () => scene.run(["supervisor-hook"], { stdin: stopEvent({ stop_hook_active: true }) })),
  );
  const reviewed = runs.filter(({ stdout }) => stdout.includes("FEEDBACK")).length;
  const folder = join(place.project, ".claude/ccc");
  const state = JSON.parse(await readFile(join(folder, `supervisor-${SESSION}.json`), "utf8"));
  const output = await readFile(join(folder, `supervisor-${SESSION}-output.jsonl`), "utf8");
  return [
    ...unless(reviewed === LIMIT, `${reviewed} were reviewed`),
    ...unless(state.count === LIMIT, `the count is ${state.count}`),
    ...unless(state.feedback?.length === LIMIT, `${state.feedback?.length} feedbacks are kept`),
    ...unless(output.trim().split("\n").length === LIMIT, "the output has lines too few or too many"),
    ...unless(
      runs.every(({ exitCode }) => exitCode === 0),
      `exit codes ${runs.map(({ exitCode }) => exitCode)}`,
    ),
    ...damage(place, []),
    ...leftovers(place),
  ];
}

async function launches(): Promise<Problems> {
  await using scene = await newScene();
  await using glm = newSandbox();
  await using kimi = newSandbox();
  const { place } = scene;
  const keys = ["sk-parallel-glm-0123456789", "sk-parallel-kimi-0123456789"] as const;
  await place.write(place.at(".claude/key"), keys[1]);
  await place.config({ providers: { glm: provider(glm, keys[0]), kimi: provider(kimi, "file:key") } });
  await Bun.$`chmod 600 ${place.at(".claude/ccc.json")} ${place.at(".claude/key")}`;
  const names = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? "glm" : "kimi"));
  const runs = await Promise.all(names.map((name) => scene.run([name, "-p", "hi"])));
  const seen = [glm, kimi].map((sandbox) => [...new Set(credentials(sandbox).map(({ bearer }) => bearer))].join());
  const { current_provider } = await Bun.file(place.at(".claude/ccc.json")).json();
  return [
    ...unless(
      runs.every(({ exitCode }) => exitCode === 0),
      runs.map(({ said }) => said).join("; "),
    ),
    ...unless(
      seen[0] === `Bearer ${keys[0]}` && seen[1] === `Bearer ${keys[1]}`,
      `the servers saw ${seen.join(" | ")}`,
    ),
    ...unless(current_provider === undefined, `the current provider is ${current_provider}, by a launch with -p`),
    ...damage(place, keys),
    ...leftovers(place),
  ];
}

async function checks(): Promise<Problems> {
  await using scene = await newScene();
  await using glm = newSandbox();
  const { place } = scene;
  const key = "sk-parallel-glm-0123456789";
  await place.config({ providers: { glm: provider(glm, key) }, supervisor: { max_iterations: 1 } });
  await Bun.$`chmod 600 ${place.at(".claude/ccc.json")}`;
  const names = Array.from({ length: 8 }, (_, index) => `own-${index}`);
  const runs = await Promise.all(
    names.map((name) => scene.run(["--supervisor", "--check", `echo ${name}; false`, "glm", "-p", "hi"])),
  );
  const failed = runs.map(({ said }) => [...new Set(said.match(/own-\d; false \(exit 1\)/g))].join());
  return [
    ...names.flatMap((name, index) =>
      unless(failed[index] === `${name}; false (exit 1)`, `${name}: ${failed[index] || runs[index]?.said}`),
    ),
    ...unless(
      runs.every(({ exitCode }) => exitCode === 3),
      `exit codes ${runs.map(({ exitCode }) => exitCode)}`,
    ),
    ...damage(place, [key]),
    ...leftovers(place),
  ];
}

async function use(): Promise<Problems> {
  await using scene = await newScene();
  const { place } = scene;
  await quickClaude(place, { completed: true, feedback: "" });
  const url = "http://127.0.0.1:9";
  const providers = {
    glm: provider({ url }, "sk-use-glm-0123456789"),
    kimi: provider({ url }, "sk-use-kimi-0123456789"),
  };
  await place.config({ providers, supervisor: ONE_REVIEW });
  await Bun.$`chmod 600 ${place.at(".claude/ccc.json")}`;
  await writeFile(place.at(".claude/settings.json"), SETTINGS);
  const commands = [
    ["use", "glm"],
    ["use", "kimi"],
    ["use", "--supervisor", "glm"],
    ["use", "--reset"],
  ];
  const runs = await Promise.all(
    Array.from({ length: 16 }, (_, index) => scene.run(commands[index % commands.length] ?? [])),
  );
  const during = damage(place, ["sk-use-glm-0123456789", "sk-use-kimi-0123456789"]);
  await scene.run(["use", "--reset"]);
  const text = await readFile(place.at(".claude/settings.json"), "utf8");
  return [
    ...unless(
      runs.every(({ exitCode }) => exitCode === 0),
      runs.map(({ said }) => said).join("; "),
    ),
    ...during,
    ...unless(text === SETTINGS, `after a reset settings.json is ${JSON.stringify(text)}`),
    ...damage(place, []),
    ...leftovers(place),
  ];
}
