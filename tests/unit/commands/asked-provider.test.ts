import { describe, expect, test } from "bun:test";
import { askedProviders } from "../../../src/commands/asked-provider.ts";
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
});
