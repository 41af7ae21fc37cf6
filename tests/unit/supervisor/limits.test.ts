import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../src/config/paths.ts";
import {
  limitEnd,
  limitSoFar,
  NOT_WAITED,
  type SessionProblem,
  sessionProblem,
} from "../../../src/supervisor/limits.ts";
import { openSession } from "../../../src/supervisor/record/session.ts";
import { memoryFiles } from "../fakes.ts";

const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });

test("an error within ten minutes of a wait belongs to the same limit, a later one to another", () => {
  const record = openSession(memoryFiles(), PATHS, "s");
  const waited = { waits: 2, seconds: 90 };
  expect(limitSoFar(record, 1000)).toEqual(NOT_WAITED);
  record.limit.save({ ...waited, ended: 1000 });
  expect(limitSoFar(record, 1599)).toMatchObject(waited);
  expect(limitSoFar(record, 1600)).toEqual(NOT_WAITED);
});

test("a damaged record counts as none", () => {
  const files = memoryFiles({ "/c/ccc/sessions/s/limit.json": '{"waits":2,"ended":1000}' });
  expect(limitSoFar(openSession(files, PATHS, "s"), 1000)).toEqual(NOT_WAITED);
});

const so = (waits: number, seconds: number) => ({ waits, seconds });

describe("a wait for a limit ends", () => {
  const table: [name: string, resetAt: number | undefined, before: typeof NOT_WAITED, allowed: number, end?: number][] =
    [
      ["a second after the reset", 1100, NOT_WAITED, 3600, 1101],
      ["at the reset, if that is just within bounds", 1100, NOT_WAITED, 100, 1101],
      ["never, if the reset is too far away", 1101, NOT_WAITED, 100],
      ["never, if too much was waited before", 1050, so(1, 60), 100],
      ["never, if waiting is off", 1001, NOT_WAITED, 0],
      ["after a minute, if nothing is known", undefined, NOT_WAITED, 3600, 1060],
      ["after two minutes the second time", undefined, so(1, 60), 3600, 1120],
      ["after a quarter of an hour from the fifth time on", undefined, so(4, 1080), 9999, 1900],
      ["after a quarter of an hour the ninth time", undefined, so(8, 2000), 9999, 1900],
      ["for a last attempt when the time is up", undefined, so(1, 60), 100, 1040],
      ["for a last attempt when a second is left", undefined, so(1, 99), 100, 1001],
      ["never, if the time is up", undefined, so(3, 100), 100],
      ["later than it says, if it said so twice before", 1001, so(2, 4), 3600, 1060],
      ["when it says, if that is later still", 1500, so(2, 4), 3600, 1501],
    ];
  for (const [name, resetAt, before, allowed, end] of table)
    test(name, () => expect(limitEnd(resetAt, before, 1000, allowed)).toBe(end as number));
});

describe("what a model cannot continue in a session of another", () => {
  const table: [error: string, problem: SessionProblem | undefined][] = [
    ["The `content[].thinking` in the thinking mode must be passed back to the API.", "thinking"],
    ["The `reasoning_content` in the thinking mode must be passed back to the API.", "thinking"],
    ["thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", "thinking"],
    ["messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.", "thinking"],
    ["messages.1.content.0: Invalid `signature` in `thinking` block", undefined],
    ["this model does not support image input (ref: b1feda6a)", "images"],
    ["This model doesn't support images", "images"],
    ["messages[3]: unknown variant `image_url`, expected `text`", "images"],
    ["Input tag 'image' found using 'type' does not match any of the expected tags: 'text'", "images"],
    ["该模型不支持图片输入", "images"],
    ["Could not process image", undefined],
    ["This model's maximum context length is 131072 tokens", undefined],
    ["Prompt is too long", "length"],
    ["model not found: glm-image", undefined],
  ];
  test.each(table)("%s", (error, problem) => expect(sessionProblem(`API Error: 400 ${error}`)).toBe(problem));
});
