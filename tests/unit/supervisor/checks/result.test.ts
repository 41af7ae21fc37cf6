import { describe, expect, test } from "bun:test";
import {
  describeChecks,
  type FailingRounds,
  failedCheck,
  leftOutFinding,
} from "../../../../src/supervisor/checks/result.ts";
import type { CheckResult } from "../../../../src/supervisor/record/stops.ts";

const FIRST: FailingRounds = { before: undefined, files: undefined, limit: 3 };

describe("the result of a check", () => {
  const result = (parts: Partial<CheckResult> = {}): CheckResult => ({
    command: "npm test",
    ending: "exit 1",
    isPassed: false,
    seconds: 3,
    output: "one\ntwo",
    ...parts,
  });

  describe("is described", () => {
    test("for the agent: command, exit code and last lines", () =>
      expect(failedCheck(result(), "/p", FIRST).feedback).toBe(
        [
          "A check failed: npm test (exit 1).",
          "ccc ran it in /p when you stopped, because it must pass before the work can be done. Find the cause and fix it in the code; do not weaken the check or what it tests. If it can pass only with the user's approval or help, ask for that. ccc runs it again at your next stop.",
          "The last lines of its output:",
          "    one\n    two",
        ].join("\n\n"),
      ));
    test("without output", () =>
      expect(failedCheck(result({ output: "" }), "/p", FIRST).feedback).toEndWith("\n\nIt printed nothing."));
    test("a long command of several lines is one short line", () => {
      const command = `a\nb ${"x".repeat(500)}`;
      const { label } = failedCheck(result({ command, ending: "timed out after 1 second" }), "/p", FIRST);
      expect(label).toMatch(/^a\\nb x{195}… \(timed out after 1 second\)$/);
    });
    test("a command of 200 characters is not cut", () => {
      const command = "x".repeat(200);
      expect(failedCheck(result({ command }), "/p", FIRST).label).toBe(`${command} (exit 1)`);
    });
    test("for the reviewer: commands, exit codes and last lines, within bounds", () => {
      const long = Array.from({ length: 60 }, (_, index) => `line ${index} ${"x".repeat(100)}`).join("\n");
      const results = [
        result({ ending: "exit 0", output: "" }),
        result({ command: "lint", ending: "exit 0", output: long }),
      ];
      const text = describeChecks(results);
      expect(text).toStartWith(
        "ccc ran these commands itself, now or earlier with the same files. The exit codes are evidence; the output is the project's:\n- npm test: exit 0, 3 s, no output\n- lint: exit 0, 3 s, last lines:\n    line 4",
      );
      expect(text).toEndWith(`    line 59 ${"x".repeat(100)}`);
      expect(text.length).toBeLessThan(3_000);
    });
    test("what was left out, and how to agree", () => {
      expect(leftOutFinding([], "/p")).toBeUndefined();
      expect(leftOutFinding(["npm test", "b"], "/p")).toBe(
        "2 checks in SUPERVISOR.md did not run, because the user has not agreed: npm test; b. To agree, run ccc --supervisor once in a terminal in /p.",
      );
    });
  });
});

describe("a check that keeps failing", () => {
  const failed = (output: string, more: Partial<CheckResult> = {}): CheckResult => ({
    command: "npm test",
    ending: "exit 1",
    isPassed: false,
    seconds: 3,
    output,
    ...more,
  });
  type Round = readonly [files: string | undefined, result: CheckResult];
  /** Why each of the rounds leads nowhere. */
  const whys = (limit: number, ...rounds: readonly Round[]) => {
    let before: FailingRounds["before"];
    return rounds.map(([files, result]) => {
      const { failure, why } = failedCheck(result, "/p", { before, files, limit });
      before = failure;
      return why;
    });
  };
  const TWICE = "The check failed twice without a change of the files: npm test (exit 1)";
  const THRICE = "The check failed 3 times in a row with the same last lines: npm test (exit 1)";

  test("without a change of the files: twice, whatever it prints", () =>
    expect(whys(3, ["a", failed("x")], ["a", failed("y")])).toEqual([undefined, TWICE]));
  test("with the same last lines: three times, or as often as the setting says", () => {
    const rounds: Round[] = ["a", "b", "c"].map((files) => [files, failed("x")]);
    expect(whys(3, ...rounds)).toEqual([undefined, undefined, THRICE]);
    expect(whys(4, ...rounds)).toEqual([undefined, undefined, undefined]);
    expect(whys(3, ...rounds.map(([, result]): Round => [undefined, result]))).toEqual([undefined, undefined, THRICE]);
  });
  test("never, if the setting is 0; never at its first failure", () => {
    expect(whys(0, ...Array(5).fill(["a", failed("x")]))).toEqual(Array(5).fill(undefined));
    expect(whys(1, ["a", failed("x")])).toEqual([undefined]);
  });
  test("another check, another end and other lines are progress", () => {
    expect(whys(3, ["a", failed("x")], ["a", failed("x", { command: "lint" })])).toEqual([undefined, undefined]);
    const other = failed("x", { ending: "exit 2" });
    expect(whys(3, ["a", failed("x")], ["b", failed("x")], ["c", other])).toEqual([undefined, undefined, undefined]);
    const fewer = ["3 failed", "2 failed", "1 failed"].map((text, at): Round => [`${at}`, failed(text)]);
    expect(whys(3, ...fewer)).toEqual([undefined, undefined, undefined]);
  });

  const same: [what: string, one: string, other: string][] = [
    ["durations", "1 failed in 0.31s (312 ms)", "1 failed in 1.2s (1200 ms)"],
    ["clock times", "12:01:07.123 ERROR at 2026-01-01T10:00:00Z", "9:59:59 ERROR at 2026-11-18 05:20:11,5"],
    ["addresses", "<Foo object at 0x7f3a10> Bar@1a2b3c4d", "<Foo object at 0x55aa> Bar@99ffee00"],
    ["temporary paths", "ENOENT: '/tmp/a-x1/b.txt'", "ENOENT: '/private/tmp/c-9/d/b.txt'"],
    [
      "temporary paths of Windows",
      "C:\\Users\\u\\AppData\\Local\\Temp\\a1 gone",
      "C:\\Users\\u\\AppData\\Local\\Temp\\b2 gone",
    ],
    ["ids, ports and seeds", "localhost:4312 seed=17 pid 99", "localhost:60001 seed=3 pid 1234"],
    ["spaces and empty lines", "a  b\n\nc", "a b\nc\n"],
  ];
  test.each(same)("%s make no difference", (_what, one, other) =>
    expect(whys(3, ["a", failed(one)], ["b", failed(other)], ["c", failed(one)])[2]).toBe(THRICE),
  );
  test("what is kept of it shows neither the command nor its output", () => {
    const { failure } = failedCheck(failed("key-123", { command: "deploy --key key-123" }), "/p", FIRST);
    expect(JSON.stringify(failure)).not.toContain("key-123");
  });
});
