import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const PAGE = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");

describe("docs/architecture.md", () => {
  test("names only files and folders that exist", () => {
    const known = new Set(
      [...new Bun.Glob("{src,tests,scripts}/**/*.ts").scanSync(ROOT)].map((path) => basename(path)),
    );
    const paths = [...PAGE.matchAll(/`((?:src|tests|scripts)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    const names = [...PAGE.matchAll(/[\w.-]*\w\.ts\b/g)].map(([name]) => name);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test("shows every folder of src, and of src/supervisor", () => {
    const folders = (path: string) =>
      readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [entry.name] : [],
      );
    const tree = /^```\n(.*?)^```$/ms.exec(PAGE)?.[1] ?? "";
    const all = [...folders("src"), ...folders("src/supervisor")];
    expect(all.filter((name) => !tree.includes(`${name}/`))).toEqual([]);
  });
});
