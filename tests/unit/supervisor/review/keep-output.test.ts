import { afterAll, describe, expect, test } from "bun:test";
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFiles } from "../../../../src/os/disk.ts";
import { keepOutput } from "../../../../src/supervisor/review/keep-output.ts";
import { createRedactor } from "../../../../src/text/redactor.ts";

const root = await mkdtemp(join(tmpdir(), "ccc-test-"));
afterAll(() => rm(root, { recursive: true }));

/** The output of a session in a project of its own. */
async function newOutput() {
  const project = await mkdtemp(join(root, "project-"));
  const path = join(project, "supervisor-s-output.jsonl");
  const said: string[] = [];
  const session = {
    ...{ files: diskFiles(process.pid).guarded(project), outputFile: path, redactor: createRedactor([]) },
    log: { say: (message: string) => void said.push(message) },
  };
  return {
    path,
    aside: `${path}.1`,
    said,
    /** A review that streams these lines. */
    review: (lines: readonly object[], largest?: number) => {
      const keep = keepOutput(session, largest);
      for (const line of lines) keep.line(Buffer.from(JSON.stringify(line)));
      keep.close();
    },
  };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ line: from + index }));
const linesIn = async (path: string) =>
  (await readFile(path, "utf8"))
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("the reviewer's output is bounded", () => {
  test("HOOK-13 HOOK-14 HOOK-15 reviews are appended, and at the limit the file is set aside between two whole lines", async () => {
    const { path, aside, review, said } = await newOutput();
    for (let from = 0; from < 90; from += 10) review(numbered(from, from + 10), 500);
    const [older, newer] = [await linesIn(aside), await linesIn(path)];
    expect([...older, ...newer]).toEqual(numbered(older[0].line, 90));
    expect(older.length).toBeGreaterThan(30);
    for (const file of [path, aside]) expect((await stat(file)).size).toBeLessThanOrEqual(520);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
    expect(await readdir(join(path, ".."))).toHaveLength(2);
    expect(said).toEqual([]);
  });

  test("also within one review with endless output", async () => {
    const { path, aside, review } = await newOutput();
    review(numbered(0, 1000), 500);
    expect((await linesIn(path)).at(-1)).toEqual({ line: 999 });
    for (const file of [path, aside]) expect((await stat(file)).size).toBeLessThanOrEqual(520);
  });

  test("at 20 MB by default", async () => {
    const { path, aside, review } = await newOutput();
    const mb = { text: "x".repeat(1_000_000) };
    review(Array(20).fill(mb));
    expect(await readdir(join(path, ".."))).toHaveLength(1);
    review([mb]);
    expect((await stat(aside)).size).toBeGreaterThan(20_000_000);
    expect(await linesIn(path)).toEqual([mb]);
  });

  test("two reviews at once lose no line", async () => {
    const { path, aside, review } = await newOutput();
    review(numbered(0, 30), 500);
    const other = keepOutput(
      {
        ...{ files: diskFiles(process.pid).guarded(join(path, "..")), outputFile: path },
        ...{ redactor: createRedactor([]), log: { say: () => {} } },
      },
      500,
    );
    review(numbered(30, 45), 500);
    other.line(Buffer.from('{"line":"of the other"}'));
    other.close();
    expect([...(await linesIn(aside)), ...(await linesIn(path))]).toHaveLength(46);
  });
});

describe("in a hostile project, setting it aside", () => {
  const long = `${"x".repeat(600)}\n`;

  test("replaces a link in its way, and not what that points to", async () => {
    const { path, aside, review } = await newOutput();
    const precious = join(root, "precious");
    await writeFile(precious, "precious");
    await writeFile(path, long);
    await symlink(precious, aside);
    review([{ line: 1 }], 500);
    expect((await lstat(aside)).isFile()).toBe(true);
    expect(await readFile(precious, "utf8")).toBe("precious");
    expect(await linesIn(path)).toEqual([{ line: 1 }]);
  });

  test("leaves the other name of a hard link unchanged", async () => {
    const { path, review } = await newOutput();
    const shared = join(root, "shared");
    await writeFile(shared, long);
    await link(shared, path);
    review([{ line: 1 }], 500);
    expect(await readFile(shared, "utf8")).toBe(long);
    expect(await linesIn(path)).toEqual([{ line: 1 }]);
  });

  test("fails if a folder is in its way, and the review goes on", async () => {
    const { path, aside, review, said } = await newOutput();
    await writeFile(path, long);
    await mkdir(aside);
    review([{ line: 1 }, { line: 2 }], 500);
    expect(said).toEqual([expect.stringContaining(`could not save the review: cannot write ${path}`)]);
    expect(await readFile(path, "utf8")).toBe(long);
  });
});
