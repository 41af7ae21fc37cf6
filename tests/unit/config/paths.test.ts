import { expect, test } from "bun:test";
import {
  isLaunchSettings,
  launchSettingsFileName,
  settingsFileName,
  useReviewerFileName,
} from "../../../src/config/paths.ts";

test.each([
  [launchSettingsFileName("glm", "plain", "{}"), true],
  [launchSettingsFileName("glm", "reviewer", "{}"), true],
  [settingsFileName("glm", "reviewer"), false],
  // Sessions that ccc does not start need them for as long as the switch lasts.
  [useReviewerFileName("glm", 0), false],
  [useReviewerFileName("glm", 1), false],
])("%s is removed when it is old: %p", (name, isRemoved) => expect(isLaunchSettings(`/c/ccc/${name}`)).toBe(isRemoved));

test("the reviewers of `ccc use` have files of their own", () => {
  expect([0, 1, 2].map((index) => useReviewerFileName("glm", index))).toEqual([
    "settings-glm~use.json",
    "settings-glm~use+1.json",
    "settings-glm~use+2.json",
  ]);
});
