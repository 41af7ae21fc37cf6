import { describe, expect, test } from "bun:test";
import { claudeProgram, findClaude, lastingPath } from "../../../src/launch/find.ts";
import { fakeWorld, memoryFiles } from "../fakes.ts";

describe("find", () => {
  describe("claude on Windows", () => {
    const NPM = "C:\\npm\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe";
    const table: [situation: string, programs: string[], env: Record<string, string>, found: string][] = [
      ["the program itself", ["C:\\bin\\claude.exe"], {}, "C:\\bin\\claude.exe"],
      ["the first on PATH", ["C:\\bin\\claude.cmd", NPM], {}, "C:\\bin\\claude.cmd"],
      ["what npm's claude.cmd would start", ["C:\\npm\\claude.cmd", NPM], {}, NPM],
      ["an older one of npm, which is a script", ["C:\\npm\\claude.cmd"], {}, "C:\\npm\\claude.cmd"],
      ["another name", ["C:\\npm\\mine.cmd", NPM], { CCC_CLAUDE: "mine" }, "C:\\npm\\mine.cmd"],
    ];
    test.each(table)("%s", (_, programs, env, found) => {
      const content = Object.fromEntries(programs.map((path) => [path, "claude"]));
      const path = { PATH: "relative;C:\\bin;C:\\npm" };
      const { world } = fakeWorld({ platform: "win32", content, env: { ...path, ...env } });
      expect(findClaude(world)).toBe(found);
    });
  });

  describe("claude elsewhere", () => {
    const content = {
      "/a/claude": "claude",
      "/b/claude": "claude",
      "/b/mine": "claude",
      "/project/bin/mine": "claude",
    };
    const copies = { "/copy/claude": "this is ccc", "/copy/mine": "this is ccc", "/project/bin/copy": "this is ccc" };
    const find = (env: Record<string, string>) => {
      const { world } = fakeWorld({ content: { ...content, ...copies }, env: { PATH: "/a:/b", ...env } });
      return () => findClaude(world);
    };
    const table: [situation: string, env: Record<string, string>, found: string][] = [
      ["the first on PATH", {}, "/a/claude"],
      ["not ccc under the name of claude", { PATH: "/copy:/b" }, "/b/claude"],
      ["not one in a relative folder", { PATH: "bin:/b" }, "/b/claude"],
      ["another name on PATH", { CCC_CLAUDE: "mine" }, "/b/mine"],
      ["an empty CCC_CLAUDE is ignored", { CCC_CLAUDE: "" }, "/a/claude"],
      ["a path", { CCC_CLAUDE: "/b/mine" }, "/b/mine"],
      ["a path from the current folder", { CCC_CLAUDE: "bin/mine" }, "/project/bin/mine"],
    ];
    test.each(table)("%s", (_, env, found) => expect(find(env)()).toBe(found));

    const refused: [situation: string, env: Record<string, string>, message: string][] = [
      ["nothing on PATH", { PATH: "/c" }, "Claude Code was not found: no claude on your PATH"],
      ["only ccc on PATH", { PATH: "/copy" }, "Claude Code was not found: no claude on your PATH"],
      ["no program of that name", { CCC_CLAUDE: "other" }, "Claude Code was not found: no other on your PATH"],
      ["no program at that path", { CCC_CLAUDE: "/c/claude" }, "CCC_CLAUDE is /c/claude, which is not a program"],
      ["ccc at that path", { CCC_CLAUDE: "/copy/claude" }, "CCC_CLAUDE is /copy/claude, which is ccc itself"],
      ["ccc from here", { CCC_CLAUDE: "bin/copy" }, "CCC_CLAUDE is /project/bin/copy, which is ccc itself"],
    ];
    test.each(refused)("refused: %s", (_, env, message) => expect(find(env)).toThrow(message));

    test("the advice is to correct a wrong CCC_CLAUDE, and to install a missing claude", () => {
      const advice = expect.stringContaining("unset CCC_CLAUDE");
      expect(find({ CCC_CLAUDE: "/c/claude" })).toThrow(expect.objectContaining({ advice }));
      const install = expect.stringContaining("npm install -g @anthropic-ai/claude-code");
      expect(find({ PATH: "/c" })).toThrow(expect.objectContaining({ advice: install }));
    });
  });

  describe("the Claude Code that an editor passes", () => {
    const content = {
      "/ide/claude": "claude",
      "/copy/claude": "this is ccc",
      "/b/node": "node",
      "C:\\b\\node.exe": "node",
    };
    const passed = (line: string[], parts: Parameters<typeof fakeWorld>[0] = {}) =>
      claudeProgram(line, fakeWorld({ content, env: { PATH: "/bin:/b" }, ...parts }).world);
    test("is run with what comes before its arguments", () =>
      expect(passed(["/ide/claude", "cli.js"])).toEqual({ file: "/ide/claude", before: ["cli.js"] }));
    test("may be a name on PATH", () =>
      expect(passed(["node", "cli.js"])).toEqual({ file: "/b/node", before: ["cli.js"] }));
    test("is a program with .exe on Windows", () =>
      expect(passed(["node"], { platform: "win32", env: { PATH: "C:\\b" } }).file).toBe("C:\\b\\node.exe"));
    test("is found as usual, if the editor passes none", () => expect(passed([]).file).toBe("/bin/claude"));
    test("may not be ccc", () => expect(() => passed(["/copy/claude"])).toThrow("/copy/claude is ccc itself"));
    test("must exist", () => expect(() => passed(["deno"])).toThrow("no deno on your PATH"));
  });
});

describe("lasting path", () => {
  /** `/opt/1.2/ccc` is the program, and `links` point to it. */
  function found(links: string[], parts: Parameters<typeof fakeWorld>[0] = {}) {
    const memory = memoryFiles({ "/opt/1.2/ccc": "", "/old/ccc": "" });
    const files = {
      ...memory,
      identify: (path: string) => memory.identify(links.includes(path) ? "/opt/1.2/ccc" : path),
    };
    const env = { PATH: "/old:/bin:/usr/bin" };
    return lastingPath(fakeWorld({ files, self: "/opt/1.2/ccc", env, ...parts }).world);
  }

  test("settings that outlive an upgrade name the link on PATH", () =>
    expect(found(["/bin/ccc", "/usr/bin/ccc"])).toBe("/bin/ccc"));
  test("another ccc on PATH is not this one", () => expect(found([])).toBe("/opt/1.2/ccc"));
  test("on Windows there are no links", () =>
    expect(found(["/bin/ccc"], { platform: "win32", env: { PATH: "/bin" } })).toBe("/opt/1.2/ccc"));
});
