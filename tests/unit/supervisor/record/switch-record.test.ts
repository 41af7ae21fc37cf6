import { expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { readSwitch } from "../../../../src/supervisor/record/switch-record.ts";
import { memoryFiles } from "../../fakes.ts";

const RECORD = sessionRecord(cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s");

test.each<[text: string, found: ReturnType<typeof readSwitch>]>([
  ['{"is_on":true,"is_due":true,"reviewer":"/r.json"}', { is_on: true, is_due: true, reviewer: "/r.json" }],
  ['{"is_on":false}', { is_on: false, is_due: false }],
  ['{"is_on":"yes"}', undefined],
  ["", undefined],
])("a switch on record: %s", (text, found) => {
  expect(readSwitch(memoryFiles({ [RECORD.switch]: text }), RECORD)).toEqual(found);
});
