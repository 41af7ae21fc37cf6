import { expect, test } from "bun:test";
import { isWithin } from "../../../../src/supervisor/tool-guard/readable-places.ts";

test.each([
  ["/a/b", "/a", true],
  ["/a", "/a", true],
  ["/ab", "/a", false],
  ["/A/b", "/a", false],
  ["/a\\b", "/a", false],
  ["/a", "/", true],
  ["C:\\p\\bin", "C:\\p", true],
  ["c:/P/bin", "C:\\p", true],
  ["C:\\p\\", "C:\\p", true],
  ["C:\\Users\\u", "C:\\", true],
  ["C:\\project", "C:\\p", false],
  ["D:\\p", "C:\\p", false],
])("%s is within %s: %p", (path, folder, is) => expect(isWithin(path, folder)).toBe(is));
