import { describe, expect, test } from "bun:test";
import { findClaude } from "../../../src/launch/find.ts";
import { fakeWorld } from "../fakes.ts";

describe("claude on Windows", () => {
  const NPM = "C:\\npm\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe";
  const table: [situation: string, programs: string[], env: Record<string, string>, found: string][] = [
    ["the program itself", ["C:\\bin\\claude.exe"], {}, "C:\\bin\\claude.exe"],
    ["the first on PATH", ["C:\\bin\\claude.cmd", NPM], {}, "C:\\bin\\claude.cmd"],
    ["what npm's claude.cmd would start", ["C:\\npm\\claude.cmd", NPM], {}, NPM],
    ["an older one of npm, which is no program", ["C:\\npm\\claude.cmd"], {}, "C:\\npm\\claude.cmd"],
    ["another name", ["C:\\npm\\mine.cmd", NPM], { CCC_CLAUDE: "mine" }, "C:\\npm\\mine.cmd"],
  ];
  test.each(table)("%s", (_, programs, env, found) => {
    const content = Object.fromEntries(programs.map((path) => [path, "claude"]));
    const path = { PATH: "relative;C:\\bin;C:\\npm" };
    const { world } = fakeWorld({ platform: "win32", content, env: { ...path, ...env } });
    expect(findClaude(world)).toBe(found);
  });
});
