import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../src/config/ccc-paths.ts";
import { needsProof } from "../../../src/launch/loaded-settings.ts";
import { planLaunch } from "../../../src/launch/plan.ts";
import { proveSettings } from "../../../src/launch/prove-settings.ts";
import { GUARD } from "../../../src/providers/isolate.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";
import { type Given, SERVER, situationOf } from "./plan-case.ts";

const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
const LOADED = '{ "authMethod": "api_key_helper",\n"apiKeySource": "apiKeyHelper" }';
const DROPPED = '{ "authMethod": "claude.ai" }';

/** Settings of the user's own beside the provider's. */
const OWN: Given = { glm: { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "t" }, model: "opus" } };

/** A claude of this version that answers so. Lists what it was asked. */
function machine(version: string, status: string, complaint = "") {
  const asked: string[] = [];
  const content: Record<string, string | null> = { "/bin/claude": "program" };
  const run: World["run"] = async ({ program, onLine }) => {
    const isVersion = program.args[0] === "--version";
    if (!isVersion) asked.push(program.args.slice(4).join(" "));
    const answer = isVersion ? version : program.args.includes("status") ? status : "";
    answer.split("\n").some((line) => onLine(new TextEncoder().encode(line)));
    return { exitCode: 0, ending: "exited", stderr: complaint };
  };
  return { asked, ...fakeWorld({ content, run }) };
}

describe("Claude Code is asked whether it loads", () => {
  const table: [what: string, given: Given, isAsked: boolean][] = [
    ["settings of the user's own", OWN, true],
    ["nothing where there is only what ccc writes", {}, false],
    ["nothing for a provider that uses the login", { glm: { model: "opus" } }, false],
    ["nothing for a command without settings", { ...OWN, args: ["attach", "7"] }, false],
    ["--settings", { args: ["--settings", '{"model":"m"}'] }, true],
  ];
  for (const [what, given, isAsked] of table)
    test(what, () => {
      const plan = planLaunch(situationOf(given));
      expect(needsProof(plan, plan, machine("", "").world, PATHS)).toBe(isAsked);
    });
});

test("settings that it loads are launched as planned, and it is not asked about them again", async () => {
  const { world, asked, files } = machine("2.1.325", LOADED);
  const plan = planLaunch(situationOf(OWN));
  expect(await proveSettings(plan, world, PATHS)).toEqual(plan);
  expect(asked).toEqual(["auth status --json"]);
  expect(needsProof(plan, plan, world, PATHS)).toBe(false);
  const other = planLaunch(situationOf({ glm: { ...OWN.glm, model: "sonnet" } }));
  expect(needsProof(other, other, world, PATHS)).toBe(true);
  files.content["/bin/claude"] = "another program";
  expect(needsProof(plan, plan, world, PATHS)).toBe(true);
});

test("settings that it drops are refused, in its own words", async () => {
  const plan = planLaunch(situationOf(OWN));
  const complaint = `These settings files did not load:\n  ${plan.settings.agent.path} (model): Expected string\n`;
  const { world, asked } = machine("2.1.325", DROPPED, complaint);
  await expect(proveSettings(plan, world, PATHS)).rejects.toThrow(
    'Claude Code does not load the settings of provider "glm": (model): Expected string',
  );

  expect(needsProof(plan, plan, world, PATHS)).toBe(true);
  expect(asked).toEqual(["auth status --json", "-p hi"]);
});

describe("a claude that cannot tell gets an environment in which it goes nowhere without its settings", () => {
  for (const [name, version, status] of [
    ["an old one", "2.0.77", LOADED],
    ["one without a version", "?", LOADED],
    ["one that says something else", "2.1.325", "Welcome!"],
  ] as const)
    test(name, async () => {
      const { world } = machine(version, status);
      const plan = planLaunch(situationOf(OWN));
      expect(await proveSettings(plan, world, PATHS)).toEqual({ ...plan, set: GUARD });
    });
});
