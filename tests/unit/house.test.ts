import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const SRC = join(import.meta.dir, "../../src");
const FILES = [...new Bun.Glob("**/*.ts").scanSync(SRC)].sort();
const TEXTS = new Map(FILES.map((file) => [file, readFileSync(join(SRC, file), "utf8")]));

/** From the bottom up: a file imports only from its own layer and from those before it. */
const LAYERS = [
  "base",
  "text",
  "os",
  "terminal",
  "world",
  "claude",
  "config",
  "providers",
  "launch",
  "sandbox",
  "supervisor",
  "commands",
  "cli",
  "entry",
];

/** The same within supervisor/: its folders and files, from the bottom up. */
const SUPERVISOR = [
  "project",
  "secrets",
  "criteria",
  "ledger",
  "outcome",
  "record",
  "limits",
  "changes",
  "checks",
  "proof",
  "guard",
  "review",
  "nudge",
  "notify",
  "setup",
  "hooks",
  "print",
  "loop",
  "launch",
];

function layerOf(file: string): string {
  if (file.includes("/")) return file.split("/")[0] ?? "";
  if (file === "main.ts") return "entry";
  return file === "world.ts" ? "world" : "base";
}

function supervisorLayerOf(file: string): string {
  return file.match(/^supervisor\/([^/.]+)/)?.[1] ?? "";
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every way of loading another file: imports, of types too, `import(…)` and `require(…)`. */
const IMPORTS: readonly Import[] = FILES.flatMap((from) =>
  [...(TEXTS.get(from) ?? "").matchAll(/(?:\bfrom |\bimport |\bimport\(|\brequire\()"(\.[^"]+)"/g)].map(
    ([, path = ""]) => ({ from, to: normalize(join(dirname(from), path)) }),
  ),
).filter(({ to }) => to.endsWith(".ts"));

const upward = (imports: readonly Import[], layers: readonly string[], layer: (file: string) => string) =>
  imports
    .filter(({ from, to }) => layers.indexOf(layer(to)) > layers.indexOf(layer(from)))
    .map(({ from, to }) => `${from} → ${to}`);

describe("the layers of src", () => {
  test("include every folder", () => {
    const layers = new Set(FILES.map(layerOf));
    expect([...layers].filter((layer) => !LAYERS.includes(layer))).toEqual([]);
    const inside = new Set(FILES.filter((file) => file.startsWith("supervisor/")).map(supervisorLayerOf));
    expect([...inside].filter((layer) => !SUPERVISOR.includes(layer))).toEqual([]);
  });

  test("import only from lower layers, types included", () => {
    expect(IMPORTS).toContainEqual({ from: "main.ts", to: "entry/launch.ts" });
    expect(IMPORTS).toContainEqual({ from: "launch/launch.ts", to: "launch/show.ts" });
    expect(upward(IMPORTS, LAYERS, layerOf)).toEqual([]);
  });

  test("import only from lower layers within supervisor", () => {
    const inside = IMPORTS.filter(({ from, to }) => [from, to].every((file) => file.startsWith("supervisor/")));
    expect(upward(inside, SUPERVISOR, supervisorLayerOf)).toEqual([]);
  });

  test("have no import cycles between commands", () => {
    const folder = (file: string) => (file.startsWith("commands/") ? file.split("/")[1] : undefined);
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of IMPORTS) {
      const [a, b] = [folder(from), folder(to)];
      if (a === undefined || b === undefined || a === b) continue;
      edges.set(a, (edges.get(a) ?? new Set()).add(b));
    }
    const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
      [...(edges.get(from) ?? [])].some((next) => {
        if (next === wanted) return true;
        if (seen.has(next)) return false;
        return reaches(next, wanted, seen.add(next));
      });
    expect([...edges.keys()].filter((each) => reaches(each, each))).toEqual([]);
  });
});

describe("a file is a deep module:", () => {
  test("there are at most 190", () => expect(FILES.length).toBeLessThanOrEqual(190));

  test("none is longer than 500 lines", () => {
    expect(FILES.filter((file) => lines(file) > 500)).toEqual([]);
  });

  test("no folder has more than 17", () => {
    const folders = Map.groupBy(FILES, (file) => dirname(file));
    expect([...folders].filter(([, files]) => files.length > 17).map(([folder]) => folder)).toEqual([]);
  });

  test("one under 40 lines has more than one importer, or a reason", () => {
    const importers = (file: string) => new Set(IMPORTS.filter(({ to }) => to === file).map(({ from }) => from)).size;
    const small = FILES.filter((file) => lines(file) < 40 && importers(file) < 2);
    expect(small.filter((file) => !(file in SMALL))).toEqual([]);
    expect(Object.keys(SMALL).filter((file) => !small.includes(file))).toEqual([]);
  });

  test("it exports at most five functions, unless it is a vocabulary", () => {
    const many = FILES.filter((file) => exportedFunctions(file).length > (VOCABULARIES[file]?.most ?? 5));
    expect(many.map((file) => `${file}: ${exportedFunctions(file).length}`)).toEqual([]);
  });

  test("at most four are vocabularies, and none has room to grow", () => {
    expect(Object.keys(VOCABULARIES).length).toBeLessThanOrEqual(4);
    const room = Object.entries(VOCABULARIES).filter(([file, { most }]) => exportedFunctions(file).length < most);
    expect(room.map(([file]) => file)).toEqual([]);
    expect(Object.values(VOCABULARIES).filter(({ most }) => most <= 5)).toEqual([]);
  });

  test("no two exported functions have the same name, and no two types", () => {
    expect(namedTwice(FILES.flatMap((file) => exportedFunctions(file).map((name) => ({ name, file }))))).toEqual([]);
    const types = FILES.flatMap((file) =>
      [...(TEXTS.get(file) ?? "").matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name = ""]) => ({
        name,
        file,
      })),
    );
    expect(namedTwice(types)).toEqual([]);
  });
});

/** Small files with one importer, and why each is a file. */
const SMALL: Readonly<Record<string, string>> = {
  "text-files.d.ts": "declares imports of text files",
  "entry/guard.ts": "an entry, bundled on its own",
  "entry/launch.ts": "an entry, bundled on its own",
  "entry/program.ts": "an entry, loaded if no other one is enough",
  "entry/prompt.ts": "an entry, bundled on its own",
  "entry/statusline.ts": "an entry, bundled on its own",
  "entry/stop.ts": "an entry, bundled on its own",
};

interface Vocabulary {
  readonly most: number;
  readonly because: string;
}

/** Files of small pure functions that are used apart from each other, and why each stays whole. */
const VOCABULARIES: Readonly<Record<string, Vocabulary>> = {
  "providers/variables.ts": { most: 7, because: "what each environment variable is, asked by all layers above" },
  "text/words.ts": { most: 11, because: "how counts, times and sentences read in every message" },
};

function lines(file: string): number {
  return (TEXTS.get(file) ?? "").split("\n").length - 1;
}

function exportedFunctions(file: string): string[] {
  const found = (TEXTS.get(file) ?? "").matchAll(
    /^export (?:default )?(?:(?:async )?function\*? (\w+)|const (\w+)[^=\n]*= (?:async )?(?:function\b|\w+ =>|\([^\n]*=>))/gm,
  );
  // An overloaded function is one.
  return [...new Set([...found].map(([, declared, assigned]) => declared ?? assigned ?? ""))];
}

function namedTwice(named: readonly { readonly name: string; readonly file: string }[]): string[] {
  expect(named.length).toBeGreaterThan(100);
  return [...Map.groupBy(named, ({ name }) => name)]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${name}: ${same.map(({ file }) => file).join(", ")}`);
}
