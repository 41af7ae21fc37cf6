import { expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { everyValue } from "../../../src/commands/shared-arguments.ts";
import { fakeWorld } from "../fakes.ts";

test.each([
  [[], []],
  [["id", "--json"], []],
  [
    ["--check", "a b", "--json", "--check=c", "id"],
    ["a b", "c"],
  ],
  [["--model", "m", "--check", "--odd"], ["--odd"]],
])("%p", (words, wanted) => expect(everyValue(words, "check")).toEqual(wanted));

test.each(["usage", "why", "validate"])("ccc %s without a provider is about the current one", async (command) => {
  const config = { current_provider: "login", providers: { glm: {}, login: {} } };
  const content = { "/home/u/.claude/ccc.json": JSON.stringify(config) };
  const { world, said } = fakeWorld({ argv: [command, "--json"], content });
  expect(await run(world)).not.toBe(2);
  expect(said.stdout).toContain('"login"');
  expect(said.stdout).not.toContain('"glm"');
});
