import { describe, expect, test } from "bun:test";
import { changeConfig, changesBetween, keepBackup } from "../../../src/config/edit.ts";
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
