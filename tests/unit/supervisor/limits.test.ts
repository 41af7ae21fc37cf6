import { expect, test } from "bun:test";
import { cccPaths } from "../../../src/config/paths.ts";
import { limitSoFar, NOT_WAITED, recordLimit, waitFile } from "../../../src/supervisor/limits.ts";
import { sessionRecord } from "../../../src/supervisor/record/session.ts";
import { memoryFiles } from "../fakes.ts";

const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
const RECORD = sessionRecord(PATHS, "s");

test("an error within ten minutes of a wait belongs to the same limit, a later one to another", () => {
  const files = memoryFiles();
  const waited = { waits: 2, seconds: 90 };
  expect(limitSoFar(files, RECORD, 1000)).toEqual(NOT_WAITED);
  recordLimit(files, RECORD, waited, 1000);
  expect(limitSoFar(files, RECORD, 1599)).toMatchObject(waited);
  expect(limitSoFar(files, RECORD, 1600)).toEqual(NOT_WAITED);
});

test("a damaged record counts as none", () => {
  const files = memoryFiles({ [RECORD.limit]: '{"waits":2,"ended":1000}' });
  expect(limitSoFar(files, RECORD, 1000)).toEqual(NOT_WAITED);
});

test("each claude waits with a file of its own, and only the number of a process can name it", () => {
  expect(["7", "8", "../../ccc.json", "7/../8", ""].map((pid) => waitFile(PATHS, pid))).toEqual([
    ...["/c/ccc/waits/7", "/c/ccc/waits/8"],
    ...["/c/ccc/waits/unknown", "/c/ccc/waits/unknown", "/c/ccc/waits/unknown"],
  ]);
});
