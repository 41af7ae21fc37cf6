import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { isDelegated, readEvent, readInput, StopEventSchema } from "../../../src/claude/events.ts";

const parsed = (more: object) => v.parse(StopEventSchema, { session_id: "s", ...more });

test("a stop of which only the session is known", () =>
  expect(parsed({})).toEqual({ session_id: "s", background_tasks: [], session_crons: [] }));

test.each([
  ["recurring", { id: "1", prompt: "x", recurring: true }, { id: "1", prompt: "x", recurring: true }],
  ["once", { id: "1", prompt: "x", recurring: false }, { id: "1", prompt: "x", recurring: false }],
  ["once, if it does not say", { id: "1", prompt: "x" }, { id: "1", prompt: "x", recurring: false }],
  ["once, if it says something odd", { id: 1, recurring: "no" }, { id: "", prompt: "", recurring: false }],
])("a scheduled prompt comes %s", (_, cron, expected) =>
  expect(parsed({ session_crons: [cron] }).session_crons).toEqual([expected]),
);

test.each([
  ["a running agent", { type: "local_agent", status: "running" }, true],
  ["an agent that has ended", { type: "local_agent", status: "completed" }, false],
  ["a running command", { type: "shell", status: "running" }, false],
  ["a task of which nothing is known", {}, false],
])("delegated work: %s", (_, task, expected) =>
  expect(parsed({ background_tasks: [task] }).background_tasks.map(isDelegated)).toEqual([expected]),
);

const read = (text: string | undefined) =>
  readEvent(readInput({ stdin: () => text }), StopEventSchema, "Stop").session_id;

describe("a hook", () => {
  test("gets the event of Claude Code", () =>
    expect(read('{"hook_event_name":"Stop","session_id":"s1","cwd":"/project"}')).toBe("s1"));

  test("reads at most 8 MB: a prompt may have a pasted file in it", () => {
    const asked: number[] = [];
    const stdin = (longest: number) => {
      asked.push(longest);
      return "{}";
    };
    readInput({ stdin });
    expect(asked).toEqual([8_000_000]);
  });

  const table: [what: string, text: string | undefined, why: string][] = [
    ["nothing", " \n", "no event on stdin"],
    ["something else than JSON", "hello", "the event on stdin is not JSON"],
    ["too much", undefined, "the event on stdin is too large"],
    ["a number", "7", "the event on stdin is not a Stop event: it is not an object"],
    [
      "a field with another type",
      '{"session_id":7}',
      "the event on stdin is not a Stop event: session_id is missing or invalid",
    ],
    ["an event without a session", "{}", "the event on stdin is not a Stop event: session_id is missing or invalid"],
  ];
  test.each(table)("says what is wrong: %s", (_, text, why) => expect(() => read(text)).toThrow(why));
});
