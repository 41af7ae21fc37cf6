import { describe, expect, test } from "bun:test";
import { readLayers } from "../../../../src/claude/layers.ts";
import type { Check } from "../../../../src/commands/doctor/check-result.ts";
import {
  checkHooks,
  checkInstructions,
  checkStateFolder,
  checkTrust,
} from "../../../../src/commands/doctor/supervision.ts";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

describe("checkInstructions", () => {
  const OWN = "/home/u/.claude/SUPERVISOR.md";
  const table: [what: string, content: Record<string, string>, status: Check["status"], detail: string][] = [
    ["none", {}, "ok", "none yet"],
    ["the user's", { [OWN]: "look" }, "ok", OWN],
    ["the project's wins", { [OWN]: "look", "/project/SUPERVISOR.md": "look" }, "ok", "/project/SUPERVISOR.md"],
    ["an empty one", { [OWN]: " \n" }, "warn", `${OWN} is empty`],
    ["with checks", { [OWN]: "---\nchecks:\n  - npm test\n---\nlook" }, "ok", OWN],
    [
      "with checks that do not run",
      { [OWN]: "---\nchecks: npm test\n---\nlook" },
      "warn",
      `the checks in ${OWN} do not run`,
    ],
  ];
  test.each(table)("%s", (_, content, status, detail) => {
    const { world } = fakeWorld({ content });
    const found = checkInstructions(world, cccPaths(world));
    expect(found).toMatchObject({ status, detail: expect.stringContaining(detail) });
    expect(found.advice === "").toBe(status === "ok");
  });
});

describe("checkHooks", () => {
  const check = (content: Record<string, string>) => {
    const { world } = fakeWorld({ content });
    return checkHooks(readLayers(world.files, world));
  };
  const [user, local] = ["/home/u/.claude/settings.json", "/project/.claude/settings.local.json"];

  test("is fine if nothing forbids them", () =>
    expect(check({ [user]: "{}" })).toMatchObject({ status: "ok", detail: "nothing forbids them" }));

  test("names every file that does", () => {
    const off = '{"disableAllHooks":true}';
    expect(check({ [local]: off })).toMatchObject({ status: "warn", detail: `disableAllHooks in ${local}` });
    expect(check({ [user]: off, [local]: off }).detail).toBe(`disableAllHooks in ${user}, ${local}`);
  });
});

test("a folder is trusted if the user has said so", () => {
  const check = (projects: object) =>
    checkTrust(fakeWorld({ content: { "/home/u/.claude.json": JSON.stringify({ projects }) } }).world);
  expect(check({ "/project": { hasTrustDialogAccepted: true } })).toMatchObject({ status: "ok", detail: "/project" });
  expect(check({ "/other": { hasTrustDialogAccepted: true } })).toMatchObject({
    status: "warn",
    detail: expect.stringContaining("does not trust /project yet"),
  });
});

describe("checkStateFolder", () => {
  const check = (content: Record<string, string | null>, canWrite = (_: string) => true) =>
    checkStateFolder(fakeWorld({ files: { ...memoryFiles(content), canWrite } }).world);
  const not = (path: string) => ({
    status: "warn" as const,
    detail: `/project/.claude/ccc is not writable because of ${path}`,
  });

  test("is fine where it is, or can be made", () => {
    const fine = { status: "ok" as const, detail: "/project/.claude/ccc" };
    expect(check({ "/project/.claude/ccc": null }, (path) => path === "/project/.claude/ccc")).toMatchObject(fine);
    expect(check({ "/project": null }, (path) => path === "/project")).toMatchObject(fine);
  });

  test("names what is in the way", () => {
    expect(check({ "/project": null }, () => false)).toMatchObject(not("/project"));
    expect(check({ "/project": null, "/project/.claude": "a file" })).toMatchObject(not("/project/.claude"));
    expect(check({})).toMatchObject(not("/"));
  });
});
