import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const SRC = join(import.meta.dir, "../../src");

test("an exported type has a name that no other exported type has", () => {
  const files = [...new Bun.Glob("**/*.ts").scanSync(SRC)];
  const types = files.flatMap((file) => {
    const text = readFileSync(join(SRC, file), "utf8");
    return [...text.matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name = ""]) => ({ name, file }));
  });
  expect(types).toContainEqual({ name: "World", file: "world.ts" });
  const groups = [...Map.groupBy(types, ({ name }) => name)];
  const twice = groups.filter(([, same]) => same.length > 1);
  expect(twice.map(([name, same]) => `${name}: ${same.map(({ file }) => file).join(", ")}`)).toEqual([]);
});

test("no two files of src have the same name, so that a search finds the one that is meant", () => {
  const names = [...new Bun.Glob("**/*.ts").scanSync(SRC)].map((file) => basename(file));
  // Each command's room has its command.ts.
  const twice = names.filter((name, index) => name !== "command.ts" && names.indexOf(name) !== index);
  expect(twice).toEqual([]);
});
