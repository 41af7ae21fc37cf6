import { describe, expect, test } from "bun:test";
import { supervisorSettings } from "../../../src/config/defaults.ts";
import { projectFiles, readSettings } from "../../../src/supervisor/options.ts";
import { fakeWorld, memoryFiles } from "../fakes.ts";

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

describe("supervisor options", () => {
  const CONFIG = "/home/u/.claude/ccc.json";

  /** The options of a hook, and what it warns of. */
  function read(text: string | undefined) {
    const warnings: string[] = [];
    const { world } = fakeWorld({ content: text === undefined ? {} : { [CONFIG]: text } });
    return { options: readSettings(world, (message) => warnings.push(message)), warnings };
  }

  describe("the supervisor's options", () => {
    const defaults = supervisorSettings({});

    test("are those of ccc.json", () => {
      const supervisor = { provider: "glm", model: "air", max_iterations: 3, limit_wait_seconds: 0 };
      const { options, warnings } = read(JSON.stringify({ providers: { glm: {} }, supervisor }));
      expect([options, warnings]).toEqual([{ ...defaults, ...supervisor }, []]);
    });

    test("that are empty count as not set", () =>
      expect(supervisorSettings({ supervisor: { provider: "", model: "", completion_marker: "" } })).toEqual(defaults));

    test("are the defaults without a ccc.json, which is nothing to warn of", () =>
      expect(read(undefined)).toEqual({ options: defaults, warnings: [] }));

    test("are the defaults where ccc.json is broken, with a warning", () =>
      expect(read("{")).toEqual({
        options: defaults,
        warnings: [expect.stringMatching(/ccc\.json is not valid JSON.*\nThe supervisor uses its defaults\.$/)],
      }));
  });
});
