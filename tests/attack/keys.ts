import { readFileSync } from "node:fs";
import type { Script } from "../../src/sandbox/turns.ts";
import { CLAUDE, newSandbox, provider } from "../harness.ts";
import { type Campaign, choose, type Problems, tryEach, unless } from "./campaign.ts";
import { below, damage } from "./checks.ts";
import { FOLDERS_LAYERS, FOREIGN, type Layer, layAmbush, USERS_LAYERS } from "./foreign.ts";
import { showing } from "./processes.ts";
import type { Random } from "./random.ts";
import { misbehaviour, newScene } from "./scene.ts";
import { newProxy, newTrap } from "./trap.ts";

const HOST = "provider.example";
const KEY = "sk-own-0123456789abcdef";
const REFERENCES = { literal: KEY, file: "file:key", env: "env:MY_PROVIDERS_KEY", cmd: "cmd:rev backwards" } as const;
const LAUNCHES = {
  "plain -p": ["glm", "-p", "hi"],
  "supervised -p": ["--supervisor", "glm", "-p", "hi"],
  "loop engine": ["--engine", "loop", "glm", "-p", "hi"],
  "ccc use, then claude": ["use", "glm"],
} as const;

interface Case {
  readonly kind: keyof typeof REFERENCES;
  readonly launch: keyof typeof LAUNCHES;
  readonly layer: Layer;
}

export const KEYS: Campaign = {
  name: "keys",
  what: "Foreign keys, servers and proxies in every layer",
  how: "key literal, in a file, a variable, from a command; `-p` plain, supervised, by the loop engine, and plain claude after `ccc use` (not against a folder's own settings); real Claude Code. Only the provider's server is asked, with its own key alone; the key is in no argument, no output and no file of others",
  tries: cases().length,
  quick: 3,
  run: (count, random) =>
    tryEach(
      choose(cases(), count, random),
      1,
      ({ kind, launch, layer }) => `key ${kind}, ${launch}, foreign ones in ${layer}`,
      (each) => attack(each, random),
    ),
};

/** A folder's settings win over the user's own, so plain claude is promised nothing against them. */
function cases(): Case[] {
  const kinds = Object.keys(REFERENCES) as Case["kind"][];
  const launches = Object.keys(LAUNCHES) as Case["launch"][];
  return kinds.flatMap((kind) =>
    launches.flatMap((launch) => {
      const folders = launch === "ccc use, then claude" ? [] : ([...FOLDERS_LAYERS, "all of them"] as const);
      return [...USERS_LAYERS, ...folders].map((layer) => ({ kind, launch, layer }));
    }),
  );
}

async function attack({ kind, launch, layer }: Case, random: Random): Promise<Problems> {
  await using scene = await newScene();
  await using trap = await newTrap();
  const { place } = scene;
  const ambush = await layAmbush(place, layer, trap.url, random);
  const shown = new Set<string>();
  const answers: Script = ({ role }, index) => {
    for (const { command } of showing(KEY)) shown.add(command);
    if (role === "reviewer") return { verdict: { completed: true, feedback: "seen" } };
    if (role === "helper" || index > 0) return { say: "ok" };
    ambush.meanwhile();
    return { use: "Bash", input: { command: "ls", description: "look" } };
  };
  await using sandbox = newSandbox(answers);
  await using proxy = await newProxy(HOST, sandbox.url);
  const own = provider({ url: `http://${HOST}` }, REFERENCES[kind], { ANTHROPIC_MODEL: "own-model" });
  await place.config({ providers: { glm: own } });
  await place.write(place.at(".claude/backwards"), [...KEY].reverse().join(""));
  if (kind === "file") await place.write(place.at(".claude/key"), KEY);
  await Bun.$`chmod -R go= ${place.at(".claude")}`;
  const ways = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  const env = { ...ambush.env, ...ways, ...(kind === "env" && { MY_PROVIDERS_KEY: KEY }) };
  const isUse = launch === "ccc use, then claude";
  // Plain claude heeds this one of a shell before it reads any settings.
  const options = { env: isUse ? { ...env, ANTHROPIC_UNIX_SOCKET: "" } : env, cwd: ambush.cwd };

  const first = await scene.run(LAUNCHES[launch], options);
  const result = isUse ? await scene.run(["-p", "hi"], { ...options, ccc: CLAUDE }) : first;

  const isSupervised = launch === "supervised -p" || launch === "loop engine";
  return [
    ...misbehaviour(result),
    ...unless(result.exitCode === 0, `it ended with ${result.exitCode}: ${result.said.slice(0, 500)}`),
    ...trap.caught.map((request) => `the trap was asked: ${request}`),
    ...proxy.caught.map((request) => `another server was asked: ${request}`),
    ...unless(sandbox.received.length > 0, "the provider was not asked"),
    ...sandbox.headers.flatMap((headers) => wrongCredentials(headers)),
    ...unless(!JSON.stringify(sandbox.received.map(strippedBody)).includes(FOREIGN), "a body holds a foreign value"),
    ...unless(!isSupervised || sandbox.received.some(({ role }) => role === "reviewer"), "there was no review"),
    ...unless(!(first.said + result.said).includes(KEY), "the key was shown"),
    ...[...shown].map((command) => `the key is an argument: ${command.slice(0, 300)}`),
    ...filesWithKey(place.home, kind),
    ...damage(place, [KEY]),
  ];
}

function wrongCredentials(headers: Readonly<Record<string, string>>): string[] {
  const { authorization, "x-api-key": key } = headers;
  const text = JSON.stringify(headers);
  return [
    ...unless(
      authorization === `Bearer ${KEY}` || (authorization === undefined && key === KEY),
      `credentials: ${text}`,
    ),
    ...unless(!text.includes(FOREIGN), `foreign headers: ${text}`),
  ];
}

/** The user's words may hold anything; what Claude Code adds may not. */
function strippedBody({ body: { messages: _, ...rest } }: { body: { messages: unknown } }): unknown {
  return rest;
}

function filesWithKey(home: string, kind: Case["kind"]): string[] {
  // A key in ccc.json is in the generated settings too; one in a file of its own is nowhere else; others are in no file.
  const allowed = { literal: /\/\.claude\/(ccc\.json|settings\.json|ccc\/[^/]+\.json)$/, file: /\/\.claude\/key$/ };
  const pattern = kind === "literal" || kind === "file" ? allowed[kind] : /^$/;
  return below(home)
    .filter((path) => readFileSync(path).includes(KEY) && !pattern.test(path))
    .map((path) => `${path} holds the key`);
}
