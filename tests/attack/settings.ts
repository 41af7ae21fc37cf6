import { newSandbox, ONE_REVIEW, provider } from "../harness.ts";
import { type Campaign, choose, type Problems, tryEach, unless } from "./campaign.ts";
import { layAmbush } from "./foreign.ts";
import { type Random, seeded } from "./random.ts";
import { misbehavior, newScene } from "./scene.ts";
import { newProxy, newTrap } from "./trap.ts";

const KEY = "sk-settings-0123456789";
const HOST = "provider.example";

/** Settings with a wrong type. Claude Code ignores a whole file because of one of them. */
const REJECTED: readonly Readonly<Record<string, unknown>>[] = [
  { permissions: "bad" },
  { permissions: { allow: "Bash" } },
  { permissions: { defaultMode: "nonsense" } },
  { permissions: { allow: [5] } },
  { model: 5 },
  { hooks: "bad" },
  { hooks: { Stop: "bad" } },
  { hooks: { Stop: [{ hooks: [{ type: "nonsense" }] }] } },
  { cleanupPeriodDays: "30" },
  { includeCoAuthoredBy: "yes" },
  { statusLine: 5 },
  { outputStyle: [] },
  { enabledPlugins: "bad" },
  { sandbox: "bad" },
  { disableAllHooks: "no" },
  { allowManagedHooksOnly: "no" },
  { availableModels: "bad" },
];

const KINDS = { literal: KEY, file: "file:key" } as const;

interface Case {
  readonly bad: Readonly<Record<string, unknown>>;
  readonly kind: keyof typeof KINDS;
  readonly place: "settings" | "provider" | "--settings";
}

const CASES: readonly Case[] = REJECTED.flatMap((bad, index) =>
  (["literal", "file"] as const).map((kind, which) => ({
    bad,
    kind,
    place: (["settings", "provider", "--settings"] as const)[(index + which) % 3] ?? "settings",
  })),
);

export const SETTINGS: Campaign = {
  name: "settings",
  what: "Settings that Claude Code rejects",
  how: "real Claude Code; one wrong value in ccc.json or `--settings`, with a stored login and foreign keys; a supervised `-p` is refused before it starts, or uses the right server and is reviewed",
  tries: CASES.length,
  quick: 2,
  run: (count, random) =>
    tryEach(
      choose(CASES, count, random),
      1,
      ({ bad, kind, place }) => `${JSON.stringify(bad)} in ${place}, key ${kind}`,
      (each) => attack(each, seeded(random.below(2 ** 31))),
    ),
};

async function attack({ bad, kind, place: where }: Case, random: Random): Promise<Problems> {
  await using scene = await newScene();
  await using trap = await newTrap();
  const { place } = scene;
  await using sandbox = newSandbox(({ role }) =>
    role === "reviewer" ? { verdict: { completed: true, feedback: "seen" } } : { say: "ok" },
  );
  await using proxy = await newProxy(HOST, sandbox.url);
  await layAmbush(place, "the user's settings", trap.url, random);
  await layAmbush(place, "a stored login", trap.url, random);
  const own = provider({ url: `http://${HOST}` }, KINDS[kind], { ANTHROPIC_MODEL: "own-model" });
  await place.config({
    ...(where === "settings" && { settings: bad }),
    providers: { glm: where === "provider" ? { ...own, ...bad } : own },
    supervisor: ONE_REVIEW,
  });
  await place.write(place.at(".claude/key"), KEY);
  await place.write(place.at("more.json"), bad);
  const more = where === "--settings" ? ["--settings", place.at("more.json")] : [];

  const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  const result = await scene.run(["--supervisor", "glm", ...more, "-p", "hi"], { env });

  const isRefused = result.exitCode !== 0 && result.stderr.includes("ccc: ") && sandbox.received.length === 0;
  const isReviewed = sandbox.received.some(({ role }) => role === "reviewer");
  return [
    ...misbehavior(result),
    ...trap.caught.map((request) => `the trap was asked: ${request}`),
    ...proxy.caught.map((request) => `another server was asked: ${request}`),
    ...unless(isRefused || isReviewed, `neither refused nor reviewed, exit code ${result.exitCode}: ${result.said}`),
    ...unless(
      sandbox.headers.every(({ authorization }) => authorization === `Bearer ${KEY}`),
      `credentials: ${sandbox.headers.map(({ authorization }) => authorization)}`,
    ),
  ];
}
