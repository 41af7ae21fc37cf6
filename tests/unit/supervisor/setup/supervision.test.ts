import { describe, expect, test } from "bun:test";
import { readReviewerName, reviewerLabel, supervisorSettings } from "../../../../src/config/defaults.ts";
import { pinnedReviewers, planSupervision, readSettings } from "../../../../src/supervisor/setup/supervision.ts";
import { fakeWorld } from "../../fakes.ts";

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

describe("pinned reviewers", () => {
  const PIN = { folder: "/client", provider: "glm", only: true };

  function reviewers(first: string | undefined, fallback: string[], isPinned = true, confirm?: string) {
    const given = {
      provider: first,
      model: first && `${first}-model`,
      fallback: fallback.map(readReviewerName),
      confirm: confirm === undefined ? false : readReviewerName(confirm),
    };
    const pins = { here: PIN, strict: isPinned ? [PIN] : [] };
    const { supervision, notices } = pinnedReviewers(given, "glm", pins);
    const { provider = "(the agent's)", model, confirm: kept } = supervision;
    const confirmed = kept === false ? [] : [`confirm ${kept === true || reviewerLabel(kept)}`];
    return { all: [provider, model, ...supervision.fallback.map(reviewerLabel), ...confirmed], notices };
  }

  describe("reviewers in a folder with one provider only", () => {
    const why = "because /client is pinned to glm only";
    const table: [name: string, given: ReturnType<typeof reviewers>, all: (string | undefined)[], notices: string[]][] =
      [
        ["the agent's own", reviewers(undefined, []), ["(the agent's)", undefined], []],
        ["the pinned one with its model", reviewers("glm", ["glm:air"]), ["glm", "glm-model", "glm:air"], []],
        [
          "another one is replaced, without its model",
          reviewers("kimi", []),
          ["glm", undefined],
          [`kimi does not review here, ${why}: glm reviews instead`],
        ],
        [
          "others are left out",
          reviewers(undefined, ["kimi:k3", "glm:air", "kimi"]),
          ["(the agent's)", undefined, "glm:air"],
          [`kimi does not review here, ${why}`],
        ],
        [
          "one that is to confirm is replaced by the reviewers themselves",
          reviewers("glm", [], true, "kimi:k3"),
          ["glm", "glm-model", "confirm true"],
          [`kimi does not review here, ${why}: the reviewers confirm by themselves`],
        ],
        [
          "one that may confirm stays",
          reviewers("glm", [], true, "glm:air"),
          ["glm", "glm-model", "confirm glm:air"],
          [],
        ],
        ["all stay without a strict pin", reviewers("kimi", ["qwen"], false), ["kimi", "kimi-model", "qwen"], []],
      ];
    for (const [name, given, all, notices] of table) test(name, () => expect(given).toEqual({ all, notices }));
  });
});

describe("plan supervision", () => {
  function planned(supervisor: object) {
    const providers = { glm: {}, kimi: {} };
    const loaded = {
      config: { providers, supervisor },
      providers: new Map(Object.entries(providers)),
      path: "/c/ccc.json",
      isStamped: true,
      stamp: "",
    };
    return planSupervision(loaded, { self: "/bin/ccc", platform: "linux" });
  }

  describe("who reviews", () => {
    test("the reviewers of supervisor.fallback, in order", () =>
      expect(planned({ fallback: ["kimi:k2", "glm"] }).fallback).toEqual([
        { provider: "kimi", model: "k2" },
        { provider: "glm", model: undefined },
      ]));
    test("nobody else by default", () => expect(planned({}).fallback).toEqual([]));
    test.each([
      [{ provider: "kimmi" }, 'supervisor.provider in /c/ccc.json is "kimmi", which is not a provider there'],
      [
        { fallback: ["glm", "kimmi:k2"] },
        'supervisor.fallback in /c/ccc.json names "kimmi", which is not a provider there',
      ],
    ])("%p is refused", (supervisor, message) => expect(() => planned(supervisor)).toThrow(message));
  });

  test("no hook wakes the session until the version of Claude Code is known: it may be too old for such a hook", () =>
    expect(planned({}).canWake).toBe(false));
});
