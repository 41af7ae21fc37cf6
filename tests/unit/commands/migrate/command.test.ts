import { expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Ask } from "../../../../src/terminal/ask.ts";
import { fakeWorld } from "../../fakes.ts";

const SETTINGS = "/home/u/.claude/settings.json";
const env = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "a-key-of-some-length" };
const content = { [SETTINGS]: JSON.stringify({ env, theme: "dark" }) };

function atTerminal(answers: Partial<Ask>) {
  const { ask } = fakeWorld().world;
  return fakeWorld({ argv: ["migrate"], content, isTerminal: () => true, ask: { ...ask, ...answers } });
}

test("on a terminal it asks for the name and for confirmation", async () => {
  const asked: string[] = [];
  const { world, said, files } = atTerminal({
    text: async (_question, { preset = "", check } = {}) => {
      asked.push(preset, check?.("use") ?? "", check?.("work") ?? "fine");
      return "work";
    },
    confirm: async () => true,
  });
  expect(await run(world)).toBe(0);
  expect(asked).toEqual(["glm", "this word is a command of ccc", "fine"]);
  expect(said.stdout).toEndWith("Done. To start it: ccc work\n");
  expect(JSON.parse(files.content["/home/u/.claude/ccc.json"] ?? "").providers).toEqual({ work: { env } });
  expect(JSON.parse(files.content[SETTINGS] ?? "")).toEqual({ theme: "dark" });
});

test("the plan fits the terminal", async () => {
  const { world, said } = atTerminal({ text: async () => "work", confirm: async () => false });
  await run({ ...world, columns: () => 60 });
  expect(said.stdout).toContain("sets a provider.");
  expect(said.stdout.split("\n").filter((line) => line.length > 60)).toEqual([]);
});

test("nothing changes without confirmation", async () => {
  const { world, said, files } = atTerminal({ text: async () => "work", confirm: async () => false });
  const before = { ...files.content };
  expect(await run(world)).toBe(130);
  expect(said.stdout).toEndWith("Nothing was changed.\n");
  expect(files.content).toEqual(before);
});
