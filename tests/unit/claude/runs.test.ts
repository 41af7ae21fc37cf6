import { describe, expect, test } from "bun:test";
import {
  agentArguments,
  type ReviewWay,
  reviewerRun,
  settingsForReviewer,
  userLine,
} from "../../../src/claude/runs.ts";

const COMMAND = {
  sessionId: "s",
  settings: "F",
  systemPrompt: "You review.",
  schema: { type: "object" },
  mayRun: ["npm test", "git diff"],
  mayNotRead: ["//secret/**"],
  retries: 2,
};

function argumentsFor(way: ReviewWay) {
  return reviewerRun({ ...COMMAND, way }, {}).args;
}

/** The value after an option, undefined if the option is not there. */
function valueAfter(args: readonly string[], option: string) {
  const at = args.indexOf(option);
  return at === -1 ? undefined : args[at + 1];
}

describe("a reviewer", () => {
  test("answers in a schema, if there is one", () => {
    const without = reviewerRun({ ...COMMAND, way: "fresh", schema: undefined }, {}).args;
    expect([argumentsFor("fresh"), without].map((args) => valueAfter(args, "--json-schema"))).toEqual([
      '{"type":"object"}',
      undefined,
    ]);
  });

  test("takes each message as a line of JSON, with a replacement for bytes that are not text", () => {
    expect(valueAfter(argumentsFor("shared"), "--input-format")).toBe("stream-json");
    const line = userLine('two\nlines, "quoted" \uDCFF');
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual({
      type: "user",
      message: { role: "user", content: 'two\nlines, "quoted" \uFFFD' },
    });
  });

  // A tool that is denied by its name is left out of the request: the agent's prompt cache would be lost.
  test.each([
    ["shared", false],
    ["schema", true],
    ["fresh", false],
  ] as const)("of the way %s is denied tools by their names: %p", (way, isDenied) => {
    const denied = valueAfter(argumentsFor(way), "--disallowedTools")?.split(",") ?? [];
    expect(["Agent", "Task", "NotebookEdit", "Skill"].map((tool) => denied.includes(tool))).toEqual(
      Array(4).fill(isDenied),
    );
  });

  test("of the way fresh has only the tools that a review needs, and no session", () => {
    const args = argumentsFor("fresh");
    expect(valueAfter(args, "--tools")).toBe("Bash,Read,Grep,Glob");
    expect(args).not.toContain("--resume");
  });

  test("in a sandbox has no rules that would forbid its commands to write, and no tool that works outside", () => {
    const { args } = reviewerRun({ ...COMMAND, way: "fresh", mayRun: [], mayNotRead: [], isSandboxed: true }, {});
    expect(valueAfter(args, "--tools")).toBe("Bash,Read");
    expect(args).not.toContain("--allowedTools");
    expect(args).not.toContain("--disallowedTools");
    const given = { sandbox: { excludedCommands: ["curl"] }, permissions: { deny: ["Read(x)", "Edit(**)"] } };
    const rules = { mayWrite: ["/copy"], hidden: ["/h"], shown: ["/h/p"], unset: ["KEY", "not a name"] };
    expect(settingsForReviewer(given, [], rules)).toEqual({
      permissions: { allow: ["Bash"], deny: ["Read(x)"] },
      sandbox: {
        enabled: true,
        failIfUnavailable: true,
        allowUnsandboxedCommands: false,
        autoAllowBashIfSandboxed: true,
        excludedCommands: [],
        network: { allowedDomains: [], allowUnixSockets: [], allowAllUnixSockets: false, allowLocalBinding: false },
        filesystem: expect.objectContaining({ denyRead: ["/h"], allowRead: ["/h/p"], allowWrite: ["/copy"] }),
        credentials: { envVars: [{ name: "KEY", mode: "deny" }] },
      },
    });
    // A fork has the agent's own sandbox: it is in the description of its tools.
    expect(settingsForReviewer(given, [])).toMatchObject({ sandbox: given.sandbox });
  });

  test.each(["shared", "schema"] as const)("of the way %s is a fork of the session", (way) => {
    const args = argumentsFor(way);
    expect([args.includes("--fork-session"), valueAfter(args, "--resume")]).toEqual([true, "s"]);
  });

  test.each(["shared", "schema", "fresh"] as const)("of the way %s cannot write, nor read secrets", (way) => {
    const args = argumentsFor(way);
    const denied = valueAfter(args, "--disallowedTools")?.split(",");
    expect(denied).toEqual(
      expect.arrayContaining(["Edit(**)", "Edit(//**)", "Write(**)", "Write(//**)", "Read(//secret/**)"]),
    );
    expect(valueAfter(args, "--allowedTools")).toBe("Bash(npm test),Bash(git diff)");
    expect([valueAfter(args, "--setting-sources"), valueAfter(args, "--permission-mode")]).toEqual(["", "dontAsk"]);
    expect(args).toContain("--no-session-persistence");
  });
});

