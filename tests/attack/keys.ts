import { readFileSync } from "node:fs";
import type { Script } from "../../src/sandbox/sandbox.ts";
import { CLAUDE, newSandbox, ONE_REVIEW, provider } from "../harness.ts";
import { type Campaign, choose, type Problems, tryEach, unless } from "./campaign.ts";
import { below, damage } from "./checks.ts";
import { FOLDERS_LAYERS, FOREIGN, type Layer, layAmbush, USERS_LAYERS } from "./foreign.ts";
import { showing } from "./processes.ts";
import type { Random } from "./random.ts";
import { misbehavior, newScene } from "./scene.ts";
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
  how: "real Claude Code; key literal, in a file, in a variable, from a command; `-p` plain, supervised, with the loop engine, and plain claude after `ccc use` (there, only against the user's own layers); only the provider's server is asked, only with its own key, which is in no arguments, output or other file",
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

/** For plain claude, the settings of a folder win over the user's: `ccc use` cannot protect against them. */
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
    const look = { use: "Bash", input: { command: "ls", description: "look" } };
    if (role === "reviewer") return index === 0 ? look : { verdict: { completed: true, feedback: "seen" } };
    if (role === "helper" || index > 0) return { say: "ok" };
    ambush.meanwhile();
    return look;
  };
  await using sandbox = newSandbox(answers);
  await using proxy = await newProxy(HOST, sandbox.url);
  const own = provider({ url: `http://${HOST}` }, REFERENCES[kind], { ANTHROPIC_MODEL: "own-model" });
  await place.config({ providers: { glm: own }, supervisor: ONE_REVIEW });
  await place.write(place.at(".claude/backwards"), [...KEY].reverse().join(""));
  if (kind === "file") await place.write(place.at(".claude/key"), KEY);
  await Bun.$`chmod -R go= ${place.at(".claude")}`;
  const ways = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  const env = { ...ambush.env, ...ways, ...(kind === "env" && { MY_PROVIDERS_KEY: KEY }) };
  const isUse = launch === "ccc use, then claude";
  // Plain claude reads this variable before its settings, so `ccc use` cannot override it.
  const options = { env: isUse ? { ...env, ANTHROPIC_UNIX_SOCKET: "" } : env, cwd: ambush.cwd };

  const first = await scene.run(LAUNCHES[launch], options);
  const result = isUse ? await scene.run(["-p", "hi"], { ...options, ccc: CLAUDE }) : first;

  const isSupervised = launch === "supervised -p" || launch === "loop engine";
  return [
    ...misbehavior(result),
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

/** Messages quote files and may contain anything. */
function strippedBody({ body: { messages: _, ...rest } }: { body: { messages: unknown } }): unknown {
  return rest;
}

function filesWithKey(home: string, kind: Case["kind"]): string[] {
  // A key is only where it came from, except that `ccc use` writes a literal one to settings.json.
  const allowed = { literal: /\/\.claude\/(ccc\.json|settings\.json|ccc\/use[^/]*\.json)$/, file: /\/\.claude\/key$/ };
  const pattern = kind === "literal" || kind === "file" ? allowed[kind] : /^$/;
  return below(home)
    .filter((path) => readFileSync(path).includes(KEY) && !pattern.test(path))
    .map((path) => `${path} holds the key`);
}
