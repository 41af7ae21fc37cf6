import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import { removeOldRecords } from "../../../../src/supervisor/record/old-records.ts";

const PLANTED: [record: string, days: number][] = [
  ["launches/old.json", 91],
  ["launches/new.json", 89],
  ["launches/use.json", 91],
  ["runs/old.jsonl", 91],
  ["runs/new.jsonl", 89],
  ["sessions/old", 91],
  ["sessions/new", 89],
  ["baselines/old", 8],
  ["baselines/new", 6],
];

test("records go after 90 days and baselines after seven, but never what `ccc use` relies on", () => {
  const home = mkdtempSync(join(tmpdir(), "ccc-test-"));
  const files = diskFiles(process.pid);
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: home }, platform: process.platform });
  for (const [record, days] of PLANTED) {
    const path = join(paths.generated, record);
    if (record.includes(".")) files.writePrivate(path, "");
    else mkdirSync(path, { recursive: true });
    const then = new Date(Date.now() - days * 24 * 3600 * 1000);
    utimesSync(path, then, then);
  }
  expect(removeOldRecords(files, paths)).toBe(4);
  const left = ["launches", "runs", "sessions", "baselines"].map((name) => files.list(join(paths.generated, name)));
  expect(left.map((names) => names.sort())).toEqual([["new.json", "use.json"], ["new.jsonl"], ["new"], ["new"]]);
  expect(removeOldRecords(files, paths)).toBe(0);
  rmSync(home, { recursive: true });
});
