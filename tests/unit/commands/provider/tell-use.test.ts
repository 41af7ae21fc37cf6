import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { fakeWorld } from "../../fakes.ts";

const GLM = {
  env: { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "old", OLD: "1" },
  preset: { name: "glm", as_of: "2025-01-01", env: { OLD: "1" } },
};
const RECORD = { version: 1, supervised: false, since: "", settings: "", original: null, states: [] };

async function changed(argv: readonly string[], used: string): Promise<string> {
  const content = {
    "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: GLM } }),
    "/home/u/.claude/ccc/use.json": JSON.stringify({ ...RECORD, provider: used }),
  };
  const { world, said } = fakeWorld({ argv: ["provider", ...argv], content, stdin: () => "new-key\n" });
  expect(await run(world)).toBe(0);
  return said.stderr;
}

describe("a change of the provider that plain claude uses says how to pass it on:", () => {
  const commands = [
    ["set-key", "glm", "--token-stdin", "--store", "file"],
    ["add", "glm", "--token-stdin", "--store", "file", "--replace"],
    ["update", "glm", "--yes"],
  ];
  test.each(commands)("%s", async (...argv) => {
    expect(await changed(argv, "glm")).toContain('plain claude uses "glm", too; to update it: ccc use glm\n');
    expect(await changed(argv, "other")).not.toContain("plain claude");
  });
});
