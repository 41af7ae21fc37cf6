import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { CONFIG, fuzzingBinary } from "./binary.ts";
import { type Campaign, unless } from "./campaign.ts";
import { parseOrUndefined } from "./checks.ts";
import { CANARY, oddString, oddText } from "./odd.ts";
import { configWith } from "./odd-config.ts";
import { misbehavior } from "./scene.ts";
import { resultLine } from "./stand-in.ts";

const CONFIGS = fuzzingBinary(
  "config",
  "Fuzzed ccc.json, in launches",
  "the launch works or is refused with a message; no key is shown",
  {
    input: oddText(configWith(oddString)),
    attack: async (scene, text) => {
      await scene.place.config(text);
      const result = await scene.run(["glm", "-p", "x"]);
      return [
        ...misbehavior(result),
        ...unless([0, 1, 2].includes(result.exitCode ?? -1), `exit code ${result.exitCode}`),
        ...unless(result.said !== "", "there is no output"),
        ...unless(!result.said.includes(CANARY), `a key is shown: ${result.said.slice(0, 500)}`),
      ];
    },
  },
);

/** What an operating system accepts as an argument. */
const argument = oddString
  .filter((text) => text.length < 1_000 && !text.includes("\0"))
  .map((text) => text.toWellFormed());

const ARGUMENTS = fuzzingBinary(
  "route",
  "Fuzzed command lines, in launches",
  "claude gets all arguments after the provider, byte for byte",
  {
    input: fc.array(fc.oneof(argument, fc.constantFrom("-p", "--resume", "--", "-c", "--help", "use")), {
      maxLength: 6,
    }),
    attack: async (scene, words) => {
      const path = scene.place.at("arguments");
      rmSync(path, { force: true });
      const result = await scene.run(["glm", ...words]);
      const got = existsSync(path) ? readFileSync(path, "utf8").split("\0").slice(0, -1) : undefined;
      const isRefused = got === undefined && result.exitCode !== 0 && result.stderr !== "";
      const isPassedOn = words.length === 0 || Bun.deepEquals(got?.slice(-words.length), words);
      return [...misbehavior(result), ...unless(isRefused || isPassedOn, `claude got ${JSON.stringify(got)}`)];
    },
  },
);

/** Ordinary text with quotes, URLs and headers. */
const ORDINARY = [
  'Open "https://example.com/?page=2"',
  '{"Authorization": "Bearer abc"}',
  "curl -H 'Authorization: Bearer abc' 'https://user:pass@example.com/?a=1&b=2'",
  '"Authorization: Basic dXNlcjpwYXNz", then \\"quoted\\" and \\u0041',
] as const;

const LOOP = fuzzingBinary(
  "loop",
  "Fuzzed answers of the agent, in the loop",
  "the loop ends with exit code 0 and a valid report without keys",
  {
    input: fc.oneof(oddString, fc.constantFrom(...ORDINARY), fc.constant(`the key is ${CANARY}`)),
    attack: async (scene, answer) => {
      const { place } = scene;
      await place.config(CONFIG);
      await writeFile(place.at("agent"), `${resultLine({ result: answer })}\n`);
      rmSync(join(place.project, ".claude"), { recursive: true, force: true });
      const result = await scene.run(["--engine", "loop", "glm", "-p", "x"]);
      const folder = join(place.project, ".claude/ccc");
      const report = readdirSync(folder).find((name) => name.endsWith("-report.json"));
      const text = report === undefined ? "" : readFileSync(join(folder, report), "utf8");
      return [
        ...misbehavior(result),
        ...unless(result.exitCode === 0, `exit code ${result.exitCode}: ${result.said.slice(0, 500)}`),
        ...unless(typeof parseOrUndefined(text) === "object", "there is no valid report"),
        ...unless(!text.includes(CANARY), "the report contains the key"),
      ];
    },
  },
);

export const BINARY_LAUNCH: readonly Campaign[] = [CONFIGS, ARGUMENTS, LOOP];
