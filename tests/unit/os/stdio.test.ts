import { describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { lineSplitter, readStdin, stdinWriter, writeFully, writeOut } from "../../../src/os/stdio.ts";

describe("input", () => {
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
});

describe("stdin writer", () => {
  test.each(["darwin", "win32"] as const)("%s does not tell who made a socket", (platform) =>
    expect(stdinWriter(platform, "x64")).toBeNull(),
  );

  if (process.platform === "linux") {
    const module = JSON.stringify(join(import.meta.dir, "../../../src/os/stdio.ts"));
    const script = `const { stdinWriter } = await import(${module}); console.log(String(stdinWriter("linux", process.arch)));`;
    const seen = async (stdin: "pipe" | "ignore") => {
      const child = Bun.spawn([process.execPath, "-e", script], { stdin, stdout: "pipe" });
      return (await child.stdout.text()).trim();
    };
    test("a socket's maker is known", async () => expect(await seen("pipe")).toBe(String(process.pid)));
    test("what is no socket has none", async () => expect(await seen("ignore")).toBe("undefined"));
  }
});

describe("write", () => {
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
});

describe("lines", () => {
  function split(text: string, cuts: readonly number[], longest = 1000) {
    const lines: (string | undefined)[] = [];
    const splitter = lineSplitter(longest, (line) => lines.push(line && new TextDecoder().decode(line)));
    const bytes = new TextEncoder().encode(text);
    let from = 0;
    for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
      splitter.push(bytes.subarray(from, cut));
      from = cut;
    }
    splitter.end();
    return lines;
  }

  test("lines end in \\n or \\r\\n, the last may be unterminated, and empty ones are skipped", () => {
    expect(split("a\nb\r\n\nc", [])).toEqual(["a", "b", "c"]);
  });
  test("a line that is too long is undefined, and the next is not", () => {
    expect(split(`${"x".repeat(30)}\nok\n${"y".repeat(30)}`, [5, 10, 35], 20)).toEqual([undefined, "ok", undefined]);
  });
  test("a line of exactly that length is not too long", () => {
    const longest = "x".repeat(20);
    expect(split(`${longest}\n${longest}x\n${longest}`, [], 20)).toEqual([longest, undefined, longest]);
  });
  test("property: how the bytes arrive makes no difference", () => {
    const text = fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replaceAll(/[\r\n]/g, "")));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (lines, cuts) => {
        expect(split(lines.join("\n"), cuts)).toEqual(lines.filter((line) => line !== ""));
      }),
    );
  });
});
