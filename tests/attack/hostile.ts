import { linkSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { newSandbox, ONE_REVIEW, type Place, provider } from "../harness.ts";
import { type Campaign, choose, type Problems, tryEach, unless } from "./campaign.ts";
import { TRAPPED } from "./plants.ts";
import { showing } from "./processes.ts";
import { misbehavior, newScene } from "./scene.ts";

const KEY = "sk-hostile-0123456789";
/** In the user's files that the folder links to. */
const SECRET = "SECRET-OF-THE-USER-0123456789";

const preload = (place: Place) =>
  `require("node:fs").writeFileSync(${JSON.stringify(place.at(`${TRAPPED}-the-folder`))}, "");\n`;

/** Repositories with links to the user's files, or with code that a program might load. */
const FOLDERS: Readonly<Record<string, (place: Place) => unknown>> = {
  "SUPERVISOR.md as a link to ccc.json": (place) =>
    symlinkSync("../.claude/ccc.json", join(place.project, "SUPERVISOR.md")),
  "SUPERVISOR.md as a link to a key": (place) =>
    symlinkSync(place.at(".ssh/id_rsa"), join(place.project, "SUPERVISOR.md")),
  "SUPERVISOR.md as a hard link to ccc.json": (place) =>
    linkSync(place.at(".claude/ccc.json"), join(place.project, "SUPERVISOR.md")),
  "SUPERVISOR.md as a hard link to a key": (place) =>
    linkSync(place.at(".ssh/id_rsa"), join(place.project, "SUPERVISOR.md")),
  ".claude/ccc as a link to a folder of the user": (place) => {
    mkdirSync(join(place.project, ".claude"));
    symlinkSync(place.at("shared"), join(place.project, ".claude/ccc"));
  },
  ".claude as a link to a folder of the user": (place) =>
    symlinkSync(place.at("shared"), join(place.project, ".claude")),
  ".claude/ccc without .gitignore": async (place) => {
    await place.write(join(place.project, ".claude/ccc/left.txt"), "left\n");
    await Bun.$`git init -q ${place.project}`;
  },
  ".env": (place) =>
    place.write(
      join(place.project, ".env"),
      "CCC_CONFIG_DIR=./evil\nCCC_CLAUDE=./evil/claude\nBUN_BE_BUN=1\nANTHROPIC_AUTH_TOKEN=evil\n",
    ),
  "bunfig.toml": async (place) => {
    await place.write(join(place.project, "bunfig.toml"), 'preload = ["./preload.ts"]\n[run]\nbun = true\n');
    await place.write(join(place.project, "preload.ts"), preload(place));
  },
  "package.json and tsconfig.json": async (place) => {
    await place.write(join(place.project, "package.json"), {
      type: "commonjs",
      imports: { "#*": "./preload.ts" },
      main: "preload.ts",
    });
    await place.write(join(place.project, "tsconfig.json"), { compilerOptions: { paths: { "*": ["./preload.ts"] } } });
    await place.write(join(place.project, "node_modules/valibot/index.js"), preload(place));
    await place.write(join(place.project, "preload.ts"), preload(place));
  },
  "a claude in the folder": async (place) => {
    await place.write(join(place.project, "claude"), `#!/bin/sh\ntouch '${TRAPPED}'\n`);
    await Bun.$`chmod +x ${join(place.project, "claude")}`;
  },
};

interface Case {
  readonly folder: string;
  readonly words: readonly string[];
}

const CASES: readonly Case[] = Object.keys(FOLDERS).flatMap((folder) => [
  { folder, words: ["--supervisor"] },
  { folder, words: ["--engine", "loop"] },
]);

export const HOSTILE: Campaign = {
  name: "hostile-folders",
  what: "Repositories with links or code",
  how: "real Claude Code, both engines; links and hard links to keys and folders of the user, .env, bunfig.toml, package.json, a planted claude; reviewed or refused with a message; no file of the user is sent, shown or changed, no code of the folder runs, `git add -A` stages no file of ccc",
  tries: CASES.length,
  quick: 2,
  run: (count, random) =>
    tryEach(choose(CASES, count, random), 1, ({ folder, words }) => `${folder}, ${words.join(" ")}`, attack),
};

async function attack({ folder, words }: Case): Promise<Problems> {
  await using scene = await newScene();
  const { place } = scene;
  const shown = new Set<string>();
  await using sandbox = newSandbox(({ role }) => {
    if (showing(SECRET).length > 0) shown.add("a process shows a secret in its arguments");
    return role === "reviewer" ? { verdict: { completed: true, feedback: "seen" } } : { say: "ok" };
  });
  const providers = { glm: provider(sandbox, KEY), other: provider(sandbox, SECRET) };
  await place.config({ providers, supervisor: ONE_REVIEW });
  await place.write(place.at(".ssh/id_rsa"), `${SECRET}\n`);
  await place.write(place.at("shared/mine.txt"), "mine\n");
  await Bun.$`chmod 755 ${place.at("shared")}`;
  await FOLDERS[folder]?.(place);

  const result = await scene.run([...words, "glm", "-p", "hi"]);

  const isReviewed = result.exitCode === 0 && sandbox.received.some(({ role }) => role === "reviewer");
  const isRefused = result.exitCode !== 0 && result.stderr.includes("ccc: ") && sandbox.received.length === 0;
  const shared = place.at("shared");
  const trapped = [...readdirSync(place.home), ...readdirSync(place.project)].filter((name) =>
    name.startsWith(TRAPPED),
  );
  const staged = Bun.spawnSync(["git", "-C", place.project, "add", "-An", "."], {
    env: { ...place.env },
  }).stdout.toString();
  return [
    ...misbehavior(result),
    ...unless(isReviewed || isRefused, `neither reviewed nor refused, exit code ${result.exitCode}: ${result.said}`),
    ...unless(!JSON.stringify(sandbox.received.map(({ body }) => body)).includes(SECRET), "a secret was sent"),
    ...unless(!result.said.includes(SECRET), "a secret was shown"),
    ...shown,
    ...unless(readdirSync(shared).join() === "mine.txt", `a folder of the user got ${readdirSync(shared).join()}`),
    ...unless((statSync(shared).mode & 0o777) === 0o755, "the mode of a folder of the user was changed"),
    ...trapped.map((name) => `code of the folder ran: ${name}`),
    ...unless(!/supervisor-|supervisor\.log/.test(staged), `git would stage ${staged}`),
  ];
}
