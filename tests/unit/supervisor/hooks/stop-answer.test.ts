import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../../src/claude/token-usage.ts";
import { cut, stopAnswer } from "../../../../src/supervisor/hooks/stop-answer.ts";
import type { Outcome } from "../../../../src/supervisor/review/outcome.ts";

const OFF = "(to switch it off: CCC_SUPERVISOR=0 and no --supervisor)";
const LOG = ".claude/ccc/supervisor.log";
const TABLE: [outcome: Outcome, silent: object | undefined, announced: string][] = [
  [{ kind: "done", rounds: 1, feedback: "", usage: NO_USAGE }, undefined, "supervisor: done after 1 round"],
  [
    { kind: "done", rounds: 3, feedback: "I ran the tests. They pass.", usage: NO_USAGE },
    undefined,
    "supervisor: done after 3 rounds: I ran the tests.",
  ],
  [
    { kind: "rework", round: 2, feedback: "F", usage: NO_USAGE },
    { decision: "block", reason: "F" },
    "supervisor 2/10: not done",
  ],
  [
    { kind: "rework", round: 2, feedback: "F", usage: NO_USAGE, check: "npm test (exit 1)" },
    { decision: "block", reason: "F" },
    "supervisor 2/10: check failed: npm test (exit 1)",
  ],
  [{ kind: "limit" }, undefined, "supervisor: stopped after 10 reviews: NOT done. The last changes were not reviewed."],
  [
    { kind: "skipped", why: "delegated" },
    undefined,
    "supervisor: no review: a delegated agent is still working; the review starts when it finishes",
  ],
  [{ kind: "skipped", why: "plan" }, undefined, "supervisor: no review: the session is in plan mode"],
  [
    { kind: "unreviewed", why: "no key", usage: NO_USAGE },
    undefined,
    "supervisor could not review: no key. The agent was allowed to stop; see .claude/ccc/supervisor.log",
  ],
];

describe("stopAnswer", () => {
  for (const [outcome, silent, announced] of TABLE) {
    test(announced, () => {
      expect(stopAnswer(outcome, { limit: 10, announce: false, outputFile: "", log: LOG, findings: [] })).toEqual(
        silent,
      );
      expect(stopAnswer(outcome, { limit: 10, announce: true, outputFile: "", log: LOG, findings: [] })).toEqual({
        ...silent,
        systemMessage: `${announced} ${OFF}`,
      });
    });
  }
});

test("the user sees what ccc noticed, after the outcome", () => {
  const options = { limit: 10, announce: true, outputFile: "", log: LOG, findings: ["SUPERVISOR.md was changed"] };
  expect(stopAnswer({ kind: "limit" }, options)?.systemMessage).toEndWith("\nSUPERVISOR.md was changed");
});

describe("cut", () => {
  test("keeps short text", () => expect(cut("x".repeat(10_000), "f")).toBe("x".repeat(10_000)));
  test("ends at a sentence", () =>
    expect(cut("Satz eins. ".repeat(1000), "f")).toEndWith("Satz eins.\n[cut; the complete review is in f]"));
  test("ends at a Chinese sentence", () =>
    expect(cut("还没有完成。".repeat(2000), "f")).toEndWith("完成。\n[cut; the complete review is in f]"));
  test("cuts anywhere if there is no sentence", () => expect(cut("x".repeat(20_000), "f")).toHaveLength(10_000));
});
