import { describe, expect, test } from "bun:test";
import type { Layer, Layers, Scope } from "../../../../src/claude/layers.ts";
import { readReviewerName } from "../../../../src/config/reviewer-name.ts";
import { banner, refuseWithoutHooks, versionWarning } from "../../../../src/supervisor/setup/plan-supervision.ts";
import { type Supervision, supervisedFiles } from "../../../../src/supervisor/setup/supervised-settings.ts";

const supervision: Supervision = {
  engine: "hook",
  hookForm: "exec",
  self: "/usr/local/bin/ccc",
  configDir: "/home/me/.claude",
  limit: 10,
  canWake: true,
  limitWaitSeconds: 0,
  timeoutSeconds: 600,
  checks: [],
  checkTimeoutSeconds: 60,
  reviewerProvider: undefined,
  reviewerModel: undefined,
  fallback: [],
};
const agent = {
  env: { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_MODEL: "m" },
  permissions: {
    allow: ["Bash"],
    ask: ["Read"],
    deny: ["WebFetch"],
    defaultMode: "bypassPermissions",
    additionalDirectories: ["/x"],
  },
  hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }], PreToolUse: [] },
  disableAllHooks: true,
  enabledPlugins: { "mine@market": true },
  extraKnownMarketplaces: { market: { source: { source: "directory", path: "/market" } } },
  theme: "dark",
};
const files = (parts: Partial<Supervision> = {}) =>
  supervisedFiles(
    { ...supervision, ...parts },
    (variant, content) => ({ path: `/c/settings-glm-${variant}.json`, content }),
    { agent, reviewer: agent },
  );
const { agent: agents, reviewer: reviewers } = files();

describe("the settings of a supervised launch", () => {
  test("CLI-10 CLI-12 the agent's have the Stop hook with ccc's absolute path, and keep the user's own hooks", () => {
    expect(agents.content).toMatchObject({ theme: "dark", disableAllHooks: false, allowManagedHooksOnly: false });
    const command = "/usr/local/bin/ccc";
    const args = ["supervisor-prompt", "--config-dir", "/home/me/.claude"];
    const record = { hooks: [{ type: "command", command, args, timeout: 10 }] };
    expect(agents.content.hooks).toEqual({
      PreToolUse: [],
      Stop: [
        { hooks: [{ type: "command", command: "mine" }] },
        {
          hooks: [
            {
              type: "command",
              command,
              args: [
                "supervisor-hook",
                ...["--settings", "/c/settings-glm-reviewer.json", "--state-dir", ".claude/ccc", "--announce"],
                ...["--config-dir", "/home/me/.claude"],
              ],
              timeout: 600 + 20 * 60 + 60,
              statusMessage: "supervisor is reviewing the work",
            },
          ],
        },
      ],
      SessionStart: [record],
      UserPromptSubmit: [record],
    });
  });
  test("a hook waits for usage limits, unless that is switched off or Claude Code is too old for it", () => {
    const command = "/usr/local/bin/ccc";
    const args = ["supervisor-failure", "--config-dir", "/home/me/.claude"];
    const wake = { asyncRewake: true, rewakeSummary: "the usage limit has reset" };
    expect(files({ limitWaitSeconds: 100 }).agent.content.hooks).toMatchObject({
      StopFailure: [{ hooks: [{ type: "command", command, args, timeout: 160, ...wake }] }],
    });
    expect(files({ limitWaitSeconds: 1 }).agent.content.hooks).toHaveProperty("StopFailure");
    for (const off of [{ limitWaitSeconds: 0 }, { limitWaitSeconds: 100, canWake: false }])
      expect(files(off).agent.content.hooks).not.toHaveProperty("StopFailure");
  });
  test("the Stop hook has time for every reviewer", () => {
    const fallback = ["kimi", "deepseek"].map(readReviewerName);
    const { hooks } = files({ fallback }).agent.content;
    expect(JSON.stringify(hooks)).toContain(`"timeout":${3 * 600 + 20 * 60 + 60}`);
  });
  test("HOOK-04 Claude Code's own cap is above the limit", () =>
    expect(agents.content.env).toMatchObject({
      ANTHROPIC_AUTH_TOKEN: "t",
      CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "20",
      CCC_SUPERVISOR_HOOK: "",
      CLAUDE_CODE_SIMPLE: "",
    }));
  test("CLI-11 HOOK-20 the reviewer's have ccc's guard as their only hook, no plugins, no write permissions, and are otherwise the same", () => {
    const { hooks, permissions, ...rest } = reviewers?.content ?? {};
    const command = { type: "command", command: "/usr/local/bin/ccc", args: ["supervisor-guard"] };
    const guard = { ...command, timeout: 60, onFailure: "block" };
    expect(hooks).toEqual({ PreToolUse: [{ matcher: "*", hooks: [guard] }] });
    expect(rest).toEqual({ env: agent.env, theme: "dark", disableAllHooks: false, allowManagedHooksOnly: false });
    expect(permissions).toMatchObject({
      additionalDirectories: ["/x"],
      deny: expect.arrayContaining(["WebFetch", "Edit(**)"]),
    });
    expect(Object.keys(permissions as object)).not.toEqual(expect.arrayContaining(["allow"]));
    expect(Object.keys(permissions as object)).not.toEqual(expect.arrayContaining(["defaultMode"]));
  });
  test("CLI-12 an older Claude Code gets lines for a shell, quoted where needed", () => {
    const { agent: content, reviewer } = files({ hookForm: "shell", self: "/it's here/ccc", configDir: "/a b" });
    const quoted = `'/it'\\''s here/ccc'`;
    const record = { hooks: [{ command: `${quoted} supervisor-prompt --config-dir '/a b'` }] };
    const stop = `${quoted} supervisor-hook --settings /c/settings-glm-reviewer.json --state-dir .claude/ccc --announce --config-dir '/a b'`;
    expect(content.content.hooks).toMatchObject({
      Stop: [{}, { hooks: [{ command: stop }] }],
      SessionStart: [record],
    });
    expect(reviewer.content.hooks).toMatchObject({
      PreToolUse: [{ hooks: [{ command: `${quoted} supervisor-guard` }] }],
    });
    expect(JSON.stringify([content, reviewer])).not.toContain('"args"');
  });
  test("the reviewer may read the folders added to the launch", () => {
    const content = { agent, reviewer: agent, folders: ["../lib"] };
    const { reviewer } = supervisedFiles(
      supervision,
      (_, settings) => ({ path: "/c/x.json", content: settings }),
      content,
    );
    expect(reviewer?.content.permissions).toMatchObject({ additionalDirectories: ["/x", "../lib"] });
  });
  test("the reviewer's model is its own", () => {
    const { reviewer } = files({ reviewerModel: "better" });
    expect(reviewer?.content).toMatchObject({ env: { ANTHROPIC_MODEL: "better" } });
  });
});

