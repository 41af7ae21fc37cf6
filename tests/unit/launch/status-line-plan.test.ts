import { describe, expect, test } from "bun:test";
import type { Layer, Layers } from "../../../src/claude/layers.ts";
import { planLaunch } from "../../../src/launch/plan.ts";
import { statusCommandLine } from "../../../src/launch/status-command.ts";
import { statusLinePlan } from "../../../src/launch/status-line-plan.ts";
import { terminalPlan } from "../../../src/launch/terminal-plan.ts";
import { differences, type Given, readable, SERVER, situationOf } from "./plan-case.ts";

/** What the status line changes in a launch. */
function changed(given: Given = {}, isSupervised = false) {
  const situation = situationOf(given);
  const plain = planLaunch(situation);
  return differences(readable(statusLinePlan(plain, situation, isSupervised)), readable(plain));
}

const OWN = { type: "command", command: "mine" };
const layer = (scope: Layer["scope"]): Layer => {
  return { path: "/s.json", scope, env: {}, apiKeyHelper: undefined, forbidsHooks: false, statusLine: OWN };
};
const layers = (parts: Partial<Layers>): Given => ({
  parts: { layers: { settings: [], managed: [], usersText: "", ...parts } },
});

describe("a session in the terminal has ccc's status line,", () => {
  test("in a file that sessions without it do not have", () =>
    expect(changed({ args: ["fix it"] })).toEqual({
      args: "--settings settings-glm~status.json fix it",
      files: "settings-glm~status.json",
      agent: {
        statusLine: {
          type: "command",
          command: "/bin/ccc statusline --provider glm --config-dir /c --no-supervisor",
          refreshInterval: 5,
        },
      },
    }));

  test("which is run more often if the session is supervised", () =>
    expect(changed({}, true)).toMatchObject({
      files: "settings-glm~supervised.json",
      agent: { statusLine: { command: expect.stringMatching(/ --supervisor$/), refreshInterval: 2 } },
    }));

  test("named after the content, if it is for this launch alone", () =>
    expect(changed({ args: ["--settings", '{"model":"x"}'] })).toMatchObject({
      files: "settings-glm~status+CONTENT.json",
    }));

  const own: [where: string, given: Given][] = [
    ["--settings", { args: ["--settings", JSON.stringify({ statusLine: OWN })] }],
    ["ccc.json", { shared: { statusLine: OWN } }],
    ["the provider", { glm: { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "t" }, statusLine: OWN } }],
    ["the user's settings", layers({ settings: [layer("user")] })],
    ["the project's settings", layers({ settings: [layer("project")] })],
    ["the local settings", layers({ settings: [layer("local")] })],
    ["the organization's policy", layers({ managed: [layer("managed")] })],
  ];
  test.each(own)("but not if there is one in %s", (_, given) => expect(changed(given)).toEqual({}));

  test("but not where its command could not be run", () =>
    expect(changed({ parts: { self: "C:\\My Programs\\ccc.exe" } })).toEqual({}));
});

test("sessions with a status line, with hooks, and with both do not share a file", () => {
  const situation = situationOf();
  const plain = planLaunch(situation);
  const shown = statusLinePlan(plain, situation, false);
  const plans = [plain, shown, terminalPlan(plain, situation), terminalPlan(shown, situation)];
  expect(plans.map((plan) => plan.settings.agent.path.replace("/c/ccc/settings-glm", ""))).toEqual([
    "-plain.json",
    "~status.json",
    "~hooks.json",
    "~terminal.json",
  ]);
});

describe("the command line of the status line", () => {
  const table: [self: string, folder: string, line: string | undefined][] = [
    ["/usr/bin/ccc", "/home/u/.claude", "/usr/bin/ccc statusline --config-dir /home/u/.claude"],
    ["/it's/ccc", "/a b", "'/it'\\''s/ccc' statusline --config-dir '/a b'"],
    ["C:\\bin\\ccc.exe", "C:\\Users\\u\\.claude", "C:/bin/ccc.exe statusline --config-dir C:/Users/u/.claude"],
    [
      "C:\\bin\\ccc.exe",
      "C:\\Users\\Zoë Li\\.claude",
      'C:/bin/ccc.exe statusline --config-dir "C:/Users/Zoë Li/.claude"',
    ],
    ["C:\\bin\\ccc.exe", "C:\\$HOME", undefined],
    ["C:\\Users\\Zoë Li\\ccc.exe", "C:\\c", undefined],
    ["\\\\server\\share\\ccc.exe", "C:\\c", undefined],
  ];
  test.each(table)("%s in %s", (self, folder, line) =>
    expect(statusCommandLine(self, ["statusline", "--config-dir", folder])).toBe(line as string),
  );
});
