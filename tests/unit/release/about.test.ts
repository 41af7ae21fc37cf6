import { expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourceOf } from "../../../scripts/release/about.ts";

const UNKNOWN = { commit: "unknown", time: 315_532_800 };

test("commit and time come from git", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-source-"));
  await Bun.write(
    join(folder, "git"),
    '#!/bin/sh\ncase "$1" in describe) echo 0123-dirty;; log) echo 1700000000;; esac\n',
  );
  await chmod(join(folder, "git"), 0o755);
  expect(await sourceOf(folder, { PATH: folder })).toEqual({ commit: "0123-dirty", time: 1_700_000_000 });
  const given = { PATH: folder, CCC_COMMIT: "abc", SOURCE_DATE_EPOCH: "1600000000" };
  expect(await sourceOf(folder, given)).toEqual({ commit: "abc", time: 1_600_000_000 });
  await rm(folder, { recursive: true });
});
test("a machine without git", async () => {
  expect(await sourceOf(import.meta.dir, { PATH: "/nowhere" })).toEqual(UNKNOWN);
});
test("a folder inside another repository has no commit", async () => {
  const { CCC_COMMIT: _, SOURCE_DATE_EPOCH: __, ...env } = process.env;
  expect(await sourceOf(import.meta.dir, env)).toEqual(UNKNOWN);
});
