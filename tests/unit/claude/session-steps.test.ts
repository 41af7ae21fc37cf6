import { expect, test } from "bun:test";
import { hasWritten, sessionSteps } from "../../../src/claude/session-steps.ts";

const user = (content: unknown, more: object = {}) => ({ type: "user", message: { content }, ...more });
const assistant = (...content: object[]) => ({ type: "assistant", message: { content } });
const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, is_error = false) =>
  user([{ type: "tool_result", tool_use_id: id, content, is_error }]);

function read(...lines: unknown[]) {
  const { add, log } = sessionSteps();
  for (const line of lines) add(typeof line === "string" ? line : JSON.stringify(line));
  return log();
}

test("prompts and tool calls in order, with what they were about and how they ended", () => {
  const { steps, lastMessage } = read(
    user("do it"),
    assistant({ type: "text", text: "I start" }, call("1", "Write", { file_path: "/p/a", content: "x" })),
    result("1", "created"),
    assistant(call("2", "Bash", { command: "npm test", description: "d" })),
    result("2", [{ type: "text", text: "1 failed" }], true),
    user("and now this"),
    assistant({ type: "text", text: "done" }),
  );
  expect(steps).toEqual([
    { kind: "prompt", text: "do it" },
    { kind: "tool", name: "Write", about: "/p/a", hasFailed: false, output: "created" },
    { kind: "tool", name: "Bash", about: "npm test", hasFailed: true, output: "1 failed" },
    { kind: "prompt", text: "and now this" },
  ]);
  expect(lastMessage).toBe("done");
});

test("a call that still runs has not failed, and a file that it writes counts", () => {
  const { steps } = read(user("do it"), assistant(call("1", "Write", { file_path: "/p/a", content: "x" })));
  expect(steps[1]).toEqual({ kind: "tool", name: "Write", about: "/p/a", hasFailed: false, output: "" });
  expect(hasWritten(steps)).toBe(true);
});

test("delegated agents, notices, broken and unknown lines are left out", () => {
  const { steps, lastMessage } = read(
    { ...assistant(call("1", "Bash", { command: "x" })), isSidechain: true },
    user("<task-notification>ended</task-notification>"),
    result("unknown", "x"),
    '{"type":"user"',
    { type: "attachment" },
    assistant(),
  );
  expect({ steps, lastMessage }).toEqual({ steps: [], lastMessage: "" });
});

test("a file was written since the last prompt, and it is not one of Claude Code's own plans", () => {
  const prompt = { kind: "prompt", text: "x" } as const;
  const wrote = (about: string, name = "Write", hasFailed = false) =>
    ({ kind: "tool", name, about, hasFailed, output: "" }) as const;
  expect(hasWritten([prompt, wrote("/p/a.ts")])).toBe(true);
  expect(hasWritten([prompt, wrote("/p/a.ts", "Edit", true), wrote("/p/a.ts", "Read")])).toBe(false);
  expect(hasWritten([wrote("/p/a.ts"), prompt])).toBe(false);
  expect(hasWritten([prompt, wrote("/home/u/.claude/plans/a.md")])).toBe(false);
});
