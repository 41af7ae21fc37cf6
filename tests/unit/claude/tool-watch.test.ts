import { describe, expect, test } from "bun:test";
import { reportsFailure } from "../../../src/claude/task-notification.ts";
import { toolWatch } from "../../../src/claude/tool-watch.ts";

const user = (promptId: string, content: unknown = "do it", more: object = {}) =>
  JSON.stringify({ type: "user", promptId, message: { content }, ...more });
const agent = (...content: object[]) => JSON.stringify({ type: "assistant", message: { content } });
const says = (text: string) => agent({ type: "text", text });
const uses = (type = "tool_use") => agent({ type, id: "t", name: "Bash", input: {} });
const result = (promptId: string) => user(promptId, [{ type: "tool_result", content: "x" }]);
const END = says("the end");

describe("whether a tool ran in the turns from p2 to p3", () => {
  const table: [name: string, lines: string[], used: boolean | undefined][] = [
    ["no", [user("p1"), user("p2"), says("x"), user("p3"), END], false],
    ["before them", [user("p1"), uses(), result("p1"), user("p2"), user("p3"), END], false],
    ["in the first", [user("p2"), uses(), result("p2"), says("x"), user("p3"), END], true],
    ["in the last", [user("p2"), says("x"), user("p3"), uses(), result("p3"), END], true],
    ["of the server", [user("p2"), user("p3"), uses("server_tool_use"), END], true],
    ["by a delegated agent", [user("p2"), user("p3"), uses().replace("{", '{"isSidechain":true,'), END], true],
    ["a delegated agent's last message", [user("p2"), user("p3"), END.replace("{", '{"isSidechain":true,')], undefined],
    ["the last message is not there yet", [user("p2"), says("the end"), user("p3")], undefined],
    ["the last message is not there yet, but a call is", [user("p2"), user("p3"), uses()], true],
    ["the last prompt is not there yet", [user("p2"), END], undefined],
    ["the first prompt is missing", [user("p3"), END], undefined],
    ["the first prompt is missing, and its result is there", [result("p2"), user("p3"), END], undefined],
    ["an empty message proves nothing", [user("p2"), user("p3"), agent({ type: "thinking" })], undefined],
    ["a message that quotes a call", [user("p2"), user("p3"), says('{"type":"tool_use"}'), END], false],
    ["broken lines", [user("p2"), "{", user("p3"), '{"type":"assistant"}', END], false],
    ["nothing", [], undefined],
  ];
  for (const [name, lines, used] of table)
    test(name, () => {
      const watch = toolWatch({ since: "p2", current: "p3", lastMessage: "I say:\n\nthe end\n" });
      for (const line of lines) watch.add(line);
      expect(watch.usedTools()).toBe(used);
    });
});

describe("whether the lines reach back before p2, and so have all of its turn", () => {
  const table: [name: string, lines: string[], whole: boolean][] = [
    ["an earlier prompt", [user("p1"), user("p2")], true],
    ["an earlier prompt's result", [result("p1"), user("p2")], true],
    ["p2 first", [user("p2")], false],
    ["p2 first, and a later prompt", [user("p2"), user("p3")], false],
    ["p2 after its own result", [result("p2"), user("p2")], false],
    ["p2 after a line without an id", [user(""), user("p2")], false],
    ["a line without an id after p2", [user("p2"), user("")], false],
    ["no p2", [user("p1"), user("p3")], false],
  ];
  for (const [name, lines, whole] of table)
    test(name, () => {
      const watch = toolWatch({ since: "p2", current: "p3", lastMessage: "the end" });
      for (const line of lines) watch.add(line);
      expect(watch.hasWholeTurns()).toBe(whole);
    });
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
