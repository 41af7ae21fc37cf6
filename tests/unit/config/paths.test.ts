import { expect, test } from "bun:test";
import { isLaunchSettings, launchSettingsFileName, settingsFileName } from "../../../src/config/paths.ts";

test.each([
  [launchSettingsFileName("glm", "plain", "{}"), true],
  [launchSettingsFileName("glm", "reviewer", "{}"), true],
  [settingsFileName("glm", "reviewer"), false],
  // Sessions that ccc does not start need them for as long as the switch lasts.
  [settingsFileName("glm", "persistent", 0), false],
  [settingsFileName("glm", "persistent", 1), false],
])("%s is removed when it is old: %p", (name, isRemoved) => expect(isLaunchSettings(`/c/ccc/${name}`)).toBe(isRemoved));

test("the reviewers of `ccc use` have files of their own", () => {
  expect([0, 1, 2].map((index) => settingsFileName("glm", "persistent", index))).toEqual([
    "settings-glm~use.json",
    "settings-glm~use+1.json",
    "settings-glm~use+2.json",
  ]);
});
