import { expect, test } from "bun:test";
import * as v from "valibot";
import { isDelegated, StopEventSchema } from "../../../src/claude/events.ts";

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
