import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  applyChanges,
  changesFor,
  mergeWanted,
  revertChanges,
  type SettingsChange,
} from "../../../../src/commands/use/settings-changes.ts";
import { parseText } from "../../../../src/text/json-text.ts";

describe("changesFor", () => {
  const table: [name: string, base: unknown, wanted: unknown, changes: SettingsChange[]][] = [
    ["nothing to do", { a: 1, l: [1] }, { a: 1, l: [1] }, []],
    ["a new value", {}, { a: 1 }, [{ path: ["a"], after: 1 }]],
    ["another value", { a: 0 }, { a: 1 }, [{ path: ["a"], before: 0, after: 1 }]],
    ["objects are merged", { env: { A: "1" } }, { env: { B: "" } }, [{ path: ["env", "B"], after: "" }]],
    ["lists are added to", { l: [1, 2] }, { l: [2, 3] }, [{ path: ["l"], added: [3] }]],
    ["a new list", {}, { h: { Stop: [1] } }, [{ path: ["h", "Stop"], added: [1] }]],
    [
      "a value that is not a list is replaced by one",
      { l: null },
      { l: [1] },
      [{ path: ["l"], before: null, after: [1] }],
    ],
    [
      "a value that is not an object is replaced",
      { env: 5 },
      { env: { A: "" } },
      [{ path: ["env"], before: 5, after: { A: "" } }],
    ],
    ["an empty object", {}, { a: {} }, [{ path: ["a"], after: {} }]],
  ];
  for (const [name, base, wanted, changes] of table)
    test(name, () => expect(changesFor(base, wanted)).toEqual(changes));
});

describe("revertChanges undoes ccc's changes and leaves the user's", () => {
  const changes: SettingsChange[] = [
    { path: ["env", "URL"], after: "ours" },
    { path: ["env", "KEY"], before: "theirs", after: "" },
    { path: ["hooks", "Stop"], added: ["our hook"] },
  ];
  const base = { env: { KEY: "theirs" } };
  const table: [name: string, now: unknown, then: unknown, kept: string[]][] = [
    ["all as written", { env: { KEY: "", URL: "ours" }, hooks: { Stop: ["our hook"] } }, base, []],
    [
      "the user added things",
      { env: { KEY: "", URL: "ours", MINE: "1" }, hooks: { Stop: ["our hook", "mine"] }, theme: "dark" },
      { env: { KEY: "theirs", MINE: "1" }, hooks: { Stop: ["mine"] }, theme: "dark" },
      [],
    ],
    ["the user changed a value of ours", { env: { KEY: "new", URL: "ours" } }, { env: { KEY: "new" } }, ["env.KEY"]],
    ["the user removed what we added", { env: { KEY: "" } }, { env: { KEY: "theirs" } }, []],
    ["it was taken back before", base, base, []],
  ];
  for (const [name, now, then, kept] of table) {
    test(name, () => {
      const { text, kept: paths } = revertChanges(JSON.stringify(now), changes, base);
      expect(JSON.parse(text)).toEqual(then);
      expect(paths.map((path) => path.join("."))).toEqual(kept);
    });
  }
  test("it is unknown which of two states was written last", () => {
    const former: SettingsChange[] = [{ path: ["env", "URL"], after: "former" }];
    const { text, kept } = revertChanges('{"env":{"KEY":"theirs","URL":"former"}}', [...changes, ...former], base);
    expect({ json: JSON.parse(text), kept }).toEqual({ json: base, kept: [] });
  });
});

test("property: changes produce the wanted value, and reverting them restores the original, in every layout", () => {
  const key = fc.constantFrom("env", "hooks", "a", "b");
  const leaf = fc.oneof(fc.constantFrom("", "x", true, null, 1), fc.array(fc.constantFrom("p", "q"), { maxLength: 2 }));
  const inner = fc.dictionary(key, leaf, { maxKeys: 3, noNullPrototype: true });
  const settings = fc.dictionary(key, fc.oneof(leaf, inner), { maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(settings, settings, fc.constantFrom(undefined, 2, "\t"), (base, wanted, indent) => {
      const text = JSON.stringify(base, null, indent);
      const changes = changesFor(base, wanted);
      const after = applyChanges(text, changes);
      expect(parseText(after)).toEqual(mergeWanted(base, wanted));
      const { text: back, kept } = revertChanges(after, changes, base);
      expect({ json: parseText(back), kept }).toEqual({ json: JSON.parse(text), kept: [] });
    }),
    { numRuns: 300 },
  );
});
