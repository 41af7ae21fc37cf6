import { describe, expect, test } from "bun:test";
import { judgeEvent } from "../../../../src/supervisor/tool-guard/answer-tool-event.ts";
import { Refusal } from "../../../../src/supervisor/tool-guard/refusal.ts";

const FILES = [
  "/p/a.ts",
  "/given/b",
  "/h/.claude/ccc.json",
  "/h/.claude.json",
  "/h/x",
  "/conf/key",
  "/t/s.jsonl",
  "/u/p/a.ts",
];
const disk = { realPath: (path: string) => (FILES.includes(path) ? path : undefined), list: () => [] };
const ENV = {
  HOME: "/h",
  CCC_REVIEW_FOLDERS: '["/p", "/given", 7]',
  CCC_CONFIG_DIR: "/conf",
  CCC_REVIEW_TRANSCRIPT: "/t/s.jsonl",
};

const judged = (
  tool_name: string,
  tool_input: object,
  env: Record<string, string> = {},
  platform: NodeJS.Platform = "linux",
) =>
  judgeEvent(JSON.stringify({ tool_name, tool_input, cwd: "/p" }), { ...ENV, ...env }, platform, disk, () => ({
    guardBash: (line) => {
      if (line !== "npm test") throw new Refusal(`not ${line}`);
    },
  }));
const read = (file_path: string, env: Record<string, string> = {}) => judged("Read", { file_path }, env) === undefined;

describe("a reviewer may read", () => {
  const table: [path: string, isAllowed: boolean][] = [
    ["/p/a.ts", true],
    ["a.ts", true],
    ["/given/b", true],
    ["/h/x", false],
    ["~/x", false],
    ["/h/.claude/ccc.json", false],
    ["/conf/key", false],
    ["/p/missing", false],
    ["", false],
  ];
  test.each(table)("%s: %p", (path, isAllowed) => expect(read(path)).toBe(isAllowed));

  test("nothing of Claude Code's own, even if its folder is within the project", () => {
    const all = { CCC_REVIEW_FOLDERS: '["/h", "/conf"]' };
    expect(read("/h/x", all)).toBe(true);
    for (const path of ["/h/.claude/ccc.json", "/h/.claude.json", "/conf/key"]) expect(read(path, all)).toBe(false);
  });
  test("nothing, without a list of folders", () => {
    for (const folders of ["", "7", "{}"]) expect(read("/p/a.ts", { CCC_REVIEW_FOLDERS: folders })).toBe(false);
  });
});

describe("a reviewer may run", () => {
  test("what the other guard allows", () => {
    expect(judged("Bash", { command: "npm test" })).toBeUndefined();
    expect(judged("Bash", { command: "rm x" })).toBe("not rm x");
    expect(judged("Bash", { command: "" })).toBe("no command");
    expect(judged("Bash", { command: 7 })).toBe("command is not a string");
  });
  test("nothing in the background", () =>
    expect(judged("Bash", { command: "npm test", run_in_background: true })).toStartWith("not part of a review: Bash"));
  test("no other tool", () => {
    expect(judged("Write", { file_path: "/p/a.ts" })).toStartWith("not part of a review: Write");
    expect(judged("StructuredOutput", {})).toBeUndefined();
  });
});

test("an invalid event is refused", () => {
  const refusal = "ccc does not understand this event";
  for (const text of ["", "{}", '{"tool_name":"Read"}', '{"tool_name":7,"cwd":"/p"}'])
    expect(judgeEvent(text, ENV, "linux", disk, () => ({ guardBash: () => {} }))).toBe(refusal);
});

test("the home folder is HOME, and on Windows USERPROFILE", () => {
  const allowed = (env: Record<string, string>, platform: NodeJS.Platform, file_path: string) =>
    judged("Read", { file_path }, env, platform) === undefined;
  expect(allowed({ HOME: "/p", USERPROFILE: "/h" }, "linux", "~/a.ts")).toBe(true);
  expect(allowed({ HOME: "/h", USERPROFILE: "/p" }, "linux", "~/a.ts")).toBe(false);
});
