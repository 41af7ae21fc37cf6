import { describe, expect, test } from "bun:test";
import { findings, script } from "../../../../src/commands/doctor/live.ts";
import type { Received } from "../../../../src/sandbox/turns.ts";

const request = (role: Received["role"], ...content: string[]): Received => ({
  role,
  path: "/v1/messages",
  headers: {},
  body: { model: "m", messages: content.map((text) => ({ role: "user", content: text })) },
});
const TASK = "Say that you are done.";
const FEEDBACK = "This is the feedback of ccc doctor.";
const INSTRUCTIONS = "These are the instructions of ccc doctor.";
const start = request("agent", TASK);
const continued = request("agent", TASK, FEEDBACK);
const review = request("reviewer", INSTRUCTIONS);

test("the model lets the agent stop at the second review", () => {
  const answer = script();
  const verdict = (completed: boolean) => ({ verdict: { completed, feedback: FEEDBACK } });
  const roles = ["agent", "reviewer", "agent", "reviewer"] as const;
  expect(roles.map((role, index) => answer(request(role), index))).toEqual([
    { say: "I am done." },
    verdict(false),
    { say: "I am done." },
    verdict(true),
  ]);
});

describe("what the requests show", () => {
  const seen = (received: Received[], exitCode = 0, stderr = "") =>
    findings({ received, ended: { exitCode, ending: "exited", stderr } });
  /** The hook fires, a block is obeyed, a verdict is returned, SUPERVISOR.md is seen. */
  const table: [name: string, received: Received[], exitCode: number, fine: boolean[]][] = [
    ["everything works", [start, review, continued, review], 0, [true, true, true, true]],
    ["no hook", [start], 0, [false, false, false, false]],
    ["a single review", [start, review], 0, [true, false, false, true]],
    ["a third review", [start, review, continued, review, continued, review], 0, [true, true, false, true]],
    ["a bad end", [start, review, continued, review], 1, [true, true, false, true]],
    ["a block that nobody heeds", [start, review, start, review], 0, [true, false, true, true]],
    ["feedback in another conversation", [start, review, request("agent", FEEDBACK)], 0, [true, false, false, true]],
    [
      "feedback that only a reviewer sees",
      [start, review, request("reviewer", TASK, FEEDBACK, INSTRUCTIONS)],
      0,
      [true, false, true, true],
    ],
    ["a review without instructions", [start, review, continued, request("reviewer")], 0, [true, true, true, false]],
  ];
  for (const [name, received, exitCode, fine] of table)
    test(name, () => expect(seen(received, exitCode).map(({ status }) => status === "ok")).toEqual(fine));

  test("a failure says how claude ended", () => {
    expect(seen([], 3)[0]?.detail).toBe("not seen; claude ended with exit code 3");
    expect(seen([], 3, "no such model")[0]?.detail).toBe("not seen; claude ended with exit code 3: no such model");
  });
});
