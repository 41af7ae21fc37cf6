import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { fakeWorld } from "../../fakes.ts";

const USER = "/home/u/.claude/settings.json";
const PROJECT = "/project/.claude/settings.json";
const LOCAL = "/project/.claude/settings.local.json";
const wins = "which wins for plain claude in this folder; launches with ccc are not affected";

interface Case {
  readonly env?: Record<string, string>;
  readonly config?: Record<string, unknown>;
  readonly settings?: Record<string, unknown>;
  readonly args?: readonly string[];
}

/** What a switch to glm warns of. */
async function warnings({ env = {}, config = {}, settings = {}, args = [] }: Case): Promise<string[]> {
  const glm = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "t", ...env } };
  const content = {
    "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm }, ...config }),
    ...Object.fromEntries(Object.entries(settings).map(([path, json]) => [path, JSON.stringify(json)])),
  };
  const shell = { HOME: "/home/u", PATH: "/bin", OUTPUT: "64000", ADDRESS: "https://glm.test" };
  const { world, said } = fakeWorld({ argv: ["use", ...args, "glm"], content, env: shell });
  expect(await run(world)).toBe(0);
  return said.stderr.match(/(?<=^ccc: warning: ).*/gm) ?? [];
}

describe("a switch warns of what will differ from a launch with ccc:", () => {
  const table: [name: string, of: Case, says: string[]][] = [
    ["nothing", {}, []],
    [
      "values of today, each once",
      {
        env: { ANTHROPIC_BASE_URL: "${ADDRESS}", MAX: "${OUTPUT}" },
        config: { settings: { env: { MORE: "${OUTPUT}" } } },
      },
      [
        "the current value of OUTPUT is written to the file; if it changes, run this again",
        "the current value of ADDRESS is written to the file; if it changes, run this again",
      ],
    ],
    [
      "settings of the folder that win",
      {
        settings: {
          [PROJECT]: { env: { ANTHROPIC_MODEL: "m", MY_OWN: "1" } },
          [LOCAL]: { env: { ANTHROPIC_API_KEY: "k" }, apiKeyHelper: "print" },
        },
      },
      [`${PROJECT} sets ANTHROPIC_MODEL, ${wins}`, `${LOCAL} sets ANTHROPIC_API_KEY, apiKeyHelper, ${wins}`],
    ],
    [
      "not of settings that have nothing to do with providers, nor of the file that is changed",
      { settings: { [USER]: { env: { ANTHROPIC_MODEL: "m" } }, [PROJECT]: { env: { MY_OWN: "1" } } } },
      [],
    ],
    ["not of hooks, without reviews", { settings: { [PROJECT]: { disableAllHooks: true } } }, []],
  ];
  for (const [name, of, says] of table) test(name, async () => expect(await warnings(of)).toEqual(says));

  test("folders in which it cannot enforce reviews", async () => {
    const of = { args: ["--supervisor"], settings: { [USER]: { disableAllHooks: true }, [PROJECT]: {} } };
    const always = "a project's settings can disable these reviews, but not those of `ccc --supervisor`";
    const about = (said: string[]) => said.filter((line) => /hooks|can disable/.test(line));
    expect(about(await warnings(of))).toEqual([always]);
    const forbidden = { ...of, settings: { ...of.settings, [PROJECT]: { disableAllHooks: true } } };
    expect(about(await warnings(forbidden))).toEqual([
      `${PROJECT} disables hooks: plain claude is not reviewed in this folder`,
      always,
    ]);
  });
});
