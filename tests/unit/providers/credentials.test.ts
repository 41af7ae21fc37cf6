import { describe, expect, test } from "bun:test";
import { resolvedIdentity } from "../../../src/providers/credentials.ts";
import { providerLaunch } from "../../../src/providers/provider-launch.ts";
import { fakeWorld } from "../fakes.ts";

const SERVER = { ANTHROPIC_BASE_URL: "https://glm.test" };

function resolved(env: Record<string, string>) {
  const { world } = fakeWorld({ env: { HOME: "/home/u", GLM: "the-key" } });
  const launch = providerLaunch({
    loaded: { config: {}, providers: new Map([["glm", { env: { ...SERVER, ...env } }]]) },
    provider: "glm",
    env: world.env,
    managed: [],
    writesKey: false,
    keyCommand: () => "",
  });
  return resolvedIdentity(launch, world);
}

describe("a request of ccc's own has the provider's key", () => {
  test.each(["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"])("in %s alone, if a reference is there", async (name) =>
    expect((await resolved({ [name]: "env:GLM" })).env).toEqual({ ...SERVER, [name]: "the-key" }),
  );
  test("as ccc.json has it, without a reference", async () => {
    const env = { ANTHROPIC_AUTH_TOKEN: "own", ANTHROPIC_API_KEY: "other" };
    expect((await resolved(env)).env).toEqual({ ...SERVER, ...env });
  });
  test("or is not sent, if the provider cannot be launched", async () => {
    await expect(resolved({})).rejects.toThrow("no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY");
    await expect(resolved({ ANTHROPIC_AUTH_TOKEN: "env:NONE" })).rejects.toThrow("NONE is not set");
  });
});
