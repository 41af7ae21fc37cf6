import { expect, test } from "bun:test";
import { hookForm } from "../../../src/claude/hook-form.ts";

test.each([
  ["2.1.139", "linux", "exec"],
  ["2.1.325", "linux", "exec"],
  ["2.2.0", "darwin", "exec"],
  ["2.1.138", "linux", "shell"],
  ["2.0.77", "darwin", "shell"],
  ["2.1.325", "win32", "exec"],
  ["2.1.138", "win32", "shell"],
  [undefined, "linux", "shell"],
  [undefined, "win32", "exec"],
] as const)("hooks of Claude Code %p on %s: %s form", (version, platform, form) =>
  expect(hookForm(version, platform)).toBe(form),
);
