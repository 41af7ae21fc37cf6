import { describe, expect, test } from "bun:test";
import { refuseSettings, settingsChecker } from "../../../src/claude/accepted-settings.ts";
import type { Json } from "../../../src/text/json.ts";

/** Each row was tried with Claude Code 2.1.325. */
describe("settings for which Claude Code drops the whole file", () => {
  const table: [problem: string, settings: Json][] = [
    ["x.permissions: must be an object", { permissions: [] }],
    ["x.permissions.deny: must be a list of strings", { permissions: { deny: null } }],
    ["x.permissions.additionalDirectories.0: must be a string", { permissions: { additionalDirectories: [5] } }],
    [
      'x.permissions.disableBypassPermissionsMode: must be "disable"',
      { permissions: { disableBypassPermissionsMode: true } },
    ],
    ["x.model: must be a string", { model: null }],
    ["x.verbose: must be true or false", { verbose: "yes" }],
    ["x.disableAgentView: must be true or false", { disableAgentView: "yes" }],
    ["x.cleanupPeriodDays: must be a whole number of at least 1", { cleanupPeriodDays: 1.5 }],
    ["x.feedbackSurveyRate: must be from 0 to 1", { feedbackSurveyRate: 2 }],
    ["x.availableModels.1: must be a string", { availableModels: ["a", 5] }],
    ["x.statusLine.type: is missing", { statusLine: { command: "x" } }],
    ["x.statusLine.padding: must be a number", { statusLine: { type: "command", command: "x", padding: "1" } }],
    ["x.sandbox.network.allowedDomains: must be a list of strings", { sandbox: { network: { allowedDomains: "a" } } }],
    ["x.enabledPlugins.a: must be true, false or a list of strings", { enabledPlugins: { a: null } }],
    ["x.attribution: must be an object", { attribution: "bad" }],
    ['x.quietHours.start: must be a time like "22:00"', { quietHours: { start: "bad" } }],
    ['x.autoUpdatesChannel: must be "latest" or "stable" or "rc"', { autoUpdatesChannel: "bad" }],
    ["x.env: must be an object", { env: "bad" }],
    ["x.hooks.Stop.0.hooks: is missing", { hooks: { Stop: [{}] } }],
    ["x.hooks.Stop.0.hooks.0: must have a command", { hooks: { Stop: [{ hooks: [{ type: "command" }] }] } }],
  ];
  test.each(table)("%s", (problem, settings) => expect(settingsChecker()(settings, "x")).toEqual([problem]));
});

describe("settings that Claude Code loads, at least in part", () => {
  const table: Json[] = [
    {},
    { unknown: { a: [null] }, permissions: { unknown: 5 }, sandbox: { unknown: 5 } },
    { permissions: { allow: ["Bash(("], defaultMode: "manual" } },
    { attribution: true, enabledPlugins: { a: ["x"], b: false }, enabledMcpjsonServers: "all" },
    { theme: 5, effortLevel: "bad", viewMode: null, allowedMcpServers: "bad", modelPicker: [] },
    { allowManagedHooksOnly: null, blockedMarketplaces: null, disableAutoMode: null, env: null },
    {
      hooks: {
        SomeNewEvent: [],
        Stop: [{ matcher: "", hooks: [{ type: "some new type" }, { type: "http", url: "u" }] }],
      },
    },
    { env: { A: 1, B: true, C: "c" }, skillListingBudgetFraction: 0.5, voice: { mode: "tap" } },
  ];
  test.each(table)("%j", (settings) => expect(settingsChecker()(settings, "")).toEqual([]));
});

test("no message quotes a value", () => {
  const secret = "sk-secret-0123456789";
  const problems = settingsChecker()(
    { permissions: secret, verbose: secret, hooks: { Stop: secret }, tui: secret },
    "",
  );
  expect(problems).toHaveLength(4);
  expect(problems.join()).not.toContain(secret);
});

describe("--settings", () => {
  test("that Claude Code loads are accepted", () => expect(refuseSettings({ model: "m" })).toBeUndefined());
  test("with one mistake are refused", () =>
    expect(() => refuseSettings({ model: 5 })).toThrow("--settings: model: must be a string"));
  test("with several are refused with all of them", () =>
    expect(() => refuseSettings({ model: 5, verbose: "yes" })).toThrow(
      "--settings: model: must be a string\n--settings: verbose: must be true or false",
    ));
});
