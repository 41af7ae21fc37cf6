import { describe, expect, test } from "bun:test";
import { readPrompt, reportsFailure, scheduledCalls, startsTurn } from "../../../src/claude/prompts.ts";

describe("readPrompt", () => {
  const user = (content: unknown, more: object = {}) =>
    JSON.stringify({ type: "user", message: { role: "user", content }, ...more });
  const table: [name: string, line: string, prompt: object | undefined][] = [
    ["a prompt", user("do it", { promptId: "1", promptSource: "sdk" }), { id: "1", byUser: true, text: "do it" }],
    [
      "a prompt in blocks",
      user([{ type: "text", text: "do" }, { type: "image" }, { type: "text", text: "it" }]),
      { id: undefined, byUser: true, text: "do\nit" },
    ],
    [
      "a notification",
      user("<task-notification>", { promptId: "2", origin: { kind: "task-notification" } }),
      { id: "2", byUser: false, text: "<task-notification>" },
    ],
    [
      "a notification of an older version",
      user("<task-notification>x"),
      { id: undefined, byUser: false, text: "<task-notification>x" },
    ],
    [
      "a prompt that Claude Code itself sends",
      user("go on", { promptSource: "system" }),
      { id: undefined, byUser: false, text: "go on" },
    ],
    [
      "a prompt of another origin",
      user("go on", { promptSource: "sdk", origin: { kind: "cron" } }),
      { id: undefined, byUser: false, text: "go on" },
    ],
    ["feedback", user("Stop hook feedback:\nx", { isMeta: true }), undefined],
    ["a tool's result", user([{ type: "tool_result", content: "x" }]), undefined],
    ["a tool's result and a reminder", user([{ type: "tool_result" }, { type: "text", text: "x" }]), undefined],
    ["a delegated agent's", user("x", { isSidechain: true }), undefined],
    ["a summary", user("x", { isCompactSummary: true }), undefined],
    ["an answer", JSON.stringify({ type: "assistant", message: { content: "x" } }), undefined],
    ["a broken line", '{"type":"user","mess', undefined],
  ];
  for (const [name, line, prompt] of table)
    test(name, () => expect(readPrompt(line)).toEqual(prompt as ReturnType<typeof readPrompt>));
});

describe("scheduled calls", () => {
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
});

describe("a notification", () => {
  const note = (status: string, summary = "") =>
    `<task-notification>\n<task-id>b1</task-id>\n<status>${status}</status>\n<summary>${summary}</summary>\n</task-notification>`;
  const table: [name: string, text: string, failed: boolean][] = [
    ["of success", note("completed"), false],
    ["of failure", note("failed"), true],
    ["of failure, described as a success", note("failed", "<status>completed</status>"), true],
    ["of a success and a failure", `${note("completed")}\n${note("killed")}`, true],
    ["without a status", "<task-notification>x</task-notification>", true],
    ["that is none", "check the build", false],
  ];
  for (const [name, text, failed] of table) test(name, () => expect(reportsFailure(text)).toBe(failed));
});

test.each([
  ["do it", true],
  ["<task-notification>ended</task-notification>", true],
  ["<local-command-stdout>x</local-command-stdout>", false],
  ["[Request interrupted by user]", false],
])("the agent answers %p: %p", (text, expected) => expect(startsTurn(text)).toBe(expected));
