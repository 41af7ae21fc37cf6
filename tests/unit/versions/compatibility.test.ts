import { describe, expect, test } from "bun:test";
import { canDo } from "../../../src/claude/versions.ts";
import {
  complaints,
  type Findings,
  factNames,
  outcomeOf,
  SCENARIOS,
  type Scenario,
  type Seen,
  scenarioNames,
  type Tried,
} from "../../versions/compatibility.ts";
import { compatibilityPage, scenarioTable } from "../../versions/compatibility-page.ts";
import { WATCHED_VERSIONS } from "../../versions/watched-versions.ts";

const OLD = "2.1.142";

/** A version on which all is as the table of facts says. */
function asExpected(version: string): Tried {
  const seen: Seen = Object.fromEntries(factNames().map((fact) => [fact, canDo(version, fact)]));
  const findings: Findings = Object.fromEntries(
    scenarioNames().map((name) => {
      const { needs }: Scenario = SCENARIOS[name];
      return [name, needs === undefined || canDo(version, needs) ? [] : ["it does nothing"]];
    }),
  );
  return { version, seen, findings };
}

describe("outcomes", () => {
  const tried = asExpected(OLD);
  const of = (findings: Findings, name: Parameters<typeof outcomeOf>[1]) => outcomeOf({ ...tried, findings }, name);
  test.each([
    ["held", { hook: [] }, "hook", "held"],
    ["failed", { hook: ["no feedback"] }, "hook", "failed"],
    ["failed, though this version can", { notification: ["none"] }, "notification", "failed"],
    ["a version that cannot", { cacheOfPrint: ["shared: 0 %"] }, "cacheOfPrint", "not supported"],
    ["not tried at all", {}, "cacheOfPrint", "failed"],
  ] as const)("%s", (_, findings, name, outcome) => expect(of(findings, name)).toBe(outcome));
  test("a version that cannot be installed", () =>
    expect(outcomeOf({ ...tried, missing: "no such version" }, "hook")).toBe("not available"));
});

describe("what must be looked at", () => {
  const odd = (change: Partial<Tried>) => complaints([{ ...asExpected(OLD), ...change }]);
  const { findings, seen } = asExpected(OLD);
  const { blockCap: _, ...rest } = seen;
  test("nothing, if all is as expected", () =>
    expect(complaints([asExpected(OLD), asExpected("2.1.325")])).toEqual([]));
  test("a version that cannot be installed", () =>
    expect(odd({ missing: "no such version" })).toEqual(["2.1.142 is not available: no such version"]));
  test("a failure, with its reasons", () =>
    expect(odd({ findings: { ...findings, hook: ["one", "two"] } })).toEqual(["2.1.142, hook: one; two"]));
  test("a scenario that works though the table says that it cannot", () =>
    expect(odd({ findings: { ...findings, cacheOfPrint: [] } })).toEqual([
      "2.1.142, cacheOfPrint: works, but version-facts.ts says that this version lacks sharedCacheOfPrint",
    ]));
  test("facts that the table has wrong, and one that was not measured", () =>
    expect(odd({ seen: { ...rest, promptIds: true, hookArguments: false } })).toEqual([
      "2.1.142, fact hookArguments: it cannot, but version-facts.ts says that it can",
      "2.1.142, fact blockCap: not measured",
      "2.1.142, fact promptIds: it can, but version-facts.ts says that it cannot",
    ]));
});

test("the table has a row for each scenario and a column for each version", () => {
  const gone: Tried = { version: "9.9.9", missing: "no such version", findings: {}, seen: {} };
  const lines = scenarioTable([asExpected(OLD), gone])
    .trim()
    .split("\n");
  expect(lines[0]).toBe("|  | 2.1.142 | 9.9.9 |");
  expect(lines).toHaveLength(scenarioNames().length + 2);
  expect(lines).toContain("| launch | ✓ | not available |");
  expect(lines).toContain("| cacheOfPrint | – | not available |");
});

test("the page has the date, both tables, and what is open", () => {
  const now = new Date("2026-11-17T00:00:00Z");
  const failed = { ...asExpected(OLD), findings: { ...asExpected(OLD).findings, hook: ["first line\nscreen"] } };
  const page = compatibilityPage([failed], now);
  expect(page).toContain("Tried on 2026-11-17 ");
  expect(page).toContain("- 2.1.142, hook: first line\n");
  expect(page).not.toContain("screen");
  expect(page).toMatch(/\| events say which prompt .* \| 2\.1\.196 \|/);
  expect(compatibilityPage([asExpected(OLD)], now)).not.toContain("Open:");
});

test("the versions that are watched are in order", () =>
  expect(WATCHED_VERSIONS.toSorted(Bun.semver.order)).toEqual([...WATCHED_VERSIONS]));

test("the page begins with the versions that work", () => {
  const now = new Date("2026-11-17T00:00:00Z");
  const [old, newest] = [asExpected(OLD), asExpected("2.1.325")];
  const broken = { ...old, findings: { ...old.findings, hook: ["no feedback"] } };
  expect(compatibilityPage([old, newest], now)).toContain(
    "ccc works with Claude Code 2.1.142 and newer; 2.1.325 and newer do all of it.",
  );
  expect(compatibilityPage([broken, newest], now)).toContain("ccc works with Claude Code 2.1.325 and newer;");
  expect(compatibilityPage([newest, broken], now)).not.toContain("ccc works");
});
