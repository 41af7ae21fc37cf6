import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pagePath } from "../../../../src/commands/report/write-page.ts";
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
