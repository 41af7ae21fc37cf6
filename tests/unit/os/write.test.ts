import { describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { writeFully, writeOut } from "../../../src/os/write.ts";

/** A file descriptor that takes `most` bytes at a time, and fails as `failures` say before it does. */
function receiver(most: number, ...failures: string[]) {
  const received: number[] = [];
  const spy = spyOn(fs, "writeSync").mockImplementation(((_: number, bytes: Uint8Array, done: number) => {
    const code = failures.shift();
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    const part = bytes.subarray(done, done + most);
    received.push(...part);
    return part.length;
  }) as typeof fs.writeSync);
  return { text: () => Buffer.from(received).toString(), [Symbol.dispose]: () => spy.mockRestore() };
}

test.each([1, 2, 3, 100])("everything is written, however small the parts: %d", (most) => {
  using to = receiver(most);
  writeFully(1, Buffer.from("größe"));
  expect(to.text()).toBe("größe");
});

test("a full pipe is waited for", () => {
  using to = receiver(2, "EAGAIN", "EAGAIN");
  writeFully(1, Buffer.from("text"));
  expect(to.text()).toBe("text");
});

test("a failure is reported: nothing is lost in silence", () => {
  using _to = receiver(2, "ENOSPC");
  expect(() => writeFully(1, Buffer.from("text"))).toThrow("ENOSPC");
});

describe("what nobody reads any more", () => {
  test.each(["EPIPE", "EIO"])("is no error: %s", (code) => {
    using to = receiver(2, code);
    writeOut(1, "text");
    expect(to.text()).toBe("");
  });
  test("but a full disk is", () => {
    using _to = receiver(2, "ENOSPC");
    expect(() => writeOut(1, "text")).toThrow("ENOSPC");
  });
});
