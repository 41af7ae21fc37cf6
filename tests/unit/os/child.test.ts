import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildRequest, drain, limited, runChild } from "../../../src/os/child.ts";
import { haveEnded, isRunning } from "../../ended.ts";

describe("runChild", () => {
  const root = mkdtempSync(join(tmpdir(), "ccc-child-"));
  afterAll(() => rmSync(root, { recursive: true }));

  /** Runs a script in a shell. Returns the result, with all that it printed. */
  async function run(
    script: string,
    request: Partial<Omit<ChildRequest, "onLine">> = {},
    onLine = (_: string) => false,
  ) {
    const lines: (string | undefined)[] = [];
    const result = await runChild({
      program: { file: "/bin/sh", args: ["-c", script], env: process.env },
      cwd: root,
      stdin: "",
      timeoutMs: undefined,
      onLine: (line) => {
        const text = line === undefined ? undefined : Buffer.from(line).toString("latin1");
        lines.push(text);
        return onLine(text ?? "");
      },
      ...request,
    });
    return { ...result, lines };
  }

  const UNTIL_KILLED = "while :; do sleep 0.01; done";
  /** Starts a process in a group of its own, which does not keep the output open, and prints its id. */
  const OTHER_GROUP = "bash -c 'set -m; sleep 600 >/dev/null 2>&1 & echo $!'";

  describe("a program that ends by itself", () => {
    test("has an exit code, lines and the end of what it said on stderr", async () => {
      expect(await run("echo one; echo two; printf three; echo why >&2; exit 3")).toEqual({
        exitCode: 3,
        ending: "exited",
        stderr: "why",
        lines: ["one", "two", "three"],
      });
      const { stderr } = await run("printf %05000d 0 >&2; printf end >&2");
      expect([stderr.length, stderr.slice(-4)]).toEqual([4_000, "0end"]);
    });
    test("has its stderr in one piece, even if a character arrives in two", async () => {
      const { stderr } = await run("printf 'f\\303' >&2; sleep 0.2; printf '\\274r' >&2");
      expect(stderr).toBe("für");
    });
    test("is read byte for byte if that is asked for", async () => {
      const { lines } = await run("printf 'one\\ntwo\\r\\n\\n'", { isRaw: true });
      expect(lines.join("")).toBe("one\ntwo\r\n\n");
    });
    test("gets its input, with the bytes of names that are not UTF-8", async () => {
      expect((await run("cat", { stdin: "é \uDCFF" })).lines).toEqual(["\xc3\xa9 \xff"]);
      expect((await run("cat", { stdin: "" })).lines).toEqual([]);
    });
    test("gets texts as they come, and may end before they do", async () => {
      const { readable, writable } = new TransformStream<string, string>();
      const writer = writable.getWriter();
      void writer.write("one\n");
      const answer = (line: string) => {
        if (line === "heard one") void writer.write("two\n");
        return false;
      };
      const script = 'read a; echo "heard $a"; read b; echo "heard $b"; exit 3';
      expect(await run(script, { stdin: readable }, answer)).toMatchObject({
        exitCode: 3,
        ending: "exited",
        lines: ["heard one", "heard two"],
      });
    });
    test("takes its group with it, and leaves processes of other groups", async () => {
      const { lines } = await run(`sleep 600 & echo $!; ${OTHER_GROUP}`);
      const [same = "", other = ""] = lines.map(String);
      const found = [await haveEnded(same), isRunning(other)];
      process.kill(Number(other), "SIGKILL");
      expect(found).toEqual([true, true]);
    });
  });

  test.each([
    ["waits for them", "cat"],
    ["does not read them, however long they are", `echo ready; ${UNTIL_KILLED}`],
  ])("when the texts for its stdin end, a program is ended that %s", async (_, script) => {
    const { readable, writable } = new TransformStream<string, string>();
    const writer = writable.getWriter();
    void writer.write(`${"x".repeat(1_000_000)}\n`);
    const end = () => {
      void writer.close();
      return false;
    };
    expect(await run(script, { stdin: readable }, end)).toMatchObject({ exitCode: null, ending: "stopped" });
  });

  test("a program that was killed leaves nothing running, not even in other groups", async () => {
    const { lines, ...result } = await run(`${OTHER_GROUP}; kill -9 $$`);
    expect(result).toMatchObject({ exitCode: null, ending: "exited" });
    expect(await haveEnded(String(lines[0]))).toBe(true);
  });

  test("a program that cannot run is reported, with a terminal as without", async () => {
    const program = { file: "/no/such", args: [], env: {} };
    const message = "cannot run /no/such: no such file";
    await expect(run("", { program })).rejects.toThrow(message);
    await expect(run("", { program, stdin: { isTerminal: true, input: undefined } })).rejects.toThrow(message);
  });

  test("a program is ended when a line is what was waited for", async () => {
    const result = await run(`echo one; echo two; ${UNTIL_KILLED}`, {}, (line) => line === "two");
    expect(result).toMatchObject({ exitCode: null, ending: "stopped", lines: ["one", "two"] });
  });

  test("a program is ended at the timeout, and what it says then is ignored", async () => {
    const result = await run(`trap 'echo late; exit 0' TERM; ${UNTIL_KILLED}`, { timeoutMs: 200 });
    expect(result).toMatchObject({ exitCode: null, ending: "timeout", lines: [] });
  });

  test("what a process says after the run is over is ignored", async () => {
    const [go, gone] = [join(root, "go"), join(root, "gone")];
    const late = `until [ -e "${go}" ]; do sleep 0.01; done; echo late; touch "${gone}"`;
    // Otherwise ccc gives it time to close the output.
    const runAtOnce = async () => {
      using _pause = spyOn(Bun, "sleep").mockImplementation(async () => {});
      return await run(`bash -c 'set -m; (${late}) &'`);
    };
    const { lines } = await runAtOnce();
    writeFileSync(go, "");
    while (!existsSync(gone)) await Bun.sleep(1);
    await run("true");
    expect(lines).toEqual([]);
  });

  describe("when ccc is asked to end", () => {
    const send = (signal: "SIGINT" | "SIGTERM") => process.emit(signal, signal);
    test("the program may clean up, and ccc listens to signals no longer", async () => {
      using _asLongAsItTakes = spyOn(Bun, "sleep").mockImplementation(() => new Promise(() => {}));
      const before = process.listenerCount("SIGINT");
      const result = await run(`trap 'echo cleaned up; exit 0' TERM; echo ready; ${UNTIL_KILLED}`, {}, (line) => {
        if (line === "ready") send("SIGINT");
        return false;
      });
      expect(result).toMatchObject({ exitCode: null, ending: "interrupted", lines: ["ready", "cleaned up"] });
      expect(process.listenerCount("SIGINT")).toBe(before);
    });
    test("a program that does not end is killed when ccc is asked again", async () => {
      using _forEver = spyOn(Bun, "sleep").mockImplementation(() => new Promise(() => {}));
      const { ending } = await run(`trap 'echo no' TERM; echo ready; ${UNTIL_KILLED}`, {}, () => {
        send("SIGINT");
        return false;
      });
      expect(ending).toBe("interrupted");
    });
    test("or after a while, which is shorter if ccc may soon be killed itself", async () => {
      const waits: number[] = [];
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        using pause = spyOn(Bun, "sleep").mockImplementation(async () => {});
        await run(`trap '' TERM; echo ready; ${UNTIL_KILLED}`, {}, () => {
          send(signal);
          return false;
        });
        waits.push(Number(pause.mock.calls[0]?.[0]));
      }
      const [afterInterrupt = 0, afterTerminate = 0] = waits;
      expect(afterTerminate).toBeLessThan(afterInterrupt);
    });
  });

  describe("a program with a terminal of its own", () => {
    test("has it for input and output", async () => {
      const { lines, exitCode } = await run("test -t 0 && test -t 1 && test -t 2 && echo yes; exit 4", {
        stdin: { isTerminal: true, input: undefined },
      });
      expect([lines, exitCode]).toEqual([["yes"], 4]);
    });
    test("or for output alone, with an input that ends", async () => {
      const { lines } = await run("test -t 0 || cat; test -t 1 && test -t 2 && echo yes", {
        stdin: { isTerminal: true, input: "text\n" },
      });
      expect(lines).toEqual(["text", "yes"]);
    });
  });

  test("a process that is older than the run is not ended, not even one with the run's marker", async () => {
    const marker = crypto.randomUUID();
    // The system tells the starts of processes apart by hundredths of a second.
    const script = "sleep 0.02; echo; exec sleep 600";
    const env = { ...process.env, OTHER: `ccc-${marker}` };
    const older = Bun.spawn(["sh", "-c", script], { env, stdio: ["ignore", "pipe", "ignore"] });
    await older.stdout.getReader().read();
    using _known = spyOn(crypto, "randomUUID").mockReturnValue(marker);
    expect(await run("sleep 600", { timeoutMs: 50 })).toMatchObject({ ending: "timeout" });
    expect(isRunning(String(older.pid))).toBe(true);
    older.kill("SIGKILL");
  });
});

