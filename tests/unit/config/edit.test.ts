import { describe, expect, test } from "bun:test";
import { changeConfig, changesBetween, keepBackup } from "../../../src/config/edit.ts";
import { cccPaths } from "../../../src/config/paths.ts";
import { changeProvider, removeProvider, saveProvider } from "../../../src/providers/change.ts";
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

  describe("providers in ccc.json", () => {
    const paths = { ...cccPaths({ env: { HOME: "/h" }, platform: "linux" }), backups: "/h/.claude/ccc/backups" };
    const files = (config: unknown, more: Record<string, string> = {}) =>
      memoryFiles({ [paths.config]: JSON.stringify(config), ...more });

    test("an existing provider is only replaced on request", () => {
      const place = files({ providers: { a: { model: "m" } } });
      expect(() => saveProvider(place, paths, "a", {})).toThrow("already");
      changeProvider(place, paths, "a", () => ({}));
      expect(JSON.parse(place.read(paths.config) ?? "")).toEqual({ providers: { a: {} } });
    });
    test("a changed provider keeps the order and layout of what stays", () => {
      const text = `{"providers": {
  "a": { "model": "m", "env": {"Z": 1, "ANTHROPIC_BASE_URL": "https://a.test", "OLD": "x"}, "hooks": {} },
  "b": null
}}`;
      const place = memoryFiles({ [paths.config]: text });
      changeProvider(place, paths, "a", ({ env: _, ...rest } = {}) => ({
        ...rest,
        env: { Z: 2, NEW: "y", ANTHROPIC_BASE_URL: "https://a.test", toString: "z" },
      }));
      changeProvider(place, paths, "b", (before) => ({ ...before, env: { A: "1" } }));
      expect(place.read(paths.config)).toBe(`{"providers": {
  "a": { "model": "m", "env": {"Z": 2, "ANTHROPIC_BASE_URL": "https://a.test", "NEW": "y", "toString": "z"}, "hooks": {} },
  "b": {
    "env": {
      "A": "1"
    }
  }
}}`);
      expect(place.list(paths.backups)).toEqual([]);
    });
    test("removing a provider removes its generated files, and no others", () => {
      const generated = (name: string) => `${paths.generated}/${name}`;
      const gone = [
        "settings-a.json",
        "settings-a-plain.json",
        "settings-a-supervisor.json",
        "settings-a-plain+x1.json",
      ];
      const kept = ["settings-ab-plain.json", "settings-a-b.json", "checked"];
      const place = files(
        { current_provider: "a", providers: { a: {}, ab: {} }, mine: 1 },
        Object.fromEntries([...gone, ...kept].map((name) => [generated(name), ""])),
      );
      removeProvider(place, paths, "a");
      expect(JSON.parse(place.read(paths.config) ?? "")).toEqual({ providers: { ab: {} }, mine: 1 });
      expect(place.list(paths.generated)).toEqual(kept.sort());
    });
    test("a key removed from ccc.json is removed from files generated for other providers, too", () => {
      const [old, kept] = ["sk-old-0123456789", "sk-kept-0123456789"];
      const env = (key: string) => ({ env: { ANTHROPIC_AUTH_TOKEN: key } });
      const place = files(
        { providers: { a: env(old), b: env(kept) } },
        {
          [`${paths.generated}/settings-b-supervisor.json`]: JSON.stringify(env(old)),
          [`${paths.generated}/settings-b-plain.json`]: JSON.stringify(env(kept)),
          [`${paths.generated}/settings-a-plain.json`]: JSON.stringify(env(old)),
        },
      );
      changeProvider(place, paths, "a", () => env("file:key"));
      expect(place.list(paths.generated)).toEqual(["settings-b-plain.json"]);
      removeProvider(place, paths, "b");
      expect(place.list(paths.generated)).toEqual([]);
    });
    test("a key removed from ccc.json is masked in backups, which otherwise stay", () => {
      const [old, kept, quoted] = ["sk-old-0123456789", "sk-kept-0123456789", 'with"quote-0123'];
      const env = { ANTHROPIC_AUTH_TOKEN: old, ANTHROPIC_CUSTOM_HEADERS: `x: ${quoted}\ny: ${kept}`, MY_KEY: "ollama" };
      const copy = JSON.stringify({ providers: { ollama: { env } }, own: [kept] }, null, 2);
      const place = files(
        { providers: { a: { env }, b: { env: { ANTHROPIC_API_KEY: kept } } } },
        { [`${paths.backups}/ccc-2026.json`]: copy, [`${paths.backups}/settings-2026.json`]: `// ${kept}` },
      );
      removeProvider(place, paths, "a");
      const after = place.read(`${paths.backups}/ccc-2026.json`) ?? "";
      expect(JSON.parse(after)).toEqual({
        providers: { ollama: { env: { ...env, ANTHROPIC_AUTH_TOKEN: "***", ANTHROPIC_CUSTOM_HEADERS: "***" } } },
        own: [kept],
      });
      expect(place.read(`${paths.backups}/settings-2026.json`)).toBe(`// ${kept}`);
      removeProvider(place, paths, "b");
      expect(place.read(`${paths.backups}/settings-2026.json`)).toBe("// ***");
      expect(place.read(`${paths.backups}/ccc-2026.json`)).not.toContain(kept);
    });
    test.each(["toString", "valueOf", "hasOwnProperty"])("%s is a name like any other", (name) => {
      const place = files({ providers: { a: {} } });
      saveProvider(place, paths, name, {});
      removeProvider(place, paths, name);
      expect(JSON.parse(place.read(paths.config) ?? "")).toEqual({ providers: { a: {} } });
    });
    test("a provider that others use for reviews is not removed", () => {
      const place = files({ providers: { a: {} }, supervisor: { provider: "a" } });
      expect(() => removeProvider(place, paths, "a")).toThrow("is the reviewer");
      const fallback = files({ providers: { a: {}, b: {} }, supervisor: { fallback: ["b", "a:m"] } });
      expect(() => removeProvider(fallback, paths, "a")).toThrow("supervisor.fallback");
    });
    test("a provider that a folder is pinned to is not removed", () => {
      const place = files({ providers: { a: {}, b: {} }, folders: { "/b": "b", "/a": "a" } });
      expect(() => removeProvider(place, paths, "a")).toThrow('/a is pinned to "a"');
    });
    test("a provider that nothing names is removed, whatever the others are used for", () => {
      const used = { supervisor: { provider: "b", fallback: ["b:m", "c"] }, folders: { "/b": "b" } };
      const place = files({ providers: { a: {}, b: {}, c: {} }, ...used });
      removeProvider(place, paths, "a");
      expect(JSON.parse(place.read(paths.config) ?? "")).toEqual({ providers: { b: {}, c: {} }, ...used });
    });
    describe("a copy of ccc.json", () => {
      const now = new Date("2026-11-17T12:00:00Z");
      test("is kept of a provider as it was before a change", () => {
        const place = files({ providers: { a: { model: "old" } } });
        const before = place.read(paths.config);
        const { backup } = changeProvider(place, paths, "a", () => ({ model: "new" }), now);
        expect(place.read(backup ?? "")).toBe(before);
      });
      test("is not kept where nothing changes, and the file is not written", () => {
        const place = files({ providers: { a: { model: "same" } } });
        const edits: (string | undefined)[] = [];
        const edit: typeof place.edit = (_, change) => edits.push(change(place.read(paths.config)));
        const { backup } = changeProvider({ ...place, edit }, paths, "a", () => ({ model: "same" }), now);
        expect([edits, backup, place.list(paths.backups)]).toEqual([[undefined], undefined, []]);
      });
      test("is not kept of a new provider", () => {
        const place = files({ providers: { a: {} } });
        expect(changeProvider(place, paths, "b", () => ({}), now).backup).toBeUndefined();
        expect(place.list(paths.backups)).toEqual([]);
      });
    });
    test("a provider that loses no key can be changed, even if a copy of ccc.json cannot be read", () => {
      const copy = `${paths.backups}/ccc-2026.json`;
      const env = { ANTHROPIC_AUTH_TOKEN: "sk-kept-0123456789" };
      const place = files({ providers: { a: { env } } }, { [copy]: "" });
      const read: typeof place.read = (path) => {
        if (path === copy) throw new Error(`cannot read ${path}`);
        return place.read(path);
      };
      changeProvider({ ...place, read }, paths, "a", () => ({ env, model: "m" }));
      expect(() => changeProvider({ ...place, read }, paths, "a", () => ({}))).toThrow(`cannot read ${copy}`);
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
