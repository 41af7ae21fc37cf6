import { describe, expect, test } from "bun:test";
import { readEvent, readInput, StopEventSchema } from "../../../src/claude/events.ts";

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
