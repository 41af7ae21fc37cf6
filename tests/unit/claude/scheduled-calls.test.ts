import { expect, test } from "bun:test";
import { scheduledCalls } from "../../../src/claude/scheduled-calls.ts";

const call = (name: string, input: object) =>
  JSON.stringify({ type: "assistant", message: { content: [{ type: "tool_use", id: "1", name, input }] } });

const ROWS: [line: string, prompts: string[]][] = [
  [call("CronCreate", { cron: "* * * * *", prompt: "later" }), ["later"]],
  [call("ScheduleWakeup", { delaySeconds: 60, prompt: "wake up" }), ["wake up"]],
  [call("Agent", { prompt: "find it" }), []],
  [call("CronDelete", { id: "1" }), []],
  [JSON.stringify({ type: "assistant", message: { content: '"tool_use"' } }), []],
  ['{"tool_use"', []],
  ["", []],
];

for (const [line, prompts] of ROWS)
  test(line.slice(0, 120) || "an empty line", () => expect(scheduledCalls(line)).toEqual(prompts));
