import { expect, test } from "bun:test";
import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeScratch } from "../../../src/os/scratch.ts";

test("a scratch folder is new and private, and goes with all that is in it", () => {
  const [one, other] = [makeScratch(), makeScratch()];
  expect(one.path).not.toBe(other.path);
  expect([realpathSync(one.path), statSync(one.path).mode & 0o777]).toEqual([one.path, 0o700]);
  mkdirSync(join(one.path, "a/b"), { recursive: true });
  writeFileSync(join(one.path, "a/b/x"), "text");
  one.remove();
  expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
  other.remove();
});

test("removing it again is no error", () => {
  const place = makeScratch();
  place.remove();
  place.remove();
  expect(existsSync(place.path)).toBe(false);
});
