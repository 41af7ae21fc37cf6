import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { fakeWorld } from "../../fakes.ts";

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
      "a shell that disables hooks",
      ["use", "--supervisor", "glm"],
      { content, env: { HOME: "/home/u", PATH: "/bin", CLAUDE_CODE_SIMPLE: "1" } },
      "CLAUDE_CODE_SIMPLE is set",
    ],
    [
      "a key that cannot be read",
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

test("the hook for editors gets the folder of ccc.json, and settings that do not apply are reported", async () => {
  const env = { HOME: "/home/u", PATH: "/bin", CCC_CONFIG_DIR: "/cfg" };
  const placed = { "/cfg/ccc.json": content["/home/u/.claude/ccc.json"] };
  const { world, said, files } = fakeWorld({ argv: ["use", "--supervisor", "glm"], content: placed, env });
  expect(await run(world)).toBe(0);
  expect(JSON.parse(files.content[SETTINGS] ?? "").env).toMatchObject({ CCC_CONFIG_DIR: "/cfg" });
  expect(Object.keys(files.content)).toContain("/home/u/.claude/ccc/use.json");
  expect(said.stderr).toContain("not to plain claude");
});

test("a key in a variable must be set wherever claude starts", async () => {
  const key = { env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY" } };
  const placed = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: key } }) };
  const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: "the-key-itself" };
  const { world, said, files } = fakeWorld({ argv: ["use", "glm"], content: placed, env });
  expect(await run(world)).toBe(0);
  expect(said.stderr).toContain("GLM_KEY must be set wherever claude is started");
  expect(JSON.stringify(files.content)).not.toContain("the-key-itself");
});

describe("ccc use reports", () => {
  test.each(["ANTHROPIC_UNIX_SOCKET", "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"])(
    "%s of the shell, which settings cannot cancel",
    async (name) => {
      const env = { HOME: "/home/u", PATH: "/bin", [name]: "1" };
      const { world, said } = fakeWorld({ argv: ["use", "glm"], content, env });
      expect(await run(world)).toBe(0);
      expect(said.stderr).toContain(`${name} is set in this shell, and settings.json cannot override it`);
    },
  );

  test("which file holds the key now, and what was replaced there", async () => {
    const before = { [SETTINGS]: JSON.stringify({ env: { ANTHROPIC_AUTH_TOKEN: "mine" } }) };
    const { world, said } = fakeWorld({ argv: ["use", "glm"], content: { ...content, ...before } });
    expect(await run(world)).toBe(0);
    expect(said.stderr).toContain(`ccc: replaced in ${SETTINGS} until \`ccc use --reset\`: env.ANTHROPIC_AUTH_TOKEN\n`);
    expect(said.stderr).toContain(
      `ccc: the key of glm is now in ${SETTINGS} and /home/u/.claude/ccc/use.json, readable only by you\n`,
    );
  });

  test("no key, if Claude Code asks for it", async () => {
    const key = { env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY", MAX_THINKING_TOKENS: "8000" } };
    const placed = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: key } }) };
    const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: "the-key-itself" };
    const { world, said } = fakeWorld({ argv: ["use", "glm"], content: placed, env });
    expect(await run(world)).toBe(0);
    expect(said.stderr).not.toContain("is now in");
  });

  test("what is in use, with the local time", async () => {
    const { world, files } = fakeWorld({ argv: ["use", "glm"], content });
    await run(world);
    const later = fakeWorld({ argv: ["use"], content: files.content });
    expect(await run(later.world)).toBe(0);
    const epoch = new Date(0);
    const day = [epoch.getFullYear(), epoch.getMonth() + 1, epoch.getDate()].map((part) =>
      String(part).padStart(2, "0"),
    );
    const time = [epoch.getHours(), epoch.getMinutes()].map((part) => String(part).padStart(2, "0"));
    expect(later.said.stdout).toBe(`Plain claude uses glm, since ${day.join("-")} ${time.join(":")} (${SETTINGS})\n`);
  });

  test("that nothing is in use", async () => {
    const { world, said } = fakeWorld({ argv: ["use"], content });
    expect(await run(world)).toBe(0);
    expect(said.stdout).toBe("Plain claude uses its own settings. To change that: ccc use <provider>\n");
  });

  test("how to add a provider that has a preset", async () => {
    for (const argv of [
      ["use", "kimi"],
      ["validate", "kimi"],
      ["why", "kimi"],
      ["provider", "show", "kimi"],
    ]) {
      const { world, said } = fakeWorld({ argv, content });
      expect(await run(world)).toBe(2);
      expect(said.stderr).toBe('ccc: unknown provider "kimi"\nYour providers: glm\nAdd it: ccc provider add kimi\n');
    }
  });
});
