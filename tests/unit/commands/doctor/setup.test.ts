import { describe, expect, test } from "bun:test";
import { checkOwnPath, checkProviders, checkVersion } from "../../../../src/commands/doctor/setup.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { fakeWorld } from "../../fakes.ts";

describe("checkOwnPath", () => {
  test("a permanent folder is fine", () => expect(checkOwnPath("/usr/local/bin/ccc", {}).status).toBe("ok"));
  test("a temporary one is not", () => expect(checkOwnPath("/tmp/x/ccc", {}).status).toBe("warn"));
  test("nor is one that TMPDIR says is temporary", () =>
    expect(checkOwnPath("/scratch/ccc", { TMPDIR: "/scratch" }).status).toBe("warn"));
});

describe("checkVersion", () => {
  const table: [version: string | undefined, status: string][] = [
    ["2.0.77", "ok"],
    ["2.1.325", "ok"],
    ["2.0.76", "fail"],
    ["1.0.128", "fail"],
    ["2.1.400", "warn"],
    [undefined, "warn"],
  ];
  for (const [version, status] of table)
    test(`${version}: ${status}`, () => expect(checkVersion("/c", version).status).toBe(status as "ok"));
});

test("checkProviders names the servers of a provider without an address", async () => {
  const providers = { login: null, bedrock: { env: { CLAUDE_CODE_USE_BEDROCK: "1" } } };
  const { world } = fakeWorld({ content: { "/home/u/.claude/ccc.json": JSON.stringify({ providers }) } });
  const loaded = loadConfig(world);
  const checks = await Array.fromAsync(checkProviders(loaded, undefined, world));
  expect(checks.map(({ name, detail }) => [name, detail])).toEqual([
    ["provider login", "Anthropic"],
    ["provider bedrock", "AWS"],
  ]);
});
