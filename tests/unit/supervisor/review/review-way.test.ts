import { describe, expect, test } from "bun:test";
import type { ReviewWay } from "../../../../src/claude/reviewer-command.ts";
import type { ReviewContext } from "../../../../src/config/defaults.ts";
import { type CacheFacts, chooseWay, nextWay } from "../../../../src/supervisor/review/review-way.ts";

const PRINT: CacheFacts = { version: "2.1.325", isTerminal: false, hasAttribution: true, hasAgentsModel: true };
const TERMINAL = { ...PRINT, isTerminal: true, hasAttribution: false };

describe("what the reviewer sees", () => {
  const cases: [name: string, context: ReviewContext, facts: CacheFacts, way: ReviewWay][] = [
    ["auto with -p", "auto", PRINT, "shared"],
    ["auto with -p on the first version that shares", "auto", { ...PRINT, version: "2.1.269" }, "shared"],
    ["auto with -p on the version before", "auto", { ...PRINT, version: "2.1.268" }, "fresh"],
    ["auto in a terminal without the attribution block", "auto", TERMINAL, "shared"],
    ["auto in a terminal with it", "auto", { ...TERMINAL, hasAttribution: true }, "fresh"],
    ["auto in a terminal on the first version that shares", "auto", { ...TERMINAL, version: "2.1.308" }, "shared"],
    ["auto in a terminal on the version before", "auto", { ...TERMINAL, version: "2.1.307" }, "fresh"],
    ["auto with another model", "auto", { ...PRINT, hasAgentsModel: false }, "fresh"],
    ["auto with an unknown version", "auto", { ...PRINT, version: undefined }, "fresh"],
    ["session with another model", "session", { ...PRINT, hasAgentsModel: false }, "shared"],
    ["session on an old version", "session", { ...PRINT, version: "2.0.77" }, "schema"],
    ["session with an unknown version", "session", { ...PRINT, version: undefined }, "schema"],
    ["fresh, although the cache could be shared", "fresh", PRINT, "fresh"],
  ];
  test.each(cases)("%s", (_, context, facts, way) => {
    expect(chooseWay(context, facts, true)).toBe(way);
    expect(chooseWay(context, facts, false)).toBe("schema");
  });
});

test.each([
  ["shared", "no verdict", true, "schema"],
  ["schema", "no verdict", true, "schema"],
  ["fresh", "no verdict", true, "fresh"],
  ["shared", "too long", true, "fresh"],
  ["schema", "too long", true, "fresh"],
  ["schema", "too long", false, undefined],
  ["fresh", "too long", true, undefined],
] as const)("after %s and %s (a digest is possible: %p) comes %s", (way, problem, canBeFresh, next) =>
  expect(nextWay(way, problem, canBeFresh)).toBe(next),
);
