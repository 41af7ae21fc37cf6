import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { settingsChecker } from "../../../src/claude/accepted-settings.ts";
import { isHelperLoaded, statusArguments } from "../../../src/claude/asked.ts";
import { GUARD } from "../../../src/providers/isolation.ts";
import type { Json } from "../../../src/text/json.ts";
import { CLAUDE, newPlace, newSandbox, provider, SUBSCRIPTION } from "../../harness.ts";
import { blockingProxy } from "../../proxy.ts";

describe("an invalid setting, for which Claude Code would drop the whole file, is refused before the launch", () => {
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

test("ccc and the real Claude Code reject the same settings", async () => {
  const samples: Json[] = [
    { permissions: "bad" },
    { permissions: { allow: "Bash" } },
    { permissions: { defaultMode: "acceptEdit" } },
    { model: 5 },
    { model: null },
    { cleanupPeriodDays: 0 },
    { statusLine: { command: "x" } },
    { enabledPlugins: { a: "yes" } },
    { sandbox: { excludedCommands: "bad" } },
    { verbose: "yes" },
    {
      permissions: { defaultMode: "acceptEdits", allow: ["Bash(ls:*)"], more: 1 },
      disableAgentView: null,
      cleanupPeriodDays: 99,
      includeCoAuthoredBy: false,
      outputStyle: "default",
      enabledPlugins: { a: true },
      effortLevel: "bad",
      theme: 5,
      unknown: [],
    },
  ];
  await using place = await newPlace();
  const file = join(place.bin, "settings.json");
  for (const settings of samples) {
    await place.write(file, { ...settings, apiKeyHelper: "echo key" });
    const { stdout } = await place.ccc(statusArguments(file), { ccc: CLAUDE });
    const isAccepted = settingsChecker()(settings, "").length === 0;
    expect([settings, isHelperLoaded(stdout)]).toEqual([settings, isAccepted]);
  }
});

/** Passes ccc's checks, which do not cover plugin sources, but not Claude Code's. */
const UNSEEN = { extraKnownMarketplaces: { mine: { source: { source: "none such" } } } };

describe("if Claude Code still drops the settings of a -p, no key or login reaches any server", () => {
  const users: [name: string, settings: object][] = [
    ["a stored login", {}],
    ["a key of the user's own", { env: { ANTHROPIC_API_KEY: "key-of-the-user" } }],
    ["a token of the user's own", { env: { ANTHROPIC_AUTH_TOKEN: "token-of-the-user" } }],
    ["headers of the user's own", { env: { ANTHROPIC_CUSTOM_HEADERS: "x-api-key: key-of-the-user" } }],
    ["a helper of the user's own", { apiKeyHelper: "echo key-of-the-user" }],
  ];
  test.each(users)("beside %s", async (_, settings) => {
    await using place = await newPlace();
    await using server = newSandbox();
    await using proxy = await blockingProxy();
    await place.write(place.at(".claude/.credentials.json"), SUBSCRIPTION);
    await place.write(place.at(".claude/settings.json"), settings);
    await place.config({ providers: { glm: provider(server, "key-of-the-provider") } });
    // ccc would refuse the launch, so this starts claude as ccc would.
    await place.standIn('env; cat "$2"');
    const started = (await place.ccc(["glm", "-p", "hi"])).stdout;
    const guard = Object.entries(GUARD);
    expect(started.split("\n")).toEqual(expect.arrayContaining(guard.map(([name, value]) => `${name}=${value}`)));
    const file = join(place.bin, "settings.json");
    await place.write(file, { ...JSON.parse(started.slice(started.indexOf("\n{"))), ...UNSEEN });
    const { stderr, exited } = Bun.spawn([CLAUDE, "--settings", file, "-p", "hi"], {
      cwd: place.project,
      env: { ...place.env, ...GUARD, HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1,.invalid" },
      stderr: "pipe",
    });
    expect(await stderr.text()).toContain("did not load");
    await exited;
    expect(proxy.asked.join()).not.toContain("anthropic");
    expect(server.headers).toBeEmpty();
  });
});