describe("drain", () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);

  /** A stream of so many chunks, which never pauses. */
  function streamOf(count: number): ReadableStream<Uint8Array> {
    let next = 0;
    return new ReadableStream({
      pull: (controller) => (next < count ? controller.enqueue(bytes(next++ % 256)) : controller.close()),
    });
  }

  test("all chunks are passed on, in their order", async () => {
    const chunks: Uint8Array[] = [];
    await drain(
      streamOf(3),
      (chunk) => chunks.push(chunk),
      () => true,
    );
    expect(chunks).toEqual([bytes(0), bytes(1), bytes(2)]);
  });

  test("a chunk that is not wanted any more ends it, and is not passed on", async () => {
    const chunks: Uint8Array[] = [];
    await drain(
      streamOf(Number.POSITIVE_INFINITY),
      (chunk) => chunks.push(chunk),
      () => chunks.length < 2,
    );
    expect(chunks).toEqual([bytes(0), bytes(1)]);
  });

  test("timers fire while a stream that never pauses is read", async () => {
    let hasFired = false;
    setTimeout(() => {
      hasFired = true;
    }, 0);
    await drain(
      streamOf(Number.POSITIVE_INFINITY),
      () => {},
      () => !hasFired,
    );
    expect(hasFired).toBe(true);
  });

  test("reading continues without a break as long as the time is short", async () => {
    using _clock = spyOn(performance, "now").mockImplementation(() => 0);
    using breaks = spyOn(globalThis, "setImmediate");
    await drain(
      streamOf(100),
      () => {},
      () => true,
    );
    expect(breaks).not.toHaveBeenCalled();
  });
});

describe("limited", () => {
  test("passes on texts up to the limit of texts or characters, then says once that there was more", () => {
    const said: string[] = [];
    const say = limited((text) => said.push(text), { texts: 2, characters: 100 }, "more");
    for (const text of ["a", "b", "c", "d"]) say(text);
    expect(said).toEqual(["a", "b", "more"]);

    said.length = 0;
    const brief = limited((text) => said.push(text), { texts: 100, characters: 3 }, "more");
    for (const text of ["ab", "c", "d", "e"]) brief(text);
    expect(said).toEqual(["ab", "c", "more"]);
  });

  test("makes no text that it would drop", () => {
    let made = 0;
    const say = limited(() => {}, { texts: 2, characters: 100 }, "more");
    for (let index = 0; index < 9; index++) say(() => `text ${made++}`);
    expect(made).toBe(3);
  });
});
