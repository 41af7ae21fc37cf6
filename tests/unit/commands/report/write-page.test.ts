import { expect, test } from "bun:test";
import { lstat, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pagePath, writePage } from "../../../../src/commands/report/write-page.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import { makeScratch } from "../../../../src/os/scratch.ts";

test("a page that cannot be written is refused before anything is done for it", async () => {
  const { path: cwd, remove } = makeScratch();
  try {
    await writeFile(join(cwd, "notes"), "");
    const place = { cwd, files: diskFiles(process.pid) };
    expect(() => pagePath(place, "notes/page.html", "report.html")).toThrow(
      `cannot write ${join(cwd, "notes/page.html")}`,
    );
    expect(() => pagePath(place, ".", "report.html")).toThrow("is a folder");
    expect(pagePath(place, "new/page.html", "report.html")).toBe(join(cwd, "new/page.html"));
  } finally {
    remove();
  }
});

test("a page replaces the file of an earlier one, also behind a link, and only its owner can read it", async () => {
  const { path: cwd, remove } = makeScratch();
  try {
    await writeFile(join(cwd, "page.html"), "old");
    await symlink("page.html", join(cwd, "link.html"));
    const place = { cwd, files: diskFiles(process.pid) };
    const path = pagePath(place, "link.html", "report.html");
    writePage(place, path, "new");
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(cwd, "page.html"), "utf8")).toBe("new");
    expect((await lstat(join(cwd, "page.html"))).mode & 0o777).toBe(0o600);
  } finally {
    remove();
  }
});
