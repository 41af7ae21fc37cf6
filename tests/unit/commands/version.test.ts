import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const linux = { commit: COMMIT, arch: "x64", libc: "glibc", bun: "1.4.4" } as const;

async function ccc(argv: string[], build = linux as ReturnType<World["build"]>, platform: NodeJS.Platform = "linux") {
  const { world, said } = fakeWorld({ argv, platform, build: () => build });
  return { exitCode: await run(world), ...said };
}

describe("ccc --version", () => {
  const table: [build: ReturnType<World["build"]>, platform: NodeJS.Platform, says: string][] = [
    [linux, "linux", "0123456, linux-x64, Bun 1.4.4"],
    [{ ...linux, libc: "musl" }, "linux", "0123456, linux-x64-musl, Bun 1.4.4"],
    [{ ...linux, arch: "arm64", libc: null }, "darwin", "0123456, darwin-arm64, Bun 1.4.4"],
    [{ ...linux, libc: null }, "win32", "0123456, windows-x64, Bun 1.4.4"],
    [{ ...linux, commit: `${COMMIT}-dirty` }, "linux", "0123456-dirty, linux-x64, Bun 1.4.4"],
    [{ ...linux, commit: "unknown" }, "linux", "unknown, linux-x64, Bun 1.4.4"],
  ];
  for (const [build, platform, says] of table)
    test(says, async () => {
      const expected = { exitCode: 0, stdout: `ccc 0.0.0 (${says})\n`, stderr: "" };
      expect(await ccc(["--version"], build, platform)).toEqual(expected);
      expect(await ccc(["-v"], build, platform)).toEqual(expected);
      expect(await ccc(["version"], build, platform)).toEqual(expected);
    });
});

test("ccc version --json is one object, with the whole commit", async () => {
  const { exitCode, stdout } = await ccc(["version", "--json"], { ...linux, libc: null }, "win32");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version: "0.0.0",
    commit: COMMIT,
    platform: "windows",
    arch: "x64",
    libc: null,
    bun: "1.4.4",
  });
});
