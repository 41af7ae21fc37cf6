import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { readStdin } from "../../../src/os/input.ts";

/** Stdin that gives these pieces, one at a time; an error for a code. */
function stdinOf(...pieces: (string | { code: string })[]) {
  return spyOn(fs, "readSync").mockImplementation(((fd: number, into: Buffer) => {
    if (fd !== 0) throw new Error(`file ${fd} is read`);
    const next = pieces.shift() ?? "";
    if (typeof next !== "string") throw Object.assign(new Error(next.code), next);
    return into.write(next);
  }) as typeof fs.readSync);
}

test.each([
  [["one", " ", "two"], 100, "one two"],
  [[], 100, ""],
  [["1234", "5678"], 8, "12345678"],
  [["1234", "56789"], 8, undefined],
  [["123456789"], 8, undefined],
  [[], 0, ""],
])("of %j, up to %d bytes are taken", (pieces, longest, text) => {
  using _stdin = stdinOf(...pieces);
  expect(readStdin(longest)).toBe(text);
});

test("input that is not there yet is waited for", () => {
  using _stdin = stdinOf({ code: "EAGAIN" }, "text", { code: "EAGAIN" }, " and more");
  expect(readStdin(100)).toBe("text and more");
});

test("the end of input on Windows, which is an error there, is its end", () => {
  using _stdin = stdinOf("text", { code: "EOF" });
  expect(readStdin(100)).toBe("text");
});

test("a failure is reported", () => {
  using _stdin = stdinOf("text", { code: "EIO" });
  expect(() => readStdin(100)).toThrow("EIO");
});
