import { expect, test } from "bun:test";
import { buildOf } from "../../src/build-info.ts";

test("from source there is no commit and no libc to tell of", () => {
  const { arch, versions } = process;
  expect(buildOf(process)).toEqual({ commit: "unknown", arch, libc: null, bun: versions.bun ?? "" });
});
