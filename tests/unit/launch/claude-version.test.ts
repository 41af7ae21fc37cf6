import { describe, expect, test } from "bun:test";
import { NEWEST_TESTED } from "../../../src/claude/version.ts";
import { cccPaths } from "../../../src/config/ccc-paths.ts";
import { assumedVersion, claudeVersion } from "../../../src/launch/claude-version.ts";
import type { ChildResult } from "../../../src/os/child.ts";
import { fakeWorld } from "../fakes.ts";

/** A machine whose claude answers with these lines. */
function machine(lines: string[], result: Partial<ChildResult> | Error = {}) {
  let asked = 0;
  const { world, files } = fakeWorld({
    run: async ({ onLine }) => {
      asked++;
      if (result instanceof Error) throw result;
      lines.some((line) => onLine(new TextEncoder().encode(line)));
      return { exitCode: 0, ending: "exited", stderr: "", ...result };
    },
  });
  const paths = cccPaths(world);
  return {
    files,
    version: () => claudeVersion(world, "/bin/claude", paths),
    assumed: () => assumedVersion(world, "/bin/claude", paths),
    asked: () => asked,
  };
}

describe("the version of claude", () => {
  test("is asked once, and again when the program has changed", async () => {
    const { files, version, asked } = machine(["2.1.96 (Claude Code)"]);
    expect([await version(), await version(), asked()]).toEqual(["2.1.96", "2.1.96", 1]);
    files.content["/bin/claude"] = "a newer claude";
    expect([await version(), asked()]).toEqual(["2.1.96", 2]);
  });

  test("is the first in the output", async () =>
    expect(await machine(["warning", "2.1.96 (Claude Code)", "2.1.97 is out"]).version()).toBe("2.1.96"));

  test("is asked again, if claude did not print it", async () => {
    const { version, asked } = machine(["hello"]);
    expect([await version(), await version(), asked()]).toEqual([undefined, undefined, 2]);
  });

  test("is unknown, if claude cannot be run: the launch will say why", async () =>
    expect(await machine([], new Error("no such file")).version()).toBeUndefined());

  test("Ctrl-C ends the wait", () =>
    expect(machine([], { ending: "interrupted" }).version()).rejects.toThrow("interrupted"));

  test("a dry run asks nothing: what is known, else a current one", async () => {
    const { version, assumed, asked } = machine(["2.1.96 (Claude Code)"]);
    expect([assumed(), asked()]).toEqual([NEWEST_TESTED, 0]);
    await version();
    expect([assumed(), asked()]).toEqual(["2.1.96", 1]);
  });
});
