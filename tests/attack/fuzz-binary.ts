import { readdirSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { provider } from "../harness.ts";
import { type Campaign, type Outcome, type Problems, tryEach, unless } from "./campaign.ts";
import { quoting } from "./fuzz-verdict.ts";
import { CANARY, mistaken, oddJson, oddString, oddText } from "./odd.ts";
import { configWith } from "./odd-config.ts";
import type { Random } from "./random.ts";
import { misbehaviour, newScene, type Scene } from "./scene.ts";
import { quickClaude, resultLine, stopEvent } from "./stand-in.ts";

const CONFIG = { providers: { glm: provider({ url: "http://127.0.0.1:9" }, CANARY) } };

/** What people and programs write every day. */
const ORDINARY = [
  'Open "https://example.com/?page=2"',
  '{"Authorization": "Bearer abc"}',
  "curl -H 'Authorization: Bearer abc' 'https://user:pass@example.com/?a=1&b=2'",
  '"Authorization: Basic dXNlcjpwYXNz", then \\"quoted\\" and \\u0041',
] as const;

export const FUZZ_BINARY: readonly Campaign[] = [
  campaign("event", "Fuzzed events and streams, by the hook", "exit code 0, stdout empty or one JSON object", {
    input: fc.record({ event: oddText(mistakenEvent()), review: oddStream(oddJson) }),
    attack: async (scene, { event, review }) => {
      await writeFile(scene.place.at("review"), review);
      await rm(join(scene.place.project, ".claude"), { recursive: true, force: true });
      const result = await scene.run(["supervisor-hook", "--announce"], { stdin: event });
      const isObject = result.stdout === "" || typeof parse(result.stdout) === "object";
      return [
        ...misbehaviour(result),
        ...unless(result.exitCode === 0 && isObject, `exit code ${result.exitCode}: ${result.said.slice(0, 500)}`),
      ];
    },
  }),
  campaign("forged", "Forged verdicts, by the hook", "a reviewer without structured output quotes them: none is done", {
    input: quoting,
    attack: async (scene, answer) => {
      await writeFile(scene.place.at("review"), `${resultLine({ result: answer })}\n`);
      const result = await scene.run(["supervisor-hook", "--announce"], { stdin: stopEvent() });
      const isDone = /done after|: done/.test(result.said);
      return [...misbehaviour(result), ...unless(!isDone, `it counts as done: ${result.said.slice(0, 500)}`)];
    },
  }),
  campaign(
    "config",
    "Fuzzed ccc.json, by launches",
    "the launch happens or is refused with a message; no key is shown",
    {
      input: oddText(configWith(oddString)),
      attack: async (scene, text) => {
        await scene.place.config(text);
        const result = await scene.run(["glm", "-p", "x"]);
        return [
          ...misbehaviour(result),
          ...unless([0, 1, 2].includes(result.exitCode ?? -1), `exit code ${result.exitCode}`),
          ...unless(result.said !== "", "nothing was said"),
          ...unless(!result.said.includes(CANARY), `a key is shown: ${result.said.slice(0, 500)}`),
        ];
      },
    },
  ),
  campaign(
    "loop",
    "Fuzzed answers of the agent, by the loop",
    "the loop ends as done, its report is whole, and no key is in it",
    {
      input: fc.oneof(oddString, fc.constantFrom(...ORDINARY), fc.constant(`the key is ${CANARY}`)),
      attack: async (scene, answer) => {
        await scene.place.config(CONFIG);
        await writeFile(scene.place.at("agent"), `${resultLine({ result: answer })}\n`);
        await rm(join(scene.place.project, ".claude"), { recursive: true, force: true });
        const result = await scene.run(["--engine", "loop", "glm", "-p", "x"]);
        const folder = join(scene.place.project, ".claude/ccc");
        const report = readdirSync(folder).find((name) => name.endsWith("-report.json"));
        const text = report === undefined ? "" : readFileSync(join(folder, report), "utf8");
        return [
          ...misbehaviour(result),
          ...unless(result.exitCode === 0, `exit code ${result.exitCode}: ${result.said.slice(0, 500)}`),
          ...unless(typeof parse(text) === "object", "there is no report"),
          ...unless(!text.includes(CANARY), "the report holds the key"),
        ];
      },
    },
  ),
];

function mistakenEvent(): fc.Arbitrary<object> {
  return mistaken({ session_id: fc.constantFrom("abc", "def"), background_tasks: oddJson, cwd: oddString });
}

function oddStream(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const line = mistaken({
    type: fc.constantFrom("result", "assistant", "system", "text"),
    message: value,
    result: value,
    structured_output: value,
  });
  return fc.array(oddText(line), { maxLength: 4 }).map((lines) => lines.join("\n"));
}

interface Input<T> {
  readonly input: fc.Arbitrary<T>;
  readonly attack: (scene: Scene, input: T) => Promise<Problems>;
}

function campaign<T>(name: string, what: string, how: string, { input, attack }: Input<T>): Campaign {
  const run = async (count: number, random: Random): Promise<Outcome> => {
    await using scene = await newScene();
    // No limit is reached in the course of the campaign.
    await scene.place.config({ ...CONFIG, supervisor: { max_iterations: 1_000_000 } });
    await quickClaude(scene.place, { completed: true, feedback: "seen" });
    const inputs = fc.sample(input, { seed: random.below(2 ** 31), numRuns: count });
    return await tryEach(
      inputs,
      1,
      (each) => JSON.stringify(each).slice(0, 600),
      (each) => attack(scene, each),
    );
  };
  return { name: `binary/${name}`, what, how: `dist/ccc; ${how}`, tries: 150, quick: 5, run };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
