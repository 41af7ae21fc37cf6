import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { askedProviders, timeoutIn } from "../../../src/commands/arguments.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { fakeWorld } from "../fakes.ts";

describe("the providers that a command is about", () => {
  const config = { current_provider: "kimi", providers: { glm: {}, kimi: {} } };
  const { world } = fakeWorld({ content: { "/home/u/.claude/ccc.json": JSON.stringify(config) } });
  const asked = (named: string | undefined, all: boolean) => askedProviders(loadConfig(world), named, all, world);

  test("are the named one, the one of this folder, or all", () => {
    expect(asked("glm", false)).toEqual(["glm"]);
    expect(asked(undefined, false)).toEqual(["kimi"]);
    expect(asked(undefined, true)).toEqual(["glm", "kimi"]);
  });

  test("cannot be all and one", () =>
    expect(() => asked("glm", true)).toThrow("--all cannot be combined with a provider"));

  test.each(["usage", "why", "validate"])("ccc %s without a provider is about the current one", async (command) => {
    const config = { current_provider: "login", providers: { glm: {}, login: {} } };
    const content = { "/home/u/.claude/ccc.json": JSON.stringify(config) };
    const { world, said } = fakeWorld({ argv: [command, "--json"], content });
    expect(await run(world)).not.toBe(2);
    expect(said.stdout).toContain('"login"');
    expect(said.stdout).not.toContain('"glm"');
  });
});

describe("--timeout", () => {
  test("is in seconds, up to an hour, and need not be given", () =>
    expect([undefined, "0.5", "1", "3600"].map(timeoutIn)).toEqual([undefined, 500, 1000, 3_600_000]));

  test.each(["0", "-1", "3601", "soon", ""])("%p is a usage error", (seconds) =>
    expect(() => timeoutIn(seconds)).toThrow("--timeout takes seconds, above 0 and up to 3600"),
  );
});
