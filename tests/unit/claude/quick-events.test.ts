import { describe, expect, test } from "bun:test";
import { hasToolHook, readStatusEvent, type StatusEvent, withToolHook } from "../../../src/claude/quick-events.ts";

describe("status event", () => {
  const NOTHING = { session: undefined, folder: undefined, model: undefined, contextUsed: undefined };

  describe("the event of a status line", () => {
    test("of 2.1.325", () =>
      expect(
        readStatusEvent(
          JSON.stringify({
            session_id: "cec9514a-7d19-464c-bcff-408959271129",
            cwd: "/p",
            model: { id: "claude-opus-5-5", display_name: "Opus 5.5" },
            workspace: { current_dir: "/p", project_dir: "/p", added_dirs: [] },
            version: "2.1.325",
            context_window: { context_window_size: 1_000_000, used_percentage: 12.5, remaining_percentage: 87.5 },
          }),
        ),
      ).toEqual({
        session: "cec9514a-7d19-464c-bcff-408959271129",
        folder: "/p",
        model: "Opus 5.5",
        contextUsed: 12.5,
      }));

    const table: [text: string, event: StatusEvent][] = [
      ["", NOTHING],
      ["not JSON", NOTHING],
      ["[1]", NOTHING],
      ["null", NOTHING],
      ['{"session_id":"../../etc","model":"glm","context_window":[]}', NOTHING],
      ['{"session_id":7,"model":{"display_name":7},"context_window":{"used_percentage":null}}', NOTHING],
      ['{"session_id":"a","model":{"display_name":" ","id":"glm-5"}}', { ...NOTHING, session: "a", model: "glm-5" }],
    ];
    test.each(table)("%s", (text, event) => expect(readStatusEvent(text)).toEqual(event));
  });
});

describe("tool event", () => {
  const COMMAND = { command: "ccc guard" };

  test("the guard of a reviewer is its only hook, and runs whatever the settings say", () => {
    const off = { model: "m", disableAllHooks: true, allowManagedHooksOnly: true };
    const settings = withToolHook({ ...off, hooks: { PreToolUse: [{ hooks: [] }], Stop: [] } }, COMMAND);
    const guard = { type: "command", ...COMMAND, timeout: 60, onFailure: "block" };
    expect(settings).toEqual({
      model: "m",
      disableAllHooks: false,
      allowManagedHooksOnly: false,
      hooks: { PreToolUse: [{ matcher: "*", hooks: [guard] }] },
    });
    expect(hasToolHook(settings, "ccc guard")).toBe(true);
    expect(hasToolHook({ ...settings, disableAllHooks: true }, "ccc guard")).toBe(false);
    expect(hasToolHook({}, "ccc guard")).toBe(false);
  });
});
