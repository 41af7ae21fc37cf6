import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ChildRequest,
  drain,
  endable,
  limited,
  processesOfRun,
  runChild,
  type SeenProcess,
} from "../../../src/os/child.ts";

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

  /** Whether a process runs. One that has ended may still have an entry until its parent has asked. */
  function isRunning(pid: string): boolean {
    return !/^(Z.*)?$/s.test(Bun.spawnSync(["ps", "-o", "stat=", "-p", pid]).stdout.toString());
  }

  /** Waits until a process that was killed has ended. */
  async function hasEnded(pid: string): Promise<true> {
    while (isRunning(pid)) await Bun.sleep(5);
    return true;
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
      const found = [await hasEnded(same), isRunning(other)];
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
    expect(await hasEnded(String(lines[0]))).toBe(true);
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

describe("processesOfRun", () => {
  const started: number[] = [];
  afterEach(() => {
    for (const pid of started.splice(0)) killGroup(pid);
  });

  function killGroup(pid: number): void {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  }

  /** A shell with a child and a grandchild, all with the mark in their environment. */
  function family(mark: string) {
    const script = "sh -c 'sleep 600 & echo $! $$; wait' & wait";
    const env = { ...process.env, MARK: mark };
    const child = Bun.spawn(["sh", "-c", script], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
    started.push(child.pid);
    return child;
  }

  async function descendantsOf(child: { readonly stdout: ReadableStream<Uint8Array> }): Promise<number[]> {
    for await (const chunk of child.stdout) return new TextDecoder().decode(chunk).trim().split(" ").map(Number);
    return [];
  }

  const sorted = (pids: number[]) => pids.sort((a, b) => a - b);

  test("the processes of a run are found, without those of other runs and the program itself", async () => {
    const [mark, other] = [`ccc-${crypto.randomUUID()}`, `ccc-${crypto.randomUUID()}`];
    const [child, stranger] = [family(mark), family(other)];
    const [below] = await Promise.all([descendantsOf(child), descendantsOf(stranger)]);
    expect(below).toHaveLength(2);
    expect(sorted(processesOfRun(mark, child.pid))).toEqual(sorted(below));
  });

  test.each([
    ["one of the session", "7 (sh) R 1 7 5 0 -1", true],
    ["one of it with a confusing name", "7 (a) Z 1 1 1 0) R 1 7 5 0 -1", true],
    ["one that has ended", "7 (sh) Z 1 7 5 0 -1", false],
    ["one of another session", "7 (sh) R 1 7 6 0 -1", false],
    ["a thread of the kernel", "2 (kthreadd) S 0 0 0 0 -1", false],
    ["one that is gone", "", false],
  ])("a process that shows no environment is looked at again: %s", (_, stat, isAgain) => {
    using _all = spyOn(fs, "readdirSync").mockImplementation((() => ["7"]) as unknown as typeof fs.readdirSync);
    using _one = spyOn(fs, "readFileSync").mockImplementation(((path: string) =>
      path === "/proc/7/stat" ? stat : "") as unknown as typeof fs.readFileSync);
    using pause = spyOn(Bun, "sleepSync").mockImplementation(() => {});
    expect(processesOfRun("none", 5)).toEqual([]);
    expect(pause.mock.calls.length > 0).toBe(isAgain);
  });

  test("a process that is becoming another program, and so shows no environment, is looked at again", async () => {
    const mark = `ccc-${crypto.randomUUID()}`;
    const child = family(mark);
    const below = await descendantsOf(child);
    const real = fs.readFileSync;
    const hidden = new Set(below.slice(1).map((pid) => `/proc/${pid}/environ`));
    using _early = spyOn(fs, "readFileSync").mockImplementation(((path: string, options: "latin1") =>
      hidden.delete(path) ? "" : real(path, options)) as typeof real);
    using pause = spyOn(Bun, "sleepSync");
    expect(sorted(processesOfRun(mark, child.pid))).toEqual(sorted(below));
    expect(pause).toHaveBeenCalledTimes(1);
  });

  test("one that really has no environment is not waited for without end", async () => {
    const mark = `ccc-${crypto.randomUUID()}`;
    const child = Bun.spawn(["sh", "-c", "env -i sh -c 'echo ready; sleep 600' & wait"], {
      ...{ env: { MARK: mark, PATH: process.env.PATH }, detached: true, stdio: ["ignore", "pipe", "ignore"] },
    });
    started.push(child.pid);
    await descendantsOf(child);
    using pause = spyOn(Bun, "sleepSync").mockImplementation(() => {});
    expect(processesOfRun(mark, child.pid)).toEqual([]);
    expect(pause).toHaveBeenCalled();
  });

  test("a process that is not of the run is looked at once, and nothing in /proc that is no process", () => {
    const environments = new Map([
      ["7", "MARK=other"],
      ["8", "MARK=own"],
      ["meminfo", ""],
    ]);
    const looked: string[] = [];
    using _all = spyOn(fs, "readdirSync").mockImplementation((() => [
      ...environments.keys(),
    ]) as unknown as typeof fs.readdirSync);
    using _one = spyOn(fs, "readFileSync").mockImplementation(((path: string) => {
      looked.push(path);
      return environments.get(path.split("/")[2] ?? "") ?? "";
    }) as unknown as typeof fs.readFileSync);
    const others = new Set<number>();
    expect(processesOfRun("own", 5, others)).toEqual([8]);
    environments.set("9", "MARK=own");
    expect(processesOfRun("own", 5, others)).toEqual([8, 9]);
    const environs = looked.filter((path) => path.endsWith("/environ"));
    expect(environs).toEqual(["7", "8", "8", "9"].map((pid) => `/proc/${pid}/environ`));
  });

  test.each([
    ["are not looked at", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0", [5]],
    ["are processes where the second process is not the kernel's", "2 (kthreadd) S 0 0 0 0 -1 4194560 0 0", [3, 4, 5]],
    ["are not known without it", "", [3, 4, 5]],
  ])("threads of the kernel %s", (_, stat, seen) => {
    const looked: string[] = [];
    using _all = spyOn(fs, "readdirSync").mockImplementation((() => [
      "3",
      "4",
      "5",
    ]) as unknown as typeof fs.readdirSync);
    using _one = spyOn(fs, "readFileSync").mockImplementation(((path: string) => {
      if (path === "/proc/2/stat") return stat;
      if (path === "/proc/2/task/2/children") return "3 4 ";
      looked.push(path);
      return "MARK=other";
    }) as unknown as typeof fs.readFileSync);
    expect(processesOfRun("own", 6)).toEqual([]);
    expect(looked).toEqual(seen.map((pid) => `/proc/${pid}/environ`));
  });

  test("ccc is never among them", () => {
    // Every environment contains the empty text, and no process has this id.
    expect(processesOfRun("", 2 ** 22 + 1)).not.toContain(process.pid);
  });

  test("without /proc they are found by their parents", async () => {
    const child = family("none");
    const below = await descendantsOf(child);
    using _none = spyOn(fs, "readdirSync").mockImplementation(() => {
      throw Object.assign(new Error(), { code: "ENOENT" });
    });
    expect(sorted(processesOfRun("none", child.pid))).toEqual(sorted(below));
  });

  test("on Windows the system is asked: there is neither a /proc nor a ps", () => {
    const real = process.platform;
    Object.defineProperty(process, "platform", { value: "win32" });
    using look = spyOn(fs, "readdirSync");
    using ps = spyOn(Bun, "spawnSync");
    try {
      processesOfRun("none", 2 ** 22 + 1);
      expect(look).not.toHaveBeenCalled();
      expect(ps).not.toHaveBeenCalled();
    } finally {
      Object.defineProperty(process, "platform", { value: real });
    }
  });
});

describe("the processes that a run may end", () => {
  /** A shell that started ccc, which started a program; what they started before and after. */
  const MACHINE: readonly SeenProcess[] = [
    { pid: 1, parent: 0, start: 0 },
    { pid: 2, parent: 0, start: 0 },
    { pid: 9, parent: 1, start: 40 },
    { pid: 10, parent: 9, start: 50 },
    { pid: 11, parent: 10, start: 60 },
    { pid: 20, parent: 10, start: 100 },
    { pid: 21, parent: 20, start: 150 },
    { pid: 30, parent: 20, start: 200 },
    { pid: 31, parent: 30, start: 200 },
    { pid: 32, parent: 1, start: 300 },
    // An id that was used again: the parent of a process can be younger than it is.
    { pid: 5, parent: 10, start: 300 },
  ];
  const [CCC, PROGRAM] = [20, 30];
  const EVERYTHING = [...MACHINE.map(({ pid }) => pid), 0, -1, -30, Number.NaN, 999];

  function ended(since: number | undefined, machine = MACHINE, own = CCC) {
    const look = (pid: number) => machine.find((each) => each.pid === pid);
    return endable(EVERYTHING, { program: PROGRAM, since }, look, own).sort((a, b) => a - b);
  }

  test("are never older than it, nor ccc, nor ccc's ancestors, whatever was found", () =>
    expect(ended(200)).toEqual([5, 30, 31, 32]));

  test("are those since its program started, if it is there to be asked", () =>
    expect(ended(undefined)).toEqual([5, 30, 31, 32]));

  test("are those since ccc started, if its program is gone", () =>
    expect(ended(undefined, without(PROGRAM))).toEqual([5, 21, 31, 32]));

  test("are none if nothing is known", () => expect(ended(undefined, [])).toEqual([]));

  test("do not include an ancestor of ccc that is younger, or in a circle", () => {
    const circle = [...without(9), { pid: 9, parent: 32, start: 400 }].map((each) =>
      each.pid === 32 ? { ...each, parent: CCC } : each,
    );
    expect(ended(200, circle)).toEqual([5, 30, 31]);
  });

  function without(pid: number): readonly SeenProcess[] {
    return MACHINE.filter((each) => each.pid !== pid);
  }

  test("as /proc shows them", async () => {
    const child = Bun.spawn(["sh", "-c", "sleep 600 & echo $!; wait"], { detached: true, stdout: "pipe" });
    const { value } = await child.stdout.getReader().read();
    const below = Number(new TextDecoder().decode(value));
    const found = [1, process.ppid, process.pid, child.pid, below];
    expect(endable(found, { program: child.pid, since: undefined })).toEqual([child.pid, below]);
    process.kill(-child.pid, "SIGKILL");
  });

  test("as ps shows them", () => {
    const ages = ["1 0 2-23:05:09", "10 1 01:10:00", `${process.pid} 10 59:01`, "40 1 23:05:09", "30 1 00:09"];
    const younger = ["31 30 00:09", "32 1 00:00"];
    using _none = spyOn(fs, "readFileSync").mockReturnValue("");
    using _ps = spyOn(Bun, "spawnSync").mockReturnValue({
      stdout: Buffer.from(`    ${[...ages, ...younger].join("\n  ")}\n`),
    } as unknown as Bun.SyncSubprocess<"pipe", "pipe">);
    const found = [1, 10, process.pid, 40, 30, 31, 32];
    expect(endable(found, { program: 30, since: undefined })).toEqual([30, 31, 32]);
    expect(endable(found, { program: 99, since: undefined })).toEqual([30, 31, 32]);
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

  test("reading goes on without a break as long as the time is short", async () => {
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
