import { expect, test } from "bun:test";
import { cccPaths } from "../../../src/config/paths.ts";
import { limitSoFar, NOT_WAITED } from "../../../src/supervisor/limits.ts";
import { openSession } from "../../../src/supervisor/record/session.ts";
import { memoryFiles } from "../fakes.ts";

const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });

test("an error within ten minutes of a wait belongs to the same limit, a later one to another", () => {
  const record = openSession(memoryFiles(), PATHS, "s");
  const waited = { waits: 2, seconds: 90 };
  expect(limitSoFar(record, 1000)).toEqual(NOT_WAITED);
  record.limit.save({ ...waited, ended: 1000 });
  expect(limitSoFar(record, 1599)).toMatchObject(waited);
  expect(limitSoFar(record, 1600)).toEqual(NOT_WAITED);
});

test("a damaged record counts as none", () => {
  const files = memoryFiles({ "/c/ccc/sessions/s/limit.json": '{"waits":2,"ended":1000}' });
  expect(limitSoFar(openSession(files, PATHS, "s"), 1000)).toEqual(NOT_WAITED);
});
