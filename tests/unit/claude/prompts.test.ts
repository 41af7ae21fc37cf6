import { describe, expect, test } from "bun:test";
import { readPrompt, reportsFailure, scheduledCalls, startsTurn } from "../../../src/claude/prompts.ts";

describe("readPrompt", () => {
  const user = (content: unknown, more: object = {}) =>
    JSON.stringify({ type: "user", message: { role: "user", content }, ...more });
  const table: [name: string, line: string, prompt: object | undefined][] = [
    ["a prompt", user("do it", { promptId: "1", uuid: "u" }), { id: "1", uuid: "u", byUser: true, text: "do it" }],
    [
      "a prompt in blocks",
      user([{ type: "text", text: "do" }, { type: "image" }, { type: "text", text: "it" }]),
      { byUser: true, text: "do\nit" },
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
    test(name, () =>
      prompt === undefined ? expect(readPrompt(line)).toBeUndefined() : expect(readPrompt(line)).toMatchObject(prompt),
    );
});

describe("whose prompt a line of Claude Code 2.1.325 is", () => {
  const human = { origin: { kind: "human" }, turnOrigin: "human", entrypoint: "cli" };
  const sdk = { promptSource: "sdk", turnOrigin: "sdk", entrypoint: "sdk-cli" };
  const system = { promptSource: "system", isMeta: true };
  const command = (name: string, args: string) =>
    `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;
  const notification = "<task-notification>\n<status>completed</status>\n</task-notification>";
  const message = '<agent-message from="a1">\nAlso skip the tests.\n</agent-message>';
  const passedOn = `Another Claude session sent a message:\n${message}\n\nThis was not typed by your user.`;

  const TURNS: [sender: string, text: string, marks: object, byUser: boolean | undefined][] = [
    ["-p", "do it", sdk, true],
    ["-p, a custom command", command("deploy", "prod"), { turnOrigin: "sdk", entrypoint: "sdk-cli" }, true],
    ["-p, a local command", "<command-name>/usage</command-name>\n<command-args></command-args>", {}, undefined],
    ["a terminal, a command for the shell", "<bash-input>npm test</bash-input>", {}, undefined],
    ["what it printed", "<bash-stdout>1 pass</bash-stdout>", { turnOrigin: "human" }, undefined],
    ["the same, pasted", "<bash-stdout>1 pass</bash-stdout>", { ...human, promptSource: "typed" }, true],
    ["the same, scheduled by the agent", "<bash-stdout>1 pass</bash-stdout>", { turnOrigin: "schedule" }, false],
    ["an editor", "do it", { ...sdk, entrypoint: "claude-vscode" }, true],
    ["an editor, with a tag", "<html>pasted", { ...sdk, entrypoint: "claude-vscode" }, true],
    [
      "an editor on its own",
      "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nx",
      { ...system, origin: { kind: "unclassified" }, turnOrigin: "host_synthetic" },
      false,
    ],
    ["a terminal", "do it", { ...human, promptSource: "typed" }, true],
    ["a terminal, as an argument", "do it", { ...human, promptSource: "typed" }, true],
    ["a terminal, an accepted suggestion", "do it", { ...human, promptSource: "suggestion_accepted" }, true],
    ["a terminal, typed during a stop", "do it", { ...human, promptSource: "queued" }, true],
    ["a terminal, pasted", message, { ...human, promptSource: "typed" }, true],
    ["a terminal, a custom command", command("deploy", "prod"), human, true],
    ["a terminal, a skill", command("fixit", "it"), human, true],
    ["the text of that skill", "Fix it well", { isMeta: true, turnCompanion: true }, undefined],
    [
      "a terminal, /clear",
      "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
      {},
      undefined,
    ],
    [
      "a background task",
      notification,
      { promptSource: "system", origin: { kind: "task-notification" }, turnOrigin: "task_notification" },
      false,
    ],
    ["SendMessage to main", passedOn, { ...system, origin: { kind: "peer", from: "a1" }, turnOrigin: "peer" }, false],
    [
      "the reminder before it",
      "<system-reminder>x</system-reminder>",
      { isMeta: true, turnCompanion: true },
      undefined,
    ],
    [
      "ScheduleWakeup <<loop.md-dynamic>>",
      "# /loop tick — tasks from .claude/loop.md",
      { ...system, wakeupSource: "loop_wakeup", turnOrigin: "scheduled" },
      false,
    ],
    [
      "ScheduleWakeup <<autonomous-loop-dynamic>>",
      "# Autonomous loop check",
      { ...system, wakeupSource: "loop_wakeup", turnOrigin: "scheduled" },
      false,
    ],
    ["CronCreate", "do it", { ...system, wakeupSource: "schedule_wakeup", turnOrigin: "scheduled" }, false],
    [
      "CronCreate, a custom command",
      command("deploy", "now"),
      { wakeupSource: "schedule_wakeup", turnOrigin: "scheduled" },
      false,
    ],
    ["CronCreate, in 2.1.142", "do it", { isMeta: true, permissionMode: "default", entrypoint: "cli" }, false],
    ["a terminal, in 2.1.142", "do it", { permissionMode: "default", entrypoint: "cli" }, true],
    ["an unknown origin", "do it", { ...sdk, origin: { kind: "telepathy" } }, false],
    ["an origin without a kind", "do it", { ...sdk, origin: {} }, false],
    ["an unknown turn", "do it", { promptSource: "typed", turnOrigin: "unknown" }, false],
    ["an unknown source", "do it", { promptSource: "remote" }, false],
  ];
  for (const [sender, content, marks, byUser] of TURNS)
    test(sender, () => {
      const line = JSON.stringify({ type: "user", message: { role: "user", content }, promptId: "1", ...marks });
      expect(readPrompt(line)?.byUser).toBe(byUser as boolean);
    });

  const QUEUED: [sender: string, entrypoint: string, attachment: object, byUser: boolean][] = [
    ["a terminal", "cli", { prompt: "stop", commandMode: "prompt", origin: { kind: "human" } }, true],
    ["a terminal, without an origin", "cli", { prompt: "stop", commandMode: "prompt" }, false],
    ["an editor", "claude-vscode", { prompt: "stop", commandMode: "prompt" }, true],
    ["an editor, in blocks", "sdk-ts", { prompt: [{ type: "text", text: "stop" }], commandMode: "prompt" }, true],
    [
      "SendMessage to main",
      "cli",
      { prompt: message, commandMode: "prompt", origin: { kind: "peer" }, isMeta: true },
      false,
    ],
    ["SendMessage to main, with -p", "sdk-cli", { prompt: message, origin: { kind: "peer" }, isMeta: true }, false],
    ["a message of an agent without marks", "sdk-cli", { prompt: message }, false],
    ["a background task", "sdk-cli", { prompt: notification, commandMode: "task-notification" }, false],
    ["a hidden prompt", "sdk-cli", { prompt: "go on", commandMode: "prompt", isMeta: true }, false],
  ];
  for (const [sender, entrypoint, attachment, byUser] of QUEUED)
    test(`while the agent works: ${sender}`, () => {
      const line = { type: "attachment", entrypoint, attachment: { type: "queued_command", ...attachment } };
      expect(readPrompt(JSON.stringify(line))).toMatchObject({ byUser, isQueued: true, id: undefined });
    });

  test("a custom command is what the user typed", () => {
    const typed = (content: string) =>
      readPrompt(JSON.stringify({ type: "user", message: { content }, turnOrigin: "sdk" }))?.text;
    expect(typed(command("deploy", "prod <b>now</b>"))).toBe("/deploy prod <b>now</b>");
    expect(typed(command("deploy", ""))).toBe("/deploy");
    expect(typed("<command-message>deploy</command-message>\n<command-name>/deploy</command-name>")).toBe("/deploy");
  });

  test.each([
    ["do it", true],
    ["# Plan", true],
    ["<3 this", true],
    ["a <b> in the middle", true],
    ["<html>pasted", false],
    ["<a-form-of-tomorrow>x", false],
    ["<!-- x", false],
    [message, false],
    [`\n${message}`, false],
    ["<teammate-message teammate_id='a'>x", false],
    ["<cross-session-message from='x'>", false],
    [notification, false],
    ["# /loop tick — tasks from .claude/loop.md", false],
    ["# Autonomous loop check\n\nYou're being invoked", false],
    ["<local-command-stdout>x", false],
    ["[Request interrupted by user]", false],
  ])("without any mark, as in older versions, %p is the user's: %p", (content, byUser) =>
    expect(readPrompt(JSON.stringify({ type: "user", message: { content } }))).toMatchObject({
      byUser,
      namesSender: false,
    }),
  );
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
])("the agent answers %p: %p", (text, expected) => expect(startsTurn({ text, isQueued: false })).toBe(expected));