describe("a launch in which no hook would run is refused", () => {
  const layer = (scope: Scope, parts: Partial<Layer> = {}): Layer => ({
    path: `/${scope}.json`,
    scope,
    env: {},
    apiKeyHelper: undefined,
    forbidsHooks: false,
    ...parts,
  });
  const refuse = (args: string[], env: Record<string, string> = {}, layers: Partial<Layers> = {}) =>
    refuseWithoutHooks(args, env, { usersText: "", settings: [], managed: [], ...layers });
  test("--bare", () => expect(() => refuse(["-p", "--bare"])).toThrow("with --bare Claude Code runs no hooks"));
  test("--safe-mode", () => expect(() => refuse(["--safe-mode"])).toThrow("with --safe-mode"));
  test("CLAUDE_CODE_SIMPLE", () => expect(() => refuse([], { CLAUDE_CODE_SIMPLE: "1" })).toThrow("CLAUDE_CODE_SIMPLE"));
  test("policy", () => {
    const managed = [layer("managed"), layer("managed", { path: "/policy.json", forbidsHooks: true })];
    expect(() => refuse([], {}, { managed })).toThrow("/policy.json");
  });
  test("CLAUDE_CODE_SAFE_MODE", () =>
    expect(() => refuse([], { CLAUDE_CODE_SAFE_MODE: "1" })).toThrow("CLAUDE_CODE_SAFE_MODE"));
  test("no session to review", () =>
    expect(() => refuse(["-p", "--no-session-persistence"])).toThrow("no session to review"));
  test("a subcommand", () => expect(() => refuse(["attach", "x"])).toThrow("`claude attach` is not a session"));
  test("but not for a word after --", () =>
    expect(refuse(["--", "--bare"], {}, { managed: [layer("managed")] })).toBeUndefined());

  const policies: [name: string, value: unknown, isRefused: boolean][] = [
    ["CLAUDE_CODE_SIMPLE", "1", true],
    ["CLAUDE_CODE_SIMPLE", true, true],
    ["CLAUDE_CODE_SIMPLE", "0", false],
    ["CLAUDE_CODE_SAFE_MODE", "true", true],
    ["CCC_SUPERVISOR_HOOK", 1, true],
    ["CCC_SUPERVISOR_HOOK", "", false],
    ["BUN_BE_BUN", "1", true],
    ["BUN_JSC_useJIT", "", true],
    ["LD_TRACE_LOADED_OBJECTS", "", true],
    ["HTTPS_PROXY", "http://proxy", false],
  ];
  test.each(policies)("policy with %s=%p: %p", (name, value, isRefused) => {
    const managed = [layer("managed", { env: { [name]: value } })];
    const attempt = () => refuse([], {}, { managed });
    if (!isRefused) expect(attempt()).toBeUndefined();
    else
      expect(attempt).toThrow(
        `your organization's policy (/managed.json) sets ${name}, which would prevent every review`,
      );
  });
  test.each(["user", "project", "local"] as const)(
    "%s settings with a variable that no launch can override",
    (scope) => {
      const settings = [layer(scope, { env: { BUN_BE_BUN: "1", LD_SHOW_AUXV: "1" } })];
      expect(() => refuse([], {}, { settings })).toThrow(`/${scope}.json sets LD_SHOW_AUXV, which`);
    },
  );
});

test("the banner says who reviews and how often", () => {
  expect(banner("glm", supervision)).toBe(
    "Supervisor mode enabled: glm, reviewed by glm, at most 10 reviews per prompt",
  );
  expect(banner("glm", { ...supervision, reviewerProvider: "kimi", reviewerModel: "k2" })).toContain(
    "glm, reviewed by kimi (k2)",
  );
  const fallback = ["glm", "kimi:k2", "deepseek", "glm"].map(readReviewerName);
  expect(banner("glm", { ...supervision, fallback })).toContain(
    "glm, reviewed by glm, else by kimi (k2), deepseek, at most",
  );
});

test("a version outside the tested range causes a warning", () => {
  expect(versionWarning("2.0.77")).toBeUndefined();
  expect(versionWarning("2.1.325")).toBeUndefined();
  expect(versionWarning("2.0.76")).toContain("this is Claude Code 2.0.76");
  expect(versionWarning("2.1.326")).toContain("tested on 2.0.77 to 2.1.325");
  expect(versionWarning(undefined)).toContain("could not determine the version");
});
