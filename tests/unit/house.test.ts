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
  "claude",
  "config",
  "providers",
  "launch",
  "supervisor",
  "sandbox",
  "commands",
  "cli",
  "entry",
];

/** The same within supervisor/: its folders and its own files, from the bottom up. */
const SUPERVISOR = [
  "options",
  "secrets",
  "ledger",
  "outcome",
  "record",
  "limits",
  "changes",
  "checks",
  "guard",
  "review",
  "notify",
  "setup",
  "hooks",
  "print",
  "loop",
  "launch",
];

/** Files at the root of src that every layer may import. main.ts is the other one there. */
const BASE = ["build-info.ts", "errors.ts", "markers.ts", "text-files.d.ts", "world.ts"];

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Imports of values. */
const IMPORTS: readonly Import[] = FILES.flatMap((from) => {
  const found = (TEXTS.get(from) ?? "").matchAll(/^(?:import|export) (?!type )([^;]*?)from "(\.[^"]+\.ts)";/gms);
  return [...found].flatMap(([, names = "", path = ""]) => {
    const isTypes =
      /^\{[^}]*\} $/.test(names) &&
      names
        .slice(1, -2)
        .split(",")
        .every((name) => /^\s*(type\s|$)/.test(name));
    return isTypes ? [] : [{ from, to: normalize(join(dirname(from), path)) }];
  });
});

function layerOf(file: string): string {
  if (file.includes("/")) return file.split("/")[0] ?? "";
  return BASE.includes(file) ? "base" : "entry";
}

function supervisorLayerOf(file: string): string {
  return file.match(/^supervisor\/([^/.]+)/)?.[1] ?? "";
}

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

  test("import only from lower layers", () => {
    expect(IMPORTS).toContainEqual({ from: "cli/run.ts", to: "cli/dispatch.ts" });
    expect(upward(IMPORTS, LAYERS, layerOf)).toEqual([]);
  });

  test("import only from lower layers within supervisor", () => {
    const inside = IMPORTS.filter(({ from, to }) => [from, to].every((file) => file.startsWith("supervisor/")));
    expect(upward(inside, SUPERVISOR, supervisorLayerOf)).toEqual([]);
  });

  test("have no import cycles between commands", () => {
    const room = (file: string) => (file.startsWith("commands/") ? file.split("/")[1] : undefined);
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of IMPORTS) {
      const [a, b] = [room(from), room(to)];
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
  test("at most 190 files", () => expect(FILES.length).toBeLessThanOrEqual(190));

  test("none is longer than 500 lines", () => {
    const long = FILES.filter((file) => (TEXTS.get(file) ?? "").split("\n").length - 1 > 500);
    expect(long).toEqual([]);
  });

  test("no folder has more than 17 of them", () => {
    const folders = Map.groupBy(FILES, (file) => dirname(file));
    expect([...folders].filter(([, files]) => files.length > 17).map(([folder]) => folder)).toEqual([]);
  });

  test("no exported type has the name of another", () =>
    expect(namedTwice(/^export (?:type|interface|class) (\w+)/gm)).toEqual([]));
});

/** Exported names that two files have, each with these files. */
function namedTwice(pattern: RegExp): string[] {
  const names = FILES.flatMap((file) =>
    [...(TEXTS.get(file) ?? "").matchAll(pattern)].map(([, name = ""]) => ({ name, file })),
  );
  expect(names.length).toBeGreaterThan(100);
  return [...Map.groupBy(names, ({ name }) => name)]
    .filter(([, same]) => new Set(same.map(({ file }) => file)).size > 1)
    .map(([name, same]) => `${name}: ${same.map(({ file }) => file).join(", ")}`);
}