test.each([
  [undefined, "2"],
  ["0", "0"],
  ["1", "1"],
  ["2", "2"],
  ["10", "2"],
  ["-1", "2"],
  ["1.5", "2"],
  ["many", "2"],
])("a user who wants %p retries, where a review has at most 2, gets %s", (wanted, retries) =>
  expect(reviewerRun({ ...COMMAND, way: "fresh" }, { CLAUDE_CODE_MAX_RETRIES: wanted }).env).toEqual({
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    DISABLE_COMPACT: "1",
    CLAUDE_CODE_MAX_RETRIES: retries,
  }),
);

describe("the agent's settings for its reviewer", () => {
  test("allow nothing, enable no plugin, and still deny what they denied", () => {
    const permissions = { allow: ["Bash"], ask: ["Edit"], defaultMode: "acceptEdits", deny: ["x"], other: 1 };
    const settings = { model: "m", permissions, enabledPlugins: { p: true }, extraKnownMarketplaces: {} };
    expect(settingsForReviewer(settings, [])).toEqual({
      model: "m",
      permissions: { other: 1, deny: expect.arrayContaining(["x", "Edit(**)", "Write(//**)"]) },
    });
  });

  test("add folders after those that they have", () => {
    const settings = { permissions: { additionalDirectories: ["/a", 5] } };
    expect(settingsForReviewer(settings, ["/b"]).permissions).toMatchObject({ additionalDirectories: ["/a", "/b"] });
  });
});

describe("the loop's agent", () => {
  const handedOver = (options: readonly string[], message?: string) =>
    agentArguments({ settings: "F", options, sessionId: "s", message, isHandedOver: true });
  const options = ["--model", "m", "--resume", "old", "-c", "-p"];
  test("LOOP-05 the first run has the user's options, and the message after --", () =>
    expect(agentArguments({ settings: "F", options, sessionId: undefined, message: "-x" })).toEqual([
      "--settings",
      "F",
      ...options,
      "--print",
      "--verbose",
      "--output-format",
      "stream-json",
      "--",
      "-x",
    ]));
  test("LOOP-03 later runs resume the session, whatever session the user chose for the first", () =>
    expect(agentArguments({ settings: "F", options, sessionId: "s", message: "m" })).toEqual([
      "--settings",
      "F",
      "--model",
      "m",
      "--print",
      "--verbose",
      "--output-format",
      "stream-json",
      "--resume",
      "s",
      "--",
      "m",
    ]));
  test("LOOP-04 at the end the user gets the session as an interactive one", () =>
    expect(handedOver([...options, "--session-id=x"])).toEqual(["--settings", "F", "--model", "m", "--resume", "s"]));
  test("an option after --resume or --worktree without a value is kept", () =>
    expect(handedOver(["--model", "m", "-r", "--verbose", "-w", "--ide"])).toEqual([
      "--settings",
      "F",
      "--model",
      "m",
      "--verbose",
      "--ide",
      "--resume",
      "s",
    ]));
  test("a session that is handed over may begin with a prompt", () =>
    expect(handedOver([], "-two").slice(-2)).toEqual(["--", "-two"]));
});

test.each([
  ["a model of the first one", ["--model", "glm-5", "--verbose"], ["--verbose"]],
  ["in one word", ["--model=glm-5", "--fallback-model=x"], []],
  ["but with a role, which every provider has", ["--model", "opus", "--fallback-model=sonnet[1m]"], undefined],
])("the agent continues on another provider without %s", (_, options, expected = options) => {
  const run = { settings: "F", options, sessionId: undefined, message: "--model x" };
  const args = agentArguments({ ...run, isRelayed: true });
  expect(args.slice(2, 2 + expected.length)).toEqual(expected);
  expect(args.slice(2 + expected.length)).toEqual(agentArguments({ ...run, options: [] }).slice(2));
  expect(agentArguments(run)).toEqual(expect.arrayContaining(options));
});
