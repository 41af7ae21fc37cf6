import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { changeConfig, changesBetween, keepBackup, rememberProvider } from "../../../src/config/edit.ts";
import { readStamped } from "../../../src/config/load.ts";
import { setIn } from "../../../src/text/json-text.ts";
import { memoryFiles } from "../fakes.ts";

describe("backup", () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 17, 12, 0, second));

  test("the last ten copies of a file are kept, and everything else in their folder", () => {
    const others = ["ccc-2026-01-01.json", "notes.json", "settings-2026-01-01.txt", "settings-mine.json"];
    const files = memoryFiles(Object.fromEntries(others.map((name) => [`/b/${name}`, "own"])));
    const copies = Array.from({ length: 12 }, (_, second) => keepBackup(files, "/b", `text ${second}`, at(second)));
    const kept = copies.slice(2);
    expect(files.list("/b").map((name) => `/b/${name}`)).toEqual(
      [...others.map((name) => `/b/${name}`), ...kept].sort(),
    );
    expect(kept.map((path) => files.read(path))).toEqual(kept.map((_, index) => `text ${index + 2}`));
  });

  test("a copy has the name of its file, and the time", () => {
    const files = memoryFiles();
    expect(keepBackup(files, "/b", "{}", at(5))).toBe("/b/settings-2026-11-17T12-00-05-000Z.json");
    expect(keepBackup(files, "/b", "{}", at(5), "ccc.json")).toBe("/b/ccc-2026-11-17T12-00-05-000Z.json");
  });
});

describe("edit", () => {
  const add = (text: string | undefined) =>
    changeConfig(text, "ccc.json", () => [{ path: ["providers", "b"], value: { env: { X: "1" } } }]);

  describe("changeConfig keeps what it does not change", () => {
    test.each([
      [
        "no file",
        undefined,
        '{\n  "providers": {\n    "b": {\n      "env": {\n        "X": "1"\n      }\n    }\n  }\n}\n',
      ],
      [
        "tabs, unknown keys, odd spaces",
        '{\n\t"mine" : [1,2 ],\n\t"providers": {\n\t\t"a": {}\n\t}\n}',
        '{\n\t"mine" : [1,2 ],\n\t"providers": {\n\t\t"a": {},\n\t\t"b": {\n\t\t\t"env": {\n\t\t\t\t"X": "1"\n\t\t\t}\n\t\t}\n\t}\n}',
      ],
      [
        "CRLF and a byte order mark",
        '\uFEFF{\r\n  "providers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
        '\uFEFF{\r\n  "providers": {\r\n    "a": {},\r\n    "b": {\r\n      "env": {\r\n        "X": "1"\r\n      }\r\n    }\r\n  }\r\n}\r\n',
      ],
    ])("%s", (_, before, after) => expect(add(before)).toBe(after));

    test("of duplicate keys the last counts, and it is not removed: the first would count again", () => {
      const twice = '{ "providers": { "a": {} }, "providers": { "b": {} } }';
      expect(JSON.parse(add(twice)).providers).toEqual({ b: { env: { X: "1" } } });
      const both = '{ "current_provider": "x", "current_provider": "b" }';
      const remove = () => changeConfig(both, "ccc.json", () => [{ path: ["current_provider"], value: undefined }]);
      expect(remove).toThrow("has a duplicate key");
    });
    test("a broken file is left alone", () => {
      expect(() => add('{ "providers": ')).toThrow("is not valid JSON");
    });
  });

  describe("changes are no larger than they have to be", () => {
    const rows: [what: string, before: unknown, after: unknown, changes: [path: string, value: unknown][]][] = [
      ["nothing", { a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } }, []],
      ["one value", { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, [["x.b.d", 3]]],
      ["a new one", { a: 1 }, { a: 1, b: 2 }, [["x.b", 2]]],
      ["one less", { a: 1, b: 2 }, { a: 1 }, [["x.b", undefined]]],
      ["a list as a whole", { a: [1, 2] }, { a: [1, 3] }, [["x.a", [1, 3]]]],
      [
        "an object instead of a value, and the other way round",
        { a: 1, b: {} },
        { a: {}, b: 1 },
        [
          ["x.a", {}],
          ["x.b", 1],
        ],
      ],
      ["everything", undefined, { a: 1 }, [["x", { a: 1 }]]],
    ];
    test.each(rows)("%s", (_, before, after, changes) =>
      expect(changesBetween(before, after, ["x"]).map(({ path, value }) => [path.join("."), value])).toEqual(changes),
    );
  });
});

/** The text of a ccc.json after a launch on glm. */
function remembered(text: string): string | undefined {
  const files = memoryFiles({ "ccc.json": text });
  rememberProvider({ files, version: "1" }, PATHS, "glm");
  return files.read("ccc.json");
}

const PATHS = { config: "ccc.json", checked: "/checked" };

describe("rememberProvider", () => {
  const table: [name: string, before: string, after: string][] = [
    [
      "replaces only the value",
      '{"z":1,"current_provider" :  "a", "b":[1,2]}',
      '{"z":1,"current_provider" :  "glm", "b":[1,2]}',
    ],
    ["replaces null", '{"current_provider":null}', '{"current_provider":"glm"}'],
    ["adds the key on its own line", '{\n\t"x": [1,2]\n}\n', '{\n\t"x": [1,2],\n\t"current_provider": "glm"\n}\n'],
    ["adds the key on the same line", '{"x":1}', '{"x":1, "current_provider": "glm"}'],
    ["keeps CRLF", '{\r\n  "x": 1\r\n}', '{\r\n  "x": 1,\r\n  "current_provider": "glm"\r\n}'],
    [
      "is not misled by a provider of that name",
      '{"providers":{"current_provider":{}}}',
      '{"providers":{"current_provider":{}}, "current_provider": "glm"}',
    ],
    ["does not touch an equal value", '{ "current_provider":"glm" }', '{ "current_provider":"glm" }'],
    [
      "changes the last of duplicate keys",
      '{"current_provider":"a","current_provider":"b"}',
      '{"current_provider":"a","current_provider":"glm"}',
    ],
    ["keeps a byte order mark", '\uFEFF{"x":1}', '\uFEFF{"x":1, "current_provider": "glm"}'],
  ];
  for (const [name, before, after] of table) test(name, () => expect(remembered(before)).toBe(after));

  test("writes nothing if the provider is the current one already", () => {
    const files = memoryFiles({ "ccc.json": '{ "current_provider":"glm" }' });
    const written: unknown[] = [];
    const edit = (_: string, change: (text?: string) => string | undefined) => {
      written.push(change(files.read("ccc.json")));
    };
    rememberProvider({ files: { ...files, edit }, version: "1" }, PATHS, "glm");
    expect(written).toEqual([undefined]);
  });

  test("the new text need not be checked again, by this version", () => {
    const files = memoryFiles({ "ccc.json": '{"providers":{"glm":{}}}' });
    const isChecked = (version: string) => readStamped({ files, version }, PATHS)?.validated !== undefined;
    rememberProvider({ files, version: "1" }, PATHS, "glm");
    expect([isChecked("1"), isChecked("2")]).toEqual([true, false]);
    files.writePrivate("ccc.json", '{"providers":{}}');
    expect(isChecked("1")).toBe(false);
  });

  test("property: everything else stays the same", () => {
    const key = fc.string({ minLength: 1 }).filter((name) => name !== "__proto__");
    const config = fc.dictionary(key, fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(config, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(setIn(text, ["current_provider"], "glm"))).toEqual({
          ...JSON.parse(text),
          current_provider: "glm",
        });
      }),
    );
  });
});
