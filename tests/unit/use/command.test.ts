import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { fakeWorld } from "../fakes.ts";

const SETTINGS = "/home/u/.claude/settings.json";
const glm = { env: { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "t" } };
const content = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm }, claude_args: ["--verbose"] }) };

describe("ccc use refuses what a launch would refuse", () => {
  const policy = "/etc/claude-code/managed-settings.json";
  const table: [name: string, args: string[], parts: Parameters<typeof fakeWorld>[0], says: string][] = [
    [
      "a policy that diverts keys",
      ["use", "glm"],
      { content: { ...content, [policy]: JSON.stringify({ env: { ANTHROPIC_BASE_URL: "https://gateway" } }) } },
      "your organization's policy sets ANTHROPIC_BASE_URL",
    ],
    [
      "a policy that allows no hooks",
      ["use", "--supervisor", "glm"],
      { content: { ...content, [policy]: JSON.stringify({ allowManagedHooksOnly: true }) } },
      "supervision cannot work",
    ],
    [
      "a shell in which no hook runs",
      ["use", "--supervisor", "glm"],
      { content, env: { HOME: "/home/u", PATH: "/bin", CLAUDE_CODE_SIMPLE: "1" } },
      "CLAUDE_CODE_SIMPLE is set",
    ],
    [
      "a key that cannot be had",
      ["use", "glm"],
      {
        content: {
          "/home/u/.claude/ccc.json": JSON.stringify({
            providers: { glm: { env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "env:NO_SUCH" } } },
          }),
        },
      },
      "NO_SUCH is not set",
    ],
  ];
  for (const [name, argv, parts, says] of table) {
    test(name, async () => {
      const { world, said, files } = fakeWorld({ argv, ...parts });
      expect(await run(world)).toBe(1);
      expect(said.stderr).toContain(says);
      expect(Object.keys(files.content)).not.toContain(SETTINGS);
    });
  }
});

test("a hook for editors knows the folder of ccc.json, and what settings.json cannot hold is told", async () => {
  const env = { HOME: "/home/u", PATH: "/bin", CCC_CONFIG_DIR: "/cfg" };
  const placed = { "/cfg/ccc.json": content["/home/u/.claude/ccc.json"] };
  const { world, said, files } = fakeWorld({ argv: ["use", "--supervisor", "glm"], content: placed, env });
  expect(await run(world)).toBe(0);
  expect(JSON.parse(files.content[SETTINGS] ?? "").env).toMatchObject({ CCC_CONFIG_DIR: "/cfg" });
  expect(Object.keys(files.content)).toContain("/home/u/.claude/ccc/use.json");
  expect(said.stderr).toContain("plain claude does not get them");
});

test("a key in a variable has to be set wherever claude starts", async () => {
  const key = { env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY" } };
  const placed = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: key } }) };
  const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: "the-key-itself" };
  const { world, said, files } = fakeWorld({ argv: ["use", "glm"], content: placed, env });
  expect(await run(world)).toBe(0);
  expect(said.stderr).toContain("GLM_KEY has to be set wherever claude is started");
  expect(JSON.stringify(files.content)).not.toContain("the-key-itself");
});
