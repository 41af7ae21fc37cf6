import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const SRC = join(import.meta.dir, "../../src");

/** From the bottom up: a folder imports only from itself and from those before it. */
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

/** The same within supervisor/, whose own files come first. */
const SUPERVISOR_FOLDERS = [
  "",
  "ledger",
  "record",
  "baseline",
  "tampering",
  "checks",
  "tool-guard",
  "review",
  "notify",
  "setup",
  "hooks",
  "print",
  "loop",
];

/** Files at the root of src that every layer may import. The others there are entry points. */
const BASE = ["build-info.ts", "errors.ts", "lazy.ts", "marks.ts", "repository.ts", "text-files.d.ts", "world.ts"];

/** Only these load modules lazily; lower layers get what they need passed in. */
const MAY_LOAD_LAZILY = /^(start\.ts|cli\/|launch\/)/;

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Imports of values. Types are excluded: they are gone at run time, and may describe what a higher layer passes down. */
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
  test("include every folder", () => {
    const folders = new Set(IMPORTS.flatMap(({ from, to }) => [layerOf(from), layerOf(to)]));
    expect([...folders].filter((folder) => !LAYERS.includes(folder))).toEqual([]);
  });

  test("import only from lower layers", () => {
    expect(IMPORTS).toContainEqual({ from: "cli/run.ts", to: "lazy.ts" });
    const upward = IMPORTS.filter(({ from, to }) => LAYERS.indexOf(layerOf(to)) > LAYERS.indexOf(layerOf(from)));
    expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("import only from lower folders within supervisor", () => {
    const folderOf = (file: string) => file.match(/^supervisor\/(?:(.+)\/)?/)?.[1] ?? "";
    const inside = IMPORTS.filter(({ from, to }) => [from, to].every((file) => file.startsWith("supervisor/")));
    const levels = inside.map(({ from, to }) =>
      [folderOf(from), folderOf(to)].map((name) => SUPERVISOR_FOLDERS.indexOf(name)),
    );
    expect(levels.flat()).not.toContain(-1);
    const upward = inside.filter((_, index) => (levels[index]?.[1] ?? 0) > (levels[index]?.[0] ?? 0));
    expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
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

  test("load lazily only in start, cli and launch", () => {
    const users = IMPORTS.filter(({ to }) => to === "lazy.ts").map(({ from }) => from);
    expect(users.filter((file) => !MAY_LOAD_LAZILY.test(file))).toEqual([]);
  });
});
