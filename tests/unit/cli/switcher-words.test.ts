import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { switcherWords } from "../../../src/cli/switcher-words.ts";
import { isCommandName } from "../../../src/config/command-names.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = JSON.stringify({ providers: { glm: { env: { ANTHROPIC_AUTH_TOKEN: "k" } } } });

async function ccc(...argv: string[]) {
  const { world, said, ran } = fakeWorld({ argv, content: { "/home/u/.claude/ccc.json": CONFIG } });
  return { exitCode: await run(world), ...said, ran };
}

describe("a word that people expect to be a command", () => {
  test.each(Object.keys(switcherWords()))("%s runs nothing, and names the right one", async (word) => {
    const { exitCode, stderr, ran } = await ccc(word);
    expect({ exitCode, ran }).toEqual({ exitCode: 2, ran: [] });
    expect(stderr).toContain(`"${word}" is not a command of ccc`);
    expect(stderr).toContain(`put a provider before it: \`ccc glm ${word}\``);
  });

  const advised = Object.values(switcherWords()).flatMap((advice) => advice.match(/(?<=`ccc )[^`]+/g) ?? []);
  test.each([...new Set(advised)])("ccc %s exists", async (command) => {
    const [name = "", child = ""] = command.split(" ");
    if (!isCommandName(name)) return expect(["NAME", "auth", "--supervisor"]).toContain(name);
    const isChild = name === "provider";
    const { exitCode, stdout } = await ccc(...(isChild ? [name, child] : [name]), "--help");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(isChild ? child : name) });
    const options = command.match(/--[a-z-]+/g) ?? [];
    for (const option of options) expect(stdout).toContain(option);
  });

  test("after a provider it is claude's", async () => {
    expect((await ccc("glm", "list")).ran[0]?.args.at(-1)).toBe("list");
  });
});

test("ccc help provider list is the help of that command", async () => {
  expect((await ccc("help", "provider", "list")).stdout).toBe((await ccc("provider", "list", "--help")).stdout);
});
