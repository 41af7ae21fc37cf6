import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const SRC = join(import.meta.dir, "../../src");

/** From the bottom up: a folder imports from itself and from those before it. */
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
  "edges",
];

/** Files outside of folders: what everybody needs, and where the program begins. */
const BASE = ["build-info.ts", "errors.ts", "lazy.ts", "marks.ts", "repository.ts", "text-files.d.ts", "world.ts"];

/** These alone decide what is loaded late; everybody below them gets it handed in. */
const MAY_LOAD_LATE = /^(start\.ts|cli\/|launch\/)/;

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Imports of values. A type is gone when the program runs, and may name what a higher layer hands down. */
const IMPORTS: readonly Import[] = [...new Bun.Glob("**/*.ts").scanSync(SRC)].flatMap((from) => {
  const text = readFileSync(join(SRC, from), "utf8");
  const found = text.matchAll(/^(?:import|export) (?!type )([^;]*?)from "(\.[^"]+\.ts)";/gms);
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
  return BASE.includes(file) ? "base" : "edges";
}

describe("the layers of src", () => {
  test("have every folder in them", () => {
    const folders = new Set(IMPORTS.flatMap(({ from, to }) => [layerOf(from), layerOf(to)]));
    expect([...folders].filter((folder) => !LAYERS.includes(folder))).toEqual([]);
  });

  test("import from below only", () => {
    expect(IMPORTS).toContainEqual({ from: "cli/run.ts", to: "lazy.ts" });
    const upward = IMPORTS.filter(({ from, to }) => LAYERS.indexOf(layerOf(to)) > LAYERS.indexOf(layerOf(from)));
    expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("have commands that import each other in no circle", () => {
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

  test("load late in start, cli and launch only", () => {
    const users = IMPORTS.filter(({ to }) => to === "lazy.ts").map(({ from }) => from);
    expect(users.filter((file) => !MAY_LOAD_LATE.test(file))).toEqual([]);
  });
});
