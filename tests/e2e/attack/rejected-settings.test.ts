import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { settingsProblems } from "../../../src/claude/accepted-settings.ts";
import type { Json } from "../../../src/io/json.ts";
import { CLAUDE, newPlace, newSandbox, provider } from "../../harness.ts";

describe("a setting for which Claude Code would drop all of them is refused before the launch", () => {
  const someone = provider({ url: "http://127.0.0.1:9" }, "t");
  const table: [place: string, config: object][] = [
    ["providers.glm.permissions: must be an object", { providers: { glm: { ...someone, permissions: "bad" } } }],
    ["providers.glm.model: must be a string", { providers: { glm: { ...someone, model: 5 } } }],
    ["providers.kimi.hooks.Stop: must be a list", { providers: { glm: someone, kimi: { hooks: { Stop: {} } } } }],
    ["settings.cleanupPeriodDays: must be", { settings: { cleanupPeriodDays: "30" }, providers: { glm: someone } }],
  ];
  test.each(table)("%s", async (problem, config) => {
    await using place = await newPlace();
    await place.standIn("echo started");
    await place.config(config);
    const result = await place.ccc(["glm"]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain(`${place.at(".claude/ccc.json")} is not valid\n  ${problem}`);
  });

  test.each([
    ['{"permissions":"bad"}', "permissions: must be an object"],
    ['{"env":{"X":{}}}', "env.X: must be a string, a number or a boolean"],
    ["mine.json", "statusLine.type: is missing"],
  ])("--settings %s", async (given, problem) => {
    await using place = await newPlace();
    await place.standIn("echo started");
    await place.write(join(place.project, "mine.json"), { statusLine: { command: "x" } });
    await place.config({ providers: { glm: someone } });
    const result = await place.ccc(["glm", "--settings", given]);
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toStartWith(`ccc: --settings: ${problem}\n`);
  });
});

test("ccc and the real Claude Code are of one mind about settings", async () => {
  const samples: Json[] = [
    { permissions: "bad" },
    { permissions: { allow: "Bash" } },
    { permissions: { defaultMode: "acceptEdit" } },
    { permissions: { defaultMode: "acceptEdits", allow: ["Bash(ls:*)"], more: 1 } },
    { model: 5 },
    { model: null },
    { cleanupPeriodDays: 0 },
    { cleanupPeriodDays: 99, includeCoAuthoredBy: false, outputStyle: "default" },
    { statusLine: { command: "x" } },
    { enabledPlugins: { a: "yes" } },
    { enabledPlugins: { a: true }, disableAgentView: null },
    { sandbox: { excludedCommands: "bad" } },
    { verbose: "yes" },
    { effortLevel: "bad", theme: 5, unknown: [] },
  ];
  await using place = await newPlace();
  await using loaded = newSandbox();
  await using dropped = newSandbox();
  const file = join(place.bin, "settings.json");
  for (const settings of samples) {
    const before = loaded.received.length;
    await place.write(file, { ...settings, env: { ANTHROPIC_BASE_URL: loaded.url } });
    const env = { ...place.env, ANTHROPIC_BASE_URL: dropped.url, ANTHROPIC_AUTH_TOKEN: "t" };
    await Bun.spawn([CLAUDE, "--settings", file, "-p", "hi"], { cwd: place.project, env, stderr: "ignore" }).exited;
    const isLoaded = loaded.received.length > before;
    expect([settings, isLoaded]).toEqual([settings, settingsProblems(settings, "").length === 0]);
  }
  expect(dropped.received).not.toBeEmpty();
});
