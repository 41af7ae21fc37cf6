import { expect, test } from "bun:test";
import { canWake } from "../../../src/claude/failure-event.ts";
import { canDo, VERSION_FACTS } from "../../../src/claude/version-facts.ts";

test.each([
  ["2.1.47", "wakingHooks", false],
  ["2.1.142", "wakingHooks", true],
  ["2.2.0", "wakingHooks", true],
  ["2.1.140", "hookNotifications", false],
  ["2.1.141", "hookNotifications", true],
  ["2.1.162", "stopFeedback", false],
  ["2.1.163", "stopFeedback", true],
  ["2.0.77", "stopFeedback", false],
  [undefined, "stopFeedback", false],
  [null, "hookNotifications", false],
] as const)("Claude Code %p, %s: %p", (version, fact, can) => expect(canDo(version, fact)).toBe(can));

test("facts stand in the order in which they came", () => {
  const since = Object.values(VERSION_FACTS).map((fact) => fact.since);
  expect(since.toSorted(Bun.semver.order)).toEqual(since);
});

test.each([
  ["2.1.240", true],
  // It would wake, but its hooks cannot tell when the session has ended.
  ["2.1.142", false],
  ["2.0.77", false],
  [undefined, false],
] as const)("Claude Code %p can be woken after a usage limit: %p", (version, can) =>
  expect(canWake(version)).toBe(can),
);
