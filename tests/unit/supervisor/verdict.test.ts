import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readVerdict, type Verdict, verdictJsonSchema } from "../../../src/supervisor/verdict.ts";

const MARKER = "[TASK_COMPLETED]";
const yes = (feedback = ""): Verdict => ({ completed: true, feedback });
const no = (feedback: string): Verdict => ({ completed: false, feedback });

describe("readVerdict", () => {
  const table: [name: string, answer: unknown, verdict: Verdict | undefined][] = [
    ["an object", { completed: false, feedback: "F" }, no("F")],
    ["completed alone", { completed: true }, yes()],
    ["more fields", { completed: true, feedback: "x", confidence: 1 }, yes("x")],
    ["a string", '{"completed":false,"feedback":"F"}', no("F")],
    ["a fence", 'So:\n```json\n{\n "completed": false,\n "feedback": "F"\n}\n```\nBye.', no("F")],
    ["between prose", 'I say {"completed":true,"feedback":"ok"} and mean it.', yes("ok")],
    ["braces in the feedback", 'x {"completed":false,"feedback":"use {a} and }b{"} y', no("use {a} and }b{")],
    ["the last of several", 'Not {"completed":true} but {"completed":false,"feedback":"F"}', no("F")],
    [
      "one inside another is not the verdict",
      '{"completed":false,"feedback":"F","quoted":{"completed":true}}',
      no("F"),
    ],
    ["LDES-04 the marker alone on its line", "checked\n  [TASK_COMPLETED]  \n", yes()],
    ["LDES-04 the marker with a message", "[TASK_COMPLETED: all 12 tests pass]", yes("all 12 tests pass")],
    ["a marker inside a line", "not [TASK_COMPLETED] yet", undefined],
    ["a marker with something behind it", "[TASK_COMPLETED] soon", undefined],
    ["JSON before the marker", '{"completed":false,"feedback":"F"}\n[TASK_COMPLETED]', no("F")],
    ["prose", "looks good to me", undefined],
    ["another object", { done: true }, undefined],
    ["a wrong type", { completed: "true", feedback: "" }, undefined],
    ["a number", 7, undefined],
    ["null", null, undefined],
    ["nothing", undefined, undefined],
    ["an empty string", "", undefined],
  ];
  for (const [name, answer, verdict] of table) test(name, () => expect(readVerdict(answer, MARKER)).toEqual(verdict));

  test("HOOK-06 a refusal always has a reason", () => {
    for (const feedback of ["", "  \n"]) {
      expect(readVerdict({ completed: false, feedback }, MARKER)?.feedback).toContain("not done yet");
    }
  });
  test("LDES-04 the marker can be another", () => {
    expect(readVerdict("<<FERTIG>>", "<<FERTIG>>")).toEqual(yes());
    expect(readVerdict(MARKER, "<<FERTIG>>")).toBeUndefined();
    expect(readVerdict("[FERTIG: ja]", "[FERTIG]")).toEqual(yes("ja"));
  });
  test("a text of nothing but braces costs no time", () => {
    expect(readVerdict("{".repeat(1_000_000), MARKER)).toBeUndefined();
  });
  test("property: no text breaks it, and a verdict in any prose is found", () => {
    fc.assert(fc.property(fc.string(), (text) => void readVerdict(text, MARKER)));
    const prose = fc.string().filter((text) => !/[{}]/.test(text));
    fc.assert(
      fc.property(
        prose,
        fc.boolean(),
        fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
        prose,
        (before, completed, feedback, after) => {
          expect(readVerdict(before + JSON.stringify({ completed, feedback }) + after, MARKER)).toEqual({
            completed,
            feedback,
          });
        },
      ),
    );
  });
});

test("HOOK-07 the schema that is sent asks for a boolean and a string, both required", () => {
  expect(verdictJsonSchema()).toMatchObject({
    type: "object",
    properties: { completed: { type: "boolean" }, feedback: { type: "string" } },
    required: ["completed", "feedback"],
  });
});
