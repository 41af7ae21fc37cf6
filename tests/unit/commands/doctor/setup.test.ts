import { describe, expect, test } from "bun:test";
import { readLayers } from "../../../../src/claude/layers.ts";
import { run } from "../../../../src/cli/run.ts";
import {
  checkConfigKeys,
  checkConflicts,
  checkOwnPath,
  checkPresets,
  checkUse,
  checkVersion,
} from "../../../../src/commands/doctor/setup.ts";
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

const CONFIG = "/home/u/.claude/ccc.json";
const SETTINGS = "/home/u/.claude/settings.json";

describe("checkPresets", () => {
  const url = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "k" };
  const behind = {
    env: { ...url, ANTHROPIC_DEFAULT_OPUS_MODEL: "glm-4" },
    preset: { name: "glm", as_of: "2026-01-01", env: { ANTHROPIC_DEFAULT_OPUS_MODEL: "glm-4" } },
  };
  const guessed = { env: behind.env };
  const other = { env: { ...url, ANTHROPIC_BASE_URL: "https://x.test" } };
  const check = (providers: object, only?: string) =>
    checkPresets(loadConfig(fakeWorld({ content: { [CONFIG]: JSON.stringify({ providers }) } }).world), only);
  const FINE = { status: "ok" as const, detail: "no provider is behind its preset" };

  test("is fine without presets, and leaves guesses alone", () =>
    expect(check({ other, guessed })).toMatchObject(FINE));

  test("names what is behind, and how to update it", () => {
    expect(check({ other, behind })).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/^behind: the preset has changed/),
      advice: expect.stringMatching(/ccc provider update behind$/),
    });
    expect(check({ behind, more: behind })).toMatchObject({
      detail: expect.stringMatching(/^behind, more: /),
      advice: expect.stringMatching(/ccc provider update --all$/),
    });
  });

  test("looks at one provider only, if asked to", () => {
    expect(check({ behind, other }, "other")).toMatchObject(FINE);
    expect(check({ behind, more: behind }, "more").detail).toMatch(/^more: /);
  });
});

describe("checkConflicts", () => {
  const check = (env: Record<string, string>, content: Record<string, string> = {}) => {
    const { world } = fakeWorld({ env: { HOME: "/home/u", PATH: "/bin", ...env }, content });
    return checkConflicts(readLayers(world.files, world), world.env, world);
  };

  test("is fine if nothing else names a provider", () =>
    expect(check({ ANTHROPIC_API_KEY: "" }, { [SETTINGS]: '{"env":{"MINE":"1"}}' })).toMatchObject({
      status: "ok",
      detail: "none",
    }));

  const table: [name: string, env: Record<string, string>, content: Record<string, string>, detail: string][] = [
    ["a shell", { ANTHROPIC_API_KEY: "k" }, {}, "ANTHROPIC_API_KEY in the shell"],
    ["settings", {}, { [SETTINGS]: '{"env":{"ANTHROPIC_MODEL":"m"}}' }, `ANTHROPIC_MODEL in ${SETTINGS}`],
    ["a helper", {}, { [SETTINGS]: '{"apiKeyHelper":"x"}' }, `apiKeyHelper in ${SETTINGS}`],
    ["a login", {}, { "/home/u/.claude.json": '{"primaryApiKey":"k"}' }, "an API key stored by a login"],
  ];
  for (const [name, env, content, detail] of table)
    test(`names what ${name} has`, () => expect(check(env, content)).toMatchObject({ status: "warn", detail }));
});

describe("checkUse", () => {
  const glm = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "k" } };
  const config = (providers: object) => ({ [CONFIG]: JSON.stringify({ providers }) });

  /** Checks after `ccc use` with these arguments, and after changes to the files. */
  async function check(args: string[], changes: Record<string, string> = {}) {
    const { world, files } = fakeWorld({ argv: ["use", ...args], content: config({ glm }) });
    expect(await run(world)).toBe(0);
    const later = fakeWorld({ content: { ...files.content, ...changes } }).world;
    return checkUse(later, loadConfig(later));
  }

  test("says what plain claude uses", async () => {
    expect(await check([])).toMatchObject({ status: "ok", detail: "not in use" });
    expect(await check(["glm"])).toMatchObject({ status: "ok", detail: "plain claude uses glm" });
    expect(await check(["--supervisor", "glm"])).toMatchObject({ detail: "plain claude uses glm, supervised" });
  });

  test("fails for a provider that is gone", async () =>
    expect(await check(["glm"], config({ other: glm }))).toMatchObject({
      status: "fail",
      detail: "plain claude uses glm, which is no longer in ccc.json",
      advice: "ccc use --reset",
    }));

  test("warns of a settings.json that says something else now", async () => {
    const changes = { [SETTINGS]: "{}" };
    expect(await check(["glm"], changes)).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/^settings\.json no longer says what ccc put there for glm: env\./),
      advice: "ccc use glm, or ccc use --reset",
    });
    expect((await check(["--supervisor", "glm"], changes)).advice).toBe("ccc use --supervisor glm, or ccc use --reset");
  });

  test("warns of a single value, too", async () => {
    const { world, files } = fakeWorld({ argv: ["use", "glm"], content: config({ glm }) });
    await run(world);
    const text = (files.content[SETTINGS] ?? "").replace("https://glm.test", "https://other.test");
    expect((await check(["glm"], { [SETTINGS]: text })).detail).toEndWith(" glm: env.ANTHROPIC_BASE_URL");
  });
});
