import { describe, expect, test } from "bun:test";
import { isIdleEvent } from "../../../../src/supervisor/hooks/idle-event.ts";

const prompt = (text: string) => ({ hook_event_name: "UserPromptSubmit", session_id: "a-1", prompt: text });
const STOP = { hook_event_name: "Stop", session_id: "a-1", last_assistant_message: "/ccc:supervisor on" };

describe("a hook of a session without supervision has nothing to do", () => {
  const rows: [string, event: unknown, switched: string[], isIdle: boolean][] = [
    ["at a stop, whatever the agent says", STOP, [], true],
    ["at a prompt", prompt("hello"), [], true],
    ["at a prompt about the command", prompt("what is /ccc:supervisor?"), [], true],
    ["but at the command", prompt("/ccc:supervisor on"), [], false],
    ["with spaces before it", prompt("  /ccc:supervisor"), [], false],
    ["but at a stop once it was switched", STOP, ["a-1"], false],
    ["but at a prompt once it was switched", prompt("hello"), ["a-1"], false],
    ["another session's switch does not matter", STOP, ["a-2"], true],
    ["but at the start", { hook_event_name: "SessionStart", session_id: "a-1" }, [], false],
    ["but with a session id that is a path, which is reported", { ...STOP, session_id: "../a" }, [], false],
    ["but without a session", { hook_event_name: "Stop" }, [], false],
    ["but with another event", { ...STOP, hook_event_name: "PreToolUse" }, [], false],
  ];
  for (const [name, event, switched, isIdle] of rows)
    test(name, () => expect(isIdleEvent(JSON.stringify(event), (session) => switched.includes(session))).toBe(isIdle));
  test("but handles input that is not an event", () => expect(isIdleEvent("{", () => false)).toBe(false));
});
