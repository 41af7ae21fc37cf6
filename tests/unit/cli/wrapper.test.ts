import { describe, expect, test } from "bun:test";
import { claudeWords, linkedProvider, programName } from "../../../src/cli/wrapper.ts";
import { memoryFiles } from "../fakes.ts";

describe("the name that ccc was started by", () => {
  const table: [argv0: string, execPath: string, name: string][] = [
    ["ccc", "/usr/local/bin/ccc", "ccc"],
    ["./ccc-glm", "/usr/local/bin/ccc", "ccc-glm"],
    ["/home/u/.claude/ccc/bin/ccc-kimi-cn", "/opt/ccc/ccc", "ccc-kimi-cn"],
    ["C:\\Tools\\ccc-glm.exe", "C:\\Tools\\ccc-glm.exe", "ccc-glm"],
    ["claude", "/home/u/bin/ccc-glm", "ccc-glm"],
    ["bun", "/usr/bin/bun", "ccc"],
    ["", "", "ccc"],
    ["cccp", "/bin/ccc", "ccc"],
  ];
  for (const [argv0, execPath, name] of table) {
    test(`${argv0} of ${execPath} is ${name}`, () => expect(programName({ argv0, execPath })).toBe(name));
  }
});

describe("the provider of a link", () => {
  const table: [name: string, provider: string | undefined][] = [
    ["ccc", undefined],
    ["ccc-", undefined],
    ["ccc-glm", "glm"],
    ["ccc-glm-cn", "glm-cn"],
    ["ccc-linux-x64-musl", undefined],
    ["ccc-darwin-arm64", undefined],
    ["ccc-windows-x64", undefined],
    ["ccc-linux", "linux"],
  ];
  for (const [name, provider] of table) test(name, () => expect(linkedProvider(name)).toBe(provider));
});

describe("the words that say which Claude Code to run", () => {
  const files = memoryFiles({
    "/ext/native-binary/claude": "claude",
    "C:\\ext\\native-binary\\claude.exe": "claude",
    "/usr/bin/node": "node",
    "/ext/claude-code/cli.js": "script",
    "/project/claude": null,
    "/project/cli.js": "a script of the project's",
    "/ext/claude.md": "a file",
  });
  const table: [words: string[], count: number][] = [
    [["/ext/native-binary/claude", "-p"], 1],
    [["C:\\ext\\native-binary\\claude.exe", "-p"], 1],
    [["/usr/bin/node", "/ext/claude-code/cli.js", "-p"], 2],
    [["node", "/ext/claude-code/cli.js", "-p"], 2],
    [[], 0],
    [["claude", "-p"], 0],
    [["./claude"], 0],
    [["/gone/claude"], 0],
    [["/project/claude"], 0],
    [["/ext/claude.md"], 0],
    [["/review", "/ext/claude-code/cli.js"], 0],
    [["fix", "/ext/claude-code/cli.js"], 0],
    [["node", "/project/cli.js"], 0],
    [["node", "/gone/claude-code/cli.js"], 0],
    [["-p", "/ext/native-binary/claude"], 0],
  ];
  for (const [words, count] of table) {
    test(`${words.join(" ")}: ${count}`, () => expect(claudeWords(words, { files })).toBe(count));
  }
});
