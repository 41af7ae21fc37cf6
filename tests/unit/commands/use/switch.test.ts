import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { reset, type UsePlaces, use, useStatus } from "../../../../src/commands/use/switch.ts";
import { CccError } from "../../../../src/errors.ts";
import { diskFiles, type Files } from "../../../../src/os/files.ts";
import type { Json } from "../../../../src/text/json.ts";
import { memoryFiles } from "../../fakes.ts";

const BEFORE = '{\n  "theme": "dark",\n  "env": { "MODEL": "mine" }\n}\n';
const wanted = (model: string) => () => ({ env: { MODEL: model, KEY: "" }, hooks: { Stop: [model] } });
const useModel = (places: UsePlaces, model: string) =>
  use(places, { provider: model, supervised: false }, wanted(model));

class Crash extends CccError {}

/** The same files for a process that is killed before its n-th write. */
function killedBefore(files: Files, nth: number): Files {
  let left = nth;
  const or = <A extends unknown[], R>(act: (...args: A) => R) => {
    return (...args: A): R => {
      if (left-- === 0) throw new Crash("killed");
      return act(...args);
    };
  };
  return {
    ...files,
    writePrivate: or(files.writePrivate),
    remove: or(files.remove),
    hold: (path, action) =>
      files.hold(path, (held) => action({ ...held, write: or(held.write), remove: or(held.remove) })),
  };
}

