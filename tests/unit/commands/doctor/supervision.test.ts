import { describe, expect, test } from "bun:test";
import type { Check } from "../../../../src/commands/doctor/check-result.ts";
import { checkInstructions } from "../../../../src/commands/doctor/supervision.ts";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { fakeWorld } from "../../fakes.ts";

describe("checkInstructions", () => {
  const OWN = "/home/u/.claude/SUPERVISOR.md";
  const table: [what: string, content: Record<string, string>, status: Check["status"], detail: string][] = [
    ["none", {}, "ok", "none yet"],
    ["the user's", { [OWN]: "look" }, "ok", OWN],
    ["the project's wins", { [OWN]: "look", "/project/SUPERVISOR.md": "look" }, "ok", "/project/SUPERVISOR.md"],
    ["an empty one", { [OWN]: " \n" }, "warn", `${OWN} is empty`],
    ["with checks", { [OWN]: "---\nchecks:\n  - npm test\n---\nlook" }, "ok", OWN],
    [
      "with checks that do not run",
      { [OWN]: "---\nchecks: npm test\n---\nlook" },
      "warn",
      `the checks in ${OWN} do not run`,
    ],
  ];
  test.each(table)("%s", (_, content, status, detail) => {
    const { world } = fakeWorld({ content });
    const found = checkInstructions(world, cccPaths(world));
    expect(found).toMatchObject({ status, detail: expect.stringContaining(detail) });
    expect(found.advice === "").toBe(status === "ok");
  });
});
