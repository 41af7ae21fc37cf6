import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";
import { scriptedAsk } from "./scripted-ask.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const SETTINGS = "/home/u/.claude/settings.json";
const NONE = `ccc: ${CONFIG} has no provider yet\n`;
const MIGRATE = "ccc: your settings.json already has a provider; to use it with ccc: ccc migrate\n";
const ADDED = { "API key": "sk-0123456789abcdef", "full system prompt": "" };

async function first(
  argv: string[],
  answers: Parameters<typeof scriptedAsk>[0] = {},
  parts: Partial<World> = {},
  content: Record<string, string> = {},
) {
  const { ask, said: asked } = scriptedAsk(answers);
  const { world, said, ran, files } = fakeWorld({
    argv,
    content,
    isTerminal: () => true,
    ask,
    fetch: async () => Response.json({ type: "message", content: [] }),
    ...parts,
  });
  const exitCode = await run(world);
  const { providers } = JSON.parse(files.read(CONFIG) ?? "{}");
  return { exitCode, ...said, asked, providers, ran: ran.map(({ file }) => file) };
}

describe("on a new machine, at a terminal,", () => {
  test("ccc offers to add a provider, and starts it", async () => {
    const found = await first([], { "Add one now?": "", "Provider (": "glm", Name: "", ...ADDED });
    expect(found).toMatchObject({ exitCode: 0, ran: ["/bin/claude"] });
    expect(Object.keys(found.providers)).toEqual(["glm"]);
    expect(found.stderr).toStartWith(NONE);
    expect(found.stderr).toContain("ccc: starting glm; next time: ccc glm\n");
    expect(found.stderr).not.toContain(MIGRATE);
  });

  test("the name of a preset says which one, also after options", async () => {
    for (const argv of [["kimi"], ["--supervisor", "kimi"]]) {
      const { asked } = await first(argv, { "Set up kimi (": "yes", ...ADDED });
      expect(asked[0]).toStartWith("Set up kimi (");
      expect(asked[1]).toBe("API key (hidden):");
    }
  });

  test("what another ccc has added meanwhile is not replaced", async () => {
    const theirs = JSON.stringify({ providers: { glm: { env: { ANTHROPIC_MODEL: "theirs" } } } });
    const files = memoryFiles({ "/bin/claude": "claude", "/self/ccc": "ccc" });
    const fetch = async () => {
      files.writePrivate(CONFIG, theirs);
      return Response.json({ type: "message", content: [] });
    };
    const found = await first(["glm"], { "Set up glm (": "yes", ...ADDED }, { files, fetch });
    expect(found).toMatchObject({ exitCode: 1, ran: [] });
    expect(found.stderr).toContain('provider "glm" already exists; nothing was changed');
    expect(files.read(CONFIG)).toBe(theirs);
  });

  test("nothing happens to a user who declines", async () => {
    const found = await first([], { "Add one now?": "no" });
    expect(found).toMatchObject({ exitCode: 1, ran: [], providers: undefined });
    expect(found.stderr).toEndWith("ccc: nothing was changed\nTo add a provider later: ccc provider add\n");
  });

  test("nothing is asked if there is no claude to start", async () => {
    const found = await first([], {}, { env: { HOME: "/home/u", PATH: "/nowhere" } });
    expect(found).toMatchObject({ asked: [], ran: [], providers: undefined });
    expect(found.exitCode).not.toBe(0);
  });

  describe("a provider in settings.json is pointed out:", () => {
    const table: [name: string, env: object, isOne: boolean][] = [
      ["a server", { ANTHROPIC_BASE_URL: "https://glm.test" }, true],
      ["a key", { MINE: "1", ANTHROPIC_API_KEY: "k" }, true],
      ["not a model", { ANTHROPIC_MODEL: "opus" }, false],
      ["not a blank", { ANTHROPIC_API_KEY: "" }, false],
      ["not a variable of the user's own", { MINE: "1" }, false],
    ];
    for (const [name, env, isOne] of table)
      test(name, async () => {
        const content = { [SETTINGS]: JSON.stringify({ env }) };
        const { stderr } = await first([], { "Add one now?": "no" }, {}, content);
        expect(stderr.startsWith(NONE + MIGRATE)).toBe(isOne);
      });
  });
});

describe("nothing is offered", () => {
  const table: [name: string, argv: string[], parts: Partial<World>][] = [
    ["without a terminal", [], { isTerminal: () => false }],
    ["to a command that does not start claude", ["validate"], {}],
  ];
  for (const [name, argv, parts] of table)
    test(name, async () => {
      const found = await first(argv, {}, parts);
      expect(found).toMatchObject({ asked: [], ran: [], providers: undefined });
      expect(found.exitCode).not.toBe(0);
      expect(found.stderr).toContain("ccc provider add");
    });
});
