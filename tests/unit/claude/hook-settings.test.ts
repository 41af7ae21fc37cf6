import { expect, test } from "bun:test";
import { withHooks, withHooksAllowed } from "../../../src/claude/hook-settings.ts";

test("the supervisor's hooks run, whatever the settings say", () =>
  expect(withHooksAllowed({ model: "m", disableAllHooks: true, allowManagedHooksOnly: true })).toEqual({
    model: "m",
    disableAllHooks: false,
    allowManagedHooksOnly: false,
  }));

test("the user's own hooks stay, before those that are added", () => {
  const own = { hooks: [{ type: "command", command: "own" }] };
  const added = { hooks: [{ type: "command", command: "added", timeout: 10 }] };
  expect(withHooks({ hooks: { Stop: [own], Other: [own] } }, { Stop: added, SessionStart: added })).toEqual({
    hooks: { Stop: [own, added], Other: [own], SessionStart: [added] },
  });
});
