import { describe, expect, test } from "bun:test";
import { checkConfigKeys, checkOwnPath, checkVersion } from "../../../../src/commands/doctor/setup.ts";
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

describe("checkConfigKeys", () => {
  const table: [keys: object, status: string, detail: string][] = [
    [{}, "ok", "1 provider"],
    [{ notes: 1 }, "warn", "1 provider; 1 unknown key: notes"],
    [{ notes: 1, team: 2 }, "warn", "1 provider; 2 unknown keys: notes, team"],
  ];
  for (const [keys, status, detail] of table)
    test(detail, () => {
      const content = { "/home/u/.claude/ccc.json": JSON.stringify({ ...keys, providers: { glm: {} } }) };
      expect(checkConfigKeys(loadConfig(fakeWorld({ content }).world))).toMatchObject({ status, detail });
    });
});
