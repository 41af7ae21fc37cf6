import { describe, expect, test } from "bun:test";
import { addedFolders, claudeStart, parseClaudeArguments, type ResumedSession } from "../../../src/claude/arguments.ts";

describe("arguments", () => {
  describe("parseClaudeArguments", () => {
    const table: [args: string[], options: string[], prompt: string | undefined][] = [
      [[], [], undefined],
      [["do it"], [], "do it"],
      [["-p", "do it"], ["-p"], "do it"],
      [["--model", "m", "do it", "--verbose"], ["--model", "m", "--verbose"], "do it"],
      [["--model=m", "do it"], ["--model=m"], "do it"],
      [["do it", "--allowedTools", "Bash", "Read"], ["--allowedTools", "Bash", "Read"], "do it"],
      [["--allowedTools", "Bash", "--", "do it"], ["--allowedTools", "Bash"], "do it"],
      [["--resume", "id", "do it"], ["--resume", "id"], "do it"],
      [["--resume", "--verbose", "do it"], ["--resume", "--verbose"], "do it"],
      [["--system-prompt", "--odd", "do it"], ["--system-prompt", "--odd"], "do it"],
      [["--invented", "x", "do it"], ["--invented", "x"], "do it"],
      [["-cp", "go on"], ["-cp"], "go on"],
      [["--", "-x"], [], "-x"],
      [[""], [], ""],
    ];
    for (const [args, options, prompt] of table) {
      test(JSON.stringify(args), () => expect(parseClaudeArguments(args)).toEqual({ options, prompt }));
    }
    test("refuses two prompts", () =>
      expect(() => parseClaudeArguments(["a", "b"])).toThrow("claude takes one prompt"));
  });

  describe("claude only answers, and only about itself,", () => {
    const table: [args: string[], print: boolean, inquiry: boolean][] = [
      [[], false, false],
      [["what does -p do"], false, false],
      [["-p", "hi"], true, false],
      [["hi", "--print"], true, false],
      [["-cp", "hi"], true, false],
      [["-pc", "hi"], true, false],
      [["-prid", "hi"], true, false],
      [["-rp"], false, false],
      [["--permission-mode", "plan"], false, false],
      [["--", "-p", "-v"], false, false],
      [["-p", "--version"], true, true],
      [["-v"], false, true],
      [["--help"], false, true],
      [["-ph"], true, true],
      [["--verbose", "-d", "hooks"], false, false],
    ];
    for (const [args, print, inquiry] of table) {
      test(JSON.stringify(args), () => expect(claudeStart(args)).toMatchObject({ isPrint: print, isInquiry: inquiry }));
    }
  });

  test.each([
    [["--bg", "do it"], true],
    [["do it", "--background"], true],
    [["do it"], false],
    [["--", "--bg"], false],
  ])("a background session: %j %p", (args, expected) => expect(claudeStart(args).isBackground).toBe(expected));

  describe("is a session in a terminal", () => {
    const rows: [args: string[], expected: boolean][] = [
      [[], true],
      [["fix the bug"], true],
      [["--resume", "x"], true],
      [["-c"], true],
      [["--plugin-dir", "/own"], true],
      [["--", "-p"], true],
      [["-p", "hi"], false],
      [["-cp", "hi"], false],
      [["--print"], false],
      [["--bg", "hi"], false],
      [["--version"], false],
      [["-h"], false],
      [["mcp", "list"], false],
      [["agents"], false],
      [["attach", "x"], false],
      [["--output-format", "stream-json"], false],
      [["--input-format=stream-json"], false],
    ];
    for (const [args, expected] of rows)
      test(args.join(" ") || "no arguments", () => expect(claudeStart(args).isTerminal).toBe(expected));
  });

  describe("the session to continue", () => {
    const table: [args: string[], resumed: ResumedSession | undefined][] = [
      [[], undefined],
      [["-p", "hi"], undefined],
      [["-c"], { session: undefined }],
      [["--continue", "-p", "hi"], { session: undefined }],
      [["-cp", "hi"], { session: undefined }],
      [["-pc", "hi"], { session: undefined }],
      [["--resume", "id"], { session: "id" }],
      [["--resume=id", "--fork-session"], { session: "id" }],
      [["-p", "hi", "-r", "id"], { session: "id" }],
      [["-rid"], { session: "id" }],
      [["--resume"], undefined],
      [["-r", "-p"], undefined],
      [["--resume=", "-p"], undefined],
      [["--", "-c"], undefined],
      [["what does -c do"], undefined],
      [["--session-id", "id"], undefined],
      [["--from-pr", "1"], undefined],
      [["--remote-control"], undefined],
    ];
    for (const [args, resumed] of table) {
      test(JSON.stringify(args), () => expect(claudeStart(args).resumed).toEqual(resumed));
    }
  });

  test.each([
    [[], true, undefined],
    [["--no-session-persistence", "-p"], false, undefined],
    [["-p", "--bare"], true, "--bare"],
    [["--safe-mode"], true, "--safe-mode"],
    [["--", "--bare", "--no-session-persistence"], true, undefined],
  ])("claude %j saves its session: %p, runs no hooks because of %p", (args, isPersisted, hookless) =>
    expect(claudeStart(args)).toMatchObject({ isPersisted, hookless }),
  );

  describe("addedFolders", () => {
    const table: [args: string[], folders: string[]][] = [
      [["-p", "x"], []],
      [
        ["--add-dir", "a", "b", "-p", "x"],
        ["a", "b"],
      ],
      [
        ["--add-dir=a", "--add-dir", "../b", "--model", "m"],
        ["a", "../b"],
      ],
      [["--", "--add-dir", "a"], []],
      [["--add-dir"], []],
    ];
    for (const [args, folders] of table) test(args.join(" "), () => expect(addedFolders(args)).toEqual(folders));
  });
});

describe("subcommands", () => {
  test.each([
    [["mcp", "list"], true, true],
    [["logs", "1"], true, false],
    [["daemon"], true, false],
    // It starts sessions.
    [["agents"], false, true],
    [["-p", "mcp"], false, true],
    [["mcp", "list", "-p"], false, true],
    [["--settings", "{}", "mcp", "list"], true, true],
    [["--model", "opus", "--verbose", "agents", "--json"], true, true],
    [["--model", "opus", "--", "doctor"], true, true],
    [["--debug", "mcp", "list"], false, true],
    [["--add-dir", "/tmp", "mcp", "list"], false, true],
    [["--model", "opus", "fix it", "doctor"], false, true],
    // Only as the first word.
    [["--model", "opus", "logs", "1"], false, true],
    [[], false, true],
  ])("claude %j runs no session: %p, takes settings: %p", (args, subcommand, settings) =>
    expect(claudeStart(args)).toMatchObject({ isSubcommand: subcommand, takesSettings: settings }),
  );
});
