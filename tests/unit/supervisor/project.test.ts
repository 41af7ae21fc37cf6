import { describe, expect, test } from "bun:test";
import { projectFiles } from "../../../src/supervisor/project.ts";
import { memoryFiles } from "../fakes.ts";

describe("project folder", () => {
  const FOLDER = "/project/.claude/ccc";

  const ignored = (content: Record<string, string>, folder = FOLDER) => {
    const files = memoryFiles(content);
    const tops: string[] = [];
    const guarded = (top: string) => {
      tops.push(top);
      return files.guarded(top);
    };
    projectFiles({ ...files, guarded }, "/project", folder);
    return { text: files.content[`${folder}/.gitignore`], tops };
  };

  test("git ignores all of a folder that ccc has made", () => expect(ignored({}).text).toBe("*\n"));
  test("git ignores only ccc's files in a folder that was there before", () =>
    expect(ignored({ [`${FOLDER}/mine`]: "" }).text).toBe("supervisor-*\nsupervisor.log*\n.gitignore\n"));
  test("what the user wrote there stays", () =>
    expect(ignored({ [`${FOLDER}/.gitignore`]: "mine\n" }).text).toBe("mine\n"));
  test("no link within the project is followed, or above a folder elsewhere", () => {
    expect(ignored({}).tops).toEqual(["/project"]);
    expect(ignored({}, "/elsewhere/ccc").tops).toEqual(["/elsewhere"]);
  });
});
