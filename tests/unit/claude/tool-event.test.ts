import { expect, test } from "bun:test";
import { hasToolHook, withToolHook } from "../../../src/claude/tool-event.ts";

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
