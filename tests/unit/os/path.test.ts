import { expect, test } from "bun:test";
import { absolutePath, isAbsolute, join, programName } from "../../../src/os/path.ts";

test.each([
  ["/a", "b", "/a/b"],
  ["/a/", "b", "/a/b"],
  ["/", "b", "/b"],
  ["C:\\a", "b/c", "C:\\a\\b\\c"],
  ["C:/a/", "b", "C:\\a\\b"],
  ["C:\\", "b", "C:\\b"],
  ["\\\\host\\share", "b", "\\\\host\\share\\b"],
  ["/odd\\name", "b", "/odd\\name/b"],
  ["a", "b", "a/b"],
])("%s and %s", (folder, name, whole) => expect(join(folder, name)).toBe(whole));

test.each([
  ["/a", true],
  ["a/b", false],
  ["./a", false],
  ["", false],
  ["C:\\a", true],
  ["C:/a", true],
  ["C:a", false],
  ["\\\\host\\share", true],
])("%s is absolute: %p", (path, is) => expect(isAbsolute(path)).toBe(is));

test.each([
  ["~/a/b", "/home/u/a/b"],
  ["~", "/folder/~"],
  ["~user/a", "/folder/~user/a"],
  ["/a", "/a"],
  ["C:\\a", "C:\\a"],
  ["a/b", "/folder/a/b"],
])("%s, as somebody writes it, is %s", (path, whole) =>
  expect(absolutePath(path, "/folder", () => "/home/u")).toBe(whole),
);

test.each([
  ["/usr/bin/ccc", "ccc"],
  ["C:\\bin\\Claude.EXE", "Claude"],
  ["C:/bin/ccc.exe", "ccc"],
  ["ccc", "ccc"],
])("the program at %s is %s", (path, name) => expect(programName(path)).toBe(name));
