import { describe, expect, test } from "bun:test";
import { describeChecks, failedCheck, leftOutFinding } from "../../../../src/supervisor/checks/result.ts";
import type { CheckResult } from "../../../../src/supervisor/record/stops.ts";

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
      expect(failedCheck(result(), "/p").feedback).toBe(
        [
          "A check failed: npm test (exit 1).",
          "ccc ran it in /p when you stopped, because it must pass before the work can be done. Find the cause and fix it in the code; do not weaken the check or what it tests. ccc runs it again at your next stop.",
          "The last lines of its output:",
          "    one\n    two",
        ].join("\n\n"),
      ));
    test("without output", () =>
      expect(failedCheck(result({ output: "" }), "/p").feedback).toEndWith("\n\nIt printed nothing."));
    test("a long command of several lines is one short line", () => {
      const command = `a\nb ${"x".repeat(500)}`;
      const { label } = failedCheck(result({ command, ending: "timed out after 1 second" }), "/p");
      expect(label).toMatch(/^a\\nb x{195}… \(timed out after 1 second\)$/);
    });
    test("a command of 200 characters is not cut", () => {
      const command = "x".repeat(200);
      expect(failedCheck(result({ command }), "/p").label).toBe(`${command} (exit 1)`);
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
