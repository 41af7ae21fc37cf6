import { describe, expect, test } from "bun:test";
import { readOptions, supervisorOptions } from "../../../src/supervisor/supervisor-options.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";

/** The options of a hook, and what it warns of. */
function read(text: string | undefined) {
  const warnings: string[] = [];
  const { world } = fakeWorld({ content: text === undefined ? {} : { [CONFIG]: text } });
  return { options: readOptions(world, (message) => warnings.push(message)), warnings };
}

describe("the supervisor's options", () => {
  const defaults = supervisorOptions({});

  test("are those of ccc.json", () => {
    const supervisor = { provider: "glm", model: "air", max_iterations: 3, limit_wait_seconds: 0 };
    const { options, warnings } = read(JSON.stringify({ providers: { glm: {} }, supervisor }));
    const own = { provider: "glm", model: "air", maxIterations: 3, limitWaitSeconds: 0 };
    expect([options, warnings]).toEqual([{ ...defaults, ...own }, []]);
  });

  test("that are empty count as not set", () =>
    expect(supervisorOptions({ supervisor: { provider: "", model: "", completion_marker: "" } })).toEqual(defaults));

  test("are the defaults without a ccc.json, which is nothing to warn of", () =>
    expect(read(undefined)).toEqual({ options: defaults, warnings: [] }));

  test("are the defaults where ccc.json is broken, with a warning", () =>
    expect(read("{")).toEqual({
      options: defaults,
      warnings: [expect.stringMatching(/ccc\.json is not valid JSON.*\nThe supervisor uses its defaults\.$/)],
    }));
});
