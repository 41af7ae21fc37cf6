import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import {
  findLaunch,
  type LaunchRecord,
  lastLaunch,
  launchesFolder,
  markHeard,
  readLaunch,
  saveLaunch,
} from "../../../../src/supervisor/record/launch-record.ts";
import { memoryFiles } from "../../fakes.ts";

const PATHS = cccPaths({ env: { HOME: "/home/u" }, platform: "linux" });
const ENVIRONMENT = { salt: "", plain: {}, hashed: [] };
const INSTRUCTIONS = { path: null, text: "" };

function launchIn(cwd: string): LaunchRecord {
  return {
    ...{ cwd, claude: "/bin/claude", version: null, same_model: true, reviewer: "glm", fallback: [] },
    ...{ environment: ENVIRONMENT, instructions: INSTRUCTIONS, checks: { commands: [], left_out: [] } },
  };
}

test("a record of an older version promises nothing about the reviewer, and has no checks", () => {
  const old = { cwd: "/project", claude: "/bin/claude", environment: ENVIRONMENT, instructions: INSTRUCTIONS };
  expect(readLaunch(memoryFiles({ "/old.json": JSON.stringify(old) }), "/old.json")).toEqual({
    ...old,
    ...{ version: null, same_model: false, reviewer: "", fallback: [], checks: { commands: [], left_out: [] } },
  });
});

test("once a hook has run, the launch no longer waits for one, and its notice is not shown again", () => {
  const files = memoryFiles();
  const launch = { ...launchIn("/project"), waiting_since: "12:00", notice: "look here" };
  saveLaunch(files, PATHS, launch);
  expect(lastLaunch(files, PATHS, "/project")).toEqual(launch);
  markHeard(files, PATHS, launch);
  expect(lastLaunch(files, PATHS, "/project")).toEqual(launchIn("/project"));
});

describe("the launch of a session", () => {
  const table: [name: string, launched: string[], project: string, cwd: string | undefined][] = [
    ["is the one in its folder", ["/work", "/work/a"], "/work/a", "/work/a"],
    ["is the one in a folder above, for a worktree", ["/work/a"], "/work/a/.claude/worktrees/b", "/work/a"],
    ["is the nearest one", ["/", "/work"], "/work/a", "/work"],
    ["can be that of the top folder", ["/"], "/work/a", "/"],
    ["is never one below it or beside it", ["/work/a/b", "/work/c"], "/work/a", undefined],
  ];
  test.each(table)("%s", (_, launched, project, cwd) => {
    const files = memoryFiles();
    for (const each of launched) saveLaunch(files, PATHS, launchIn(each));
    expect(findLaunch(files, PATHS, project)?.cwd).toBe(cwd);
  });

  test("is not taken from a record that is about another folder", () => {
    const files = memoryFiles();
    saveLaunch(files, PATHS, launchIn("/work/a"));
    const [name] = files.list(launchesFolder(PATHS));
    files.content[`${launchesFolder(PATHS)}/${name}`] = JSON.stringify(launchIn("/elsewhere"));
    expect(findLaunch(files, PATHS, "/work/a")).toBeUndefined();
  });
});
