import { describe, expect, test } from "bun:test";
import { type RealParts, realWorld, type WorldParts } from "../../../src/entry/world.ts";
import { windowsEnvironment } from "../../../src/world.ts";

/** The world of a process like this. */
function worldOf(given: Partial<NodeJS.Process>, parts: Partial<RealParts> = {}) {
  const host = {
    argv: ["bun", "/$bunfs/root/ccc", "glm", "-p"],
    argv0: "ccc",
    execPath: "/opt/ccc",
    env: {},
    cwd: () => "/project",
    platform: "linux",
    pid: 42,
    ...given,
  } as NodeJS.Process;
  return realWorld(host, { exec: unused, handOver: unused, late: unused, ...parts });
}

function unused(): never {
  throw new Error("loaded for nothing");
}

test("a plain launch loads nothing late", () => {
  const { argv, env, cwd, name, self } = worldOf({ env: { HOME: "/home/u" } });
  expect({ argv, env, cwd, name, self }).toEqual({
    argv: ["glm", "-p"],
    env: { HOME: "/home/u" },
    cwd: "/project",
    name: "ccc",
    self: "/opt/ccc",
  });
});

test("the name that a script says is no argument", () => {
  const { argv, name } = worldOf({ argv: ["bun", "/$bunfs/root/ccc", "--as=glm", "-p", "--as=kimi"] });
  expect({ argv, name }).toEqual({ argv: ["-p", "--as=kimi"], name: "ccc-glm" });
});

describe("CCC_CONFIG_DIR, since programs that ccc starts may run in another folder,", () => {
  test.each([
    ["is made absolute", "config", "/project/config"],
    ["is kept if it is", "/config", "/config"],
    ["is kept if it is empty", "", ""],
  ])("%s", (_, given, expected) =>
    expect(worldOf({ env: { CCC_CONFIG_DIR: given } }).env.CCC_CONFIG_DIR).toBe(expected),
  );

  test("is not invented", () => expect(worldOf({ env: {} }).env).not.toHaveProperty("CCC_CONFIG_DIR"));
});

test("on Windows, the case of a variable's name does not count", () => {
  const { env } = worldOf(
    { platform: "win32", env: { Path: "C:\\bin" } },
    { late: () => ({ windowsEnvironment }) as WorldParts },
  );
  expect(env.PATH).toBe("C:\\bin");
});
