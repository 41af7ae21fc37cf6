import { describe, expect, test } from "bun:test";
import { findRecordedSession } from "../../../../src/commands/report/recorded-session.ts";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import type { CccError } from "../../../../src/errors.ts";
import { memoryFiles } from "../../fakes.ts";

const PATHS = cccPaths({ env: { HOME: "/home/u" }, platform: "linux" });

/** Sessions by id: their folder, and when something was last recorded. */
function found(sessions: Record<string, [folder: string, modified: number]>, cwd: string, wanted?: string): string {
  const files = memoryFiles();
  for (const [id, [cwd]] of Object.entries(sessions)) {
    const launch = {
      ...{ cwd, claude: "/bin/claude", environment: { salt: "", plain: {}, hashed: [] } },
      instructions: { path: null, text: "" },
    };
    files.writePrivate(`${PATHS.generated}/sessions/${id}/launch.json`, JSON.stringify(launch));
    files.writePrivate(`${PATHS.generated}/sessions/${id}/prompts.jsonl`, "");
  }
  const modified = (path: string) =>
    files.modified(path) === undefined ? undefined : (sessions[path.split("/").at(-2) ?? ""]?.[1] ?? 0);
  const realPath = (path: string) => {
    if (path === "/gone") throw new Error("no such file");
    return path.replace("/link", "/shop");
  };
  try {
    return findRecordedSession({ ...files, modified, realPath }, PATHS, cwd, wanted);
  } catch (error) {
    const { message, advice = "" } = error as CccError;
    return `${message}\n${advice}`;
  }
}

const SESSIONS: Record<string, [string, number]> = {
  abc1: ["/shop", 1],
  abc2: ["/shop", 3],
  abc: ["/gone", 2],
  xyz: ["/link", 2],
};

describe("the session that a report is about", () => {
  const table: [name: string, cwd: string, wanted: string | undefined, expected: RegExp][] = [
    ["the last one in the folder", "/shop", undefined, /^abc2$/],
    ["also by a link to the folder", "/link", undefined, /^abc2$/],
    ["also of a folder that is gone", "/gone", undefined, /^abc$/],
    ["by the beginning of its id, from anywhere", "/else", "x", /^xyz$/],
    ["by its whole id, although it is the beginning of others", "/else", "abc", /^abc$/],
    [
      "none in the folder",
      "/else",
      undefined,
      /^no supervised session on record in \/else\nThe last ones on record:\n {2}abc2 {2}\/shop\n/,
    ],
    [
      "several with the same beginning",
      "/else",
      "ab",
      /^3 sessions begin with "ab"\nWrite more of the id: abc2, abc, abc1$/,
    ],
    ["an unknown one", "/shop", "q", /^no supervised session on record begins with "q"\nThe last ones on record:/],
    ["an empty word", "/shop", "", /^no supervised session on record begins with ""/],
  ];
  for (const [name, cwd, wanted, expected] of table)
    test(name, () => expect(found(SESSIONS, cwd, wanted)).toMatch(expected));
  test.each([
    [2, "Write more of the id: k2, k1"],
    [5, "Write more of the id: k5, k4, k3, k2, k1"],
    [6, "Write more of the id: k6, k5, k4, k3, k2, …"],
  ])("%d with the same beginning: the last five are named", (count, advice) => {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const sessions = Object.fromEntries(numbers.map((n): [string, [string, number]] => [`k${n}`, ["/shop", n]]));
    expect(found(sessions, "/shop", "k")).toBe(`${count} sessions begin with "k"\n${advice}`);
  });
  test("nothing on record at all", () => expect(found({}, "/shop")).toContain("Start one: ccc --supervisor"));
});
