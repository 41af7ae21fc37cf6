import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const SOURCE = join(import.meta.dir, "../../../src");

test("a plain launch loads only ccc's own files: a library or a Node module would cost time", async () => {
  const { own, foreign } = await loadedFrom(join(SOURCE, "entry/launch.ts"));
  expect(foreign).toEqual([]);
  expect(own).toContain(join(SOURCE, "launch/plan.ts"));
});

test("a repeated launch loads nothing of what decides a launch", async () => {
  const { own, foreign } = await loadedFrom(join(SOURCE, "entry/repeat.ts"));
  expect(foreign).toEqual([]);
  expect(own.filter((path) => path.includes("/launch/") || path.includes("/providers/"))).toEqual([]);
});

test("a hook loads no library for terminals: it has none, and each would cost time", async () => {
  const { foreign } = await loadedFrom(join(SOURCE, "entry/stop.ts"));
  const modules = new Set(foreign.map((each) => each.split(": ")[1]));
  expect([...modules].sort()).toEqual([
    "jsonc-parser/lib/esm/impl/parser.js",
    "node:fs",
    "node:os",
    "node:path",
    "valibot",
  ]);
});

test.each(["prompt", "stop"])(
  "the %s hook makes no schema before it needs one, except small ones that others are made of",
  async (name) => {
    const { own } = await loadedFrom(join(SOURCE, `entry/${name}.ts`));
    const texts = await Promise.all(own.map((file) => readFile(file, "utf8")));
    const made = texts.flatMap((text) =>
      [...text.matchAll(/^(?:export )?const (\w+)[^\n=]* = (?:v\.\w+|lenient)\(/gm)].map(([, schema = ""]) => schema),
    );
    expect(made.sort()).toEqual(["UsageFieldsSchema", "optionalText"]);
  },
);

/** What is loaded with a file. Whatever is required is loaded only when it is used. */
async function loadedFrom(start: string) {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const own = new Set([start]);
  const foreign: string[] = [];
  for (const file of own) {
    if (!file.endsWith(".ts")) continue;
    for (const { path, kind } of transpiler.scanImports(await readFile(file, "utf8"))) {
      if (kind === "require-call" || kind === "dynamic-import") continue;
      if (path.startsWith(".")) own.add(join(dirname(file), path));
      else foreign.push(`${file}: ${path}`);
    }
  }
  return { own: [...own], foreign };
}