function newPlaces(): UsePlaces & Disposable & { text: () => string | undefined } {
  const folder = mkdtempSync(join(tmpdir(), "ccc-use-"));
  const settings = join(folder, "settings.json");
  return {
    files: diskFiles(process.pid),
    now: () => new Date(),
    settings,
    record: join(folder, "ccc/use.json"),
    backups: join(folder, "ccc/backups"),
    text: () => (existsSync(settings) ? readFileSync(settings, "utf8") : undefined),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Runs an action and returns whether it was completed, not killed. */
function completes(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return false;
  }
}

describe("killed before any of its writes, it can still be undone", () => {
  const actions: [name: string, act: (places: UsePlaces) => void][] = [
    ["use", (places) => useModel(places, "glm")],
    ["use of another provider", (places) => useModel(places, "kimi")],
    ["reset", reset],
  ];
  for (const [name, act] of actions) {
    for (const before of [BEFORE, undefined]) {
      for (const edit of [false, true]) {
        const variant = `${before === undefined ? "no file" : "a file"}${edit ? ", edited in between" : ""}`;
        test(`${name}: ${variant}`, () => {
          let nth = 0;
          for (let isDone = false; !isDone; nth++) {
            using places = newPlaces();
            if (before !== undefined) writeFileSync(places.settings, before);
            if (name !== "use") useModel(places, "glm");
            const addTo = (text: string) => (edit ? text.replace("{", '{\n  "added": 1,') : text);
            if (name !== "use") writeFileSync(places.settings, addTo(places.text() ?? "{}"));
            isDone = completes(() => act({ ...places, files: killedBefore(places.files, nth) }));
            // A user who sees it fail tries again.
            if (nth % 2 === 0 && name !== "reset")
              completes(() => act({ ...places, files: killedBefore(places.files, 2) }));
            reset(places);
            const text = places.text();
            if (edit && name !== "use") {
              expect(JSON.parse(text ?? "")).toEqual({ ...JSON.parse(before ?? "{}"), added: 1 });
            } else expect(text).toBe(before);
            expect(existsSync(places.record)).toBe(false);
          }
          expect(nth).toBeGreaterThan(edit && before === undefined ? 2 : 1);
        });
      }
    }
  }
});

test("a reset removes half-written files of killed processes, even if there is nothing to undo, and none of running ones", () => {
  using places = newPlaces();
  // Above the highest process id that Linux and macOS give out.
  const dead = 2 ** 22 + 1;
  const folder = dirname(places.record);
  mkdirSync(places.backups, { recursive: true });
  for (const path of [
    join(folder, `settings-glm~use.json.${dead}.tmp`),
    join(places.backups, `settings-2.json.${dead}.tmp`),
  ])
    writeFileSync(path, "a key", { mode: 0o600 });
  writeFileSync(join(folder, `settings-kimi.json.${process.ppid}.tmp`), "at work");
  expect(reset(places)).toBeUndefined();
  expect([readdirSync(folder).sort(), readdirSync(places.backups)]).toEqual([
    ["backups", `settings-kimi.json.${process.ppid}.tmp`],
    [],
  ]);
});

test("a file that others can read is private as long as it holds a key", () => {
  using places = newPlaces();
  writeFileSync(places.settings, BEFORE);
  chmodSync(places.settings, 0o664);
  useModel(places, "glm");
  expect(statSync(places.settings).mode & 0o777).toBe(0o600);
  writeFileSync(places.settings, (places.text() ?? "").replace("dark", "light"));
  expect(reset(places)?.outcome).toBe("reverted");
  expect(statSync(places.settings).mode & 0o777).toBe(0o664);
  expect(places.text()).toBe(BEFORE.replace("dark", "light"));
});

test("a file that the user restored by hand is as open to others as it was", () => {
  using places = newPlaces();
  writeFileSync(places.settings, BEFORE);
  chmodSync(places.settings, 0o664);
  useModel(places, "glm");
  writeFileSync(places.settings, BEFORE);
  expect(reset(places)?.outcome).toBe("restored");
  expect(statSync(places.settings).mode & 0o777).toBe(0o664);
});

test("a new file that the user edited is removed, if nothing of the user is in it", () => {
  using places = newPlaces();
  useModel(places, "glm");
  writeFileSync(places.settings, JSON.stringify({ env: { MODEL: "glm" } }));
  expect(reset(places)?.outcome).toBe("removed");
  expect(places.text()).toBeUndefined();
});

test("there is a copy of every file of the user, and none of what ccc wrote, which may hold a key", () => {
  using own = newPlaces();
  // Copies are named after the time.
  let time = Date.UTC(2026, 0);
  const places = { ...own, now: () => new Date(time++) };
  const copies = () => (existsSync(places.backups) ? readdirSync(places.backups).length : 0);
  expect([useModel(places, "glm").backup, copies()]).toEqual([undefined, 0]);
  reset(places);
  writeFileSync(places.settings, BEFORE);
  expect(readFileSync(useModel(places, "glm").backup ?? "", "utf8")).toBe(BEFORE);
  expect([useModel(places, "kimi").backup, copies()]).toEqual([undefined, 1]);
  const edited = (places.text() ?? "").replace("dark", "light");
  writeFileSync(places.settings, edited);
  expect(readFileSync(useModel(places, "glm").backup ?? "", "utf8")).toBe(edited);
  expect(copies()).toBe(2);
  reset(places);
  expect(copies()).toBe(2);
  useModel(places, "glm");
  writeFileSync(places.settings, (places.text() ?? "").replace("light", "dim"));
  const before = copies();
  expect(reset(places)?.outcome).toBe("reverted");
  expect(copies()).toBe(before + 1);
});

test("running it again repairs what was changed since, and follows another choice with the same settings", () => {
  using places = newPlaces();
  useModel(places, "glm");
  const used = places.text();
  writeFileSync(places.settings, (used ?? "").replace('"glm"', '"mine"'));
  expect(useModel(places, "glm").changed).toBe(true);
  expect(places.text()).toBe(used);
  expect(use(places, { provider: "same", supervised: false }, wanted("glm")).changed).toBe(true);
  expect(useStatus(places)).toMatchObject({ provider: "same", changed: [] });
});

test("running it twice changes nothing, even if the user edited other parts in between", () => {
  using places = newPlaces();
  writeFileSync(places.settings, BEFORE);
  useModel(places, "glm");
  const edited = (places.text() ?? "").replace('"dark"', '"light",\n  "mine": 1');
  writeFileSync(places.settings, edited);
  expect(useModel(places, "glm").changed).toBe(false);
  expect(places.text()).toBe(edited);
});

test("of a duplicate key the last one counts, and a reset restores both", () => {
  using places = newPlaces();
  writeFileSync(places.settings, '{"env":{"A":"1"},"env":{"B":"2"}}');
  useModel(places, "glm");
  expect(JSON.parse(places.text() ?? "").env).toEqual({ B: "2", MODEL: "glm", KEY: "" });
  reset(places);
  expect(places.text()).toBe('{"env":{"A":"1"},"env":{"B":"2"}}');
});

test("a file that the user removed since is not created again", () => {
  using places = newPlaces();
  writeFileSync(places.settings, BEFORE);
  useModel(places, "glm");
  rmSync(places.settings);
  expect(reset(places)?.outcome).toBe("gone");
  expect(places.text()).toBeUndefined();
});

test("another settings.json is not mixed up with the one that was changed", () => {
  using places = newPlaces();
  using other = newPlaces();
  writeFileSync(places.settings, BEFORE);
  useModel(places, "glm");
  const elsewhere = { ...places, settings: other.settings };
  expect(() => useModel(elsewhere, "kimi")).toThrow("already changed another file");
  expect(reset(elsewhere)?.outcome).toBe("restored");
  expect(places.text()).toBe(BEFORE);
});

test("a damaged record is reported, and nothing is changed", () => {
  using places = newPlaces();
  writeFileSync(places.settings, BEFORE);
  useModel(places, "glm");
  const used = places.text();
  writeFileSync(places.record, "{}");
  expect(() => reset(places)).toThrow("use.json is damaged");
  expect(places.text()).toBe(used);
});

describe("what is wanted is merged into settings.json:", () => {
  const table: [name: string, base: Json, wanted: Json, after: Json, replaced: string[]][] = [
    ["nothing to do", { a: 1, l: [1] }, { a: 1, l: [1] }, { a: 1, l: [1] }, []],
    ["a new value", {}, { a: 1 }, { a: 1 }, []],
    ["another value", { a: 0 }, { a: 1 }, { a: 1 }, ["a"]],
    ["objects are merged", { env: { A: "1" } }, { env: { B: "" } }, { env: { A: "1", B: "" } }, []],
    ["lists are extended", { l: [1, 2] }, { l: [2, 3] }, { l: [1, 2, 3] }, []],
    ["a new list", {}, { h: { Stop: [1] } }, { h: { Stop: [1] } }, []],
    ["a value that is not a list is replaced by one", { l: null }, { l: [1] }, { l: [1] }, ["l"]],
    ["a value that is not an object is replaced", { env: 5 }, { env: { A: "" } }, { env: { A: "" } }, ["env"]],
    ["an empty object", {}, { a: {} }, { a: {} }, []],
  ];
  for (const [name, base, wanted, after, replaced] of table) {
    test(name, () => {
      const switched = inMemory(JSON.stringify(base));
      const used = switched.use(wanted);
      expect([switched.json(), used.replaced.map((path) => path.join("."))]).toEqual([after, replaced]);
    });
  }
});

describe("in a file that was edited since, only ccc's changes are undone:", () => {
  const base = { env: { KEY: "theirs" } };
  const ours = { env: { URL: "ours", KEY: "" }, hooks: { Stop: ["our hook"] } };
  const table: [name: string, now: Json, then: Json, kept: string[]][] = [
    ["another layout", { env: { KEY: "", URL: "ours" }, hooks: { Stop: ["our hook"] } }, base, []],
    [
      "the user added things",
      { env: { KEY: "", URL: "ours", MINE: "1" }, hooks: { Stop: ["our hook", "mine"] }, theme: "dark" },
      { env: { KEY: "theirs", MINE: "1" }, hooks: { Stop: ["mine"] }, theme: "dark" },
      [],
    ],
    ["the user changed a value of ours", { env: { KEY: "new", URL: "ours" } }, { env: { KEY: "new" } }, ["env.KEY"]],
    ["the user removed what we added", { env: { KEY: "" } }, { env: { KEY: "theirs" } }, []],
    ["the user undid it all", base, base, []],
  ];
  for (const [name, now, then, kept] of table) {
    test(name, () => {
      const switched = inMemory(JSON.stringify(base));
      switched.use(ours);
      switched.write(JSON.stringify(now, null, 4));
      expect(switched.reverted()).toEqual({ json: then, kept });
    });
  }

  test("it is unknown which of two states was written last", () => {
    const switched = inMemory(JSON.stringify(base));
    switched.use({ env: { URL: "former" } });
    // Killed after it has recorded the change, and before it makes it.
    expect(completes(() => switched.use(ours, killedBefore(switched.files, 1)))).toBe(false);
    switched.write('{"env":{"KEY":"theirs","URL":"former"}} ');
    expect(switched.reverted()).toEqual({ json: base, kept: [] });
  });
});

test("property: every switch can be repeated without a change, and undone in every layout", () => {
  const key = fc.constantFrom("env", "hooks", "a", "b");
  const leaf = fc.oneof(fc.constantFrom("", "x", true, null, 1), fc.array(fc.constantFrom("p", "q"), { maxLength: 2 }));
  const inner = fc.dictionary(key, leaf, { maxKeys: 3, noNullPrototype: true });
  const settings = fc.dictionary(key, fc.oneof(leaf, inner), { maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(settings, settings, fc.constantFrom(undefined, 2, "\t"), (base, wanted, indent) => {
      const switched = inMemory(JSON.stringify(base, null, indent));
      switched.use(wanted);
      switched.write(`${switched.text()} `);
      expect(switched.use(wanted).changed).toBe(false);
      expect(switched.reverted()).toEqual({ json: base, kept: [] });
    }),
    { numRuns: 300 },
  );
});

/** A settings.json in memory, and a switch to a provider with the wanted settings. */
function inMemory(text: string) {
  const settings = "/s.json";
  const files = memoryFiles({ [settings]: text });
  const places = { files, now: () => new Date(0), settings, record: "/ccc/use.json", backups: "/ccc/backups" };
  const read = () => files.content[settings] ?? "";
  return {
    files,
    text: read,
    json: () => JSON.parse(read()),
    write: (now: string) => {
      files.content[settings] = now;
    },
    use: (wanted: Json, by: Files = files) =>
      use({ ...places, files: by }, { provider: "glm", supervised: false }, () => wanted),
    reverted: () => {
      const undone = reset(places);
      expect(undone?.outcome).toBe("reverted");
      return { json: JSON.parse(read()), kept: undone?.kept.map((path) => path.join(".")) };
    },
  };
}
