import { expect, test } from "bun:test";
import { launchSettingsFileName, settingsFileName, settingsLifetime } from "../../../src/config/paths.ts";

test.each([
  [launchSettingsFileName("glm", "plain", "{}"), "launch"],
  [launchSettingsFileName("glm", "reviewer", "{}"), "launch"],
  [launchSettingsFileName("glm", "hooked", "{}"), "launch"],
  [settingsFileName("glm", "supervised", "11111111-2222-4333-8444-555555555555"), "supervised launch"],
  [settingsFileName("glm", "plain"), undefined],
  [settingsFileName("glm", "hooked"), undefined],
  // Sessions that ccc does not start need them until `ccc use` is reset.
  [settingsFileName("glm", "persistent", 0), "use"],
  [settingsFileName("glm", "persistent", 1), "use"],
  ["checked", undefined],
  ["sessions.json", undefined],
] as const)("%s is removed with: %p", (name, lifetime) => {
  for (const path of [name, `/c/ccc/${name}`, `C:\\c\\ccc\\${name}`]) expect(settingsLifetime(path)).toBe(lifetime);
});

test("the reviewers of `ccc use` have files of their own", () => {
  expect([0, 1, 2].map((index) => settingsFileName("glm", "persistent", index))).toEqual([
    "settings-glm~use.json",
    "settings-glm~use+1.json",
    "settings-glm~use+2.json",
  ]);
});
