import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endable, processesOfRun, runWatcher, type SeenProcess, watchRuns } from "../../../src/os/processes.ts";
import { haveEnded, isRunning } from "../../ended.ts";

describe("a watch", () => {
  const root = mkdtempSync(join(tmpdir(), "ccc-watch-"));
  afterAll(() => rmSync(root, { recursive: true }));
  const started: Bun.Subprocess[] = [];
  afterEach(() => {
    for (const each of started.splice(0)) each.kill("SIGKILL");
  });

  /** A program that has started another one, in a process group of its own. */
  async function program(marker: string, trap = "") {
    const script = `${trap} bash -c 'set -m; sleep 600 >/dev/null & echo $!'; while :; do sleep 0.01; done`;
    const env = { ...process.env, MARK: marker };
    const child = Bun.spawn(["sh", "-c", script], { env, stdio: ["ignore", "pipe", "ignore"] });
    started.push(child);
    const { value } = await child.stdout.getReader().read();
    const below = Number(new TextDecoder().decode(value));
    return { pid: child.pid, below, exited: child.exited.then(() => child.signalCode) };
  }

  /** What ccc has said until it was killed. */
  async function* said(...messages: unknown[]) {
    for (const each of messages) yield Buffer.from(`${JSON.stringify(each)}\n`);
  }

  test("ends what ccc still ran when it was killed, and nothing else", async () => {
    const [marker, other] = [`ccc-${crypto.randomUUID()}`, `ccc-${crypto.randomUUID()}`];
    const [whole, alone, over] = await Promise.all([program(marker), program(other), program(other)]);
    await watchRuns(
      said(
        { begun: { program: over.pid, marker: other } },
        { begun: { program: whole.pid, marker } },
        { over: over.pid },
        { begun: { program: alone.pid } },
      ),
    );
    expect(await Promise.all([whole.exited, alone.exited])).toEqual(["SIGTERM", "SIGTERM"]);
    expect(await haveEnded(whole.below)).toBe(true);
    const left = [alone.below, over.pid, over.below];
    expect(left.filter((pid) => !isRunning(pid))).toEqual([]);
    for (const pid of [alone.below, over.below]) process.kill(pid, "SIGKILL");
  });

  test("does not insist on SIGTERM", async () => {
    const marker = `ccc-${crypto.randomUUID()}`;
    const deaf = await program(marker, "trap '' TERM;");
    let now = 0;
    using _clock = spyOn(performance, "now").mockImplementation(() => {
      now += 1_000;
      return now;
    });
    await watchRuns(said({ begun: { program: deaf.pid, marker } }));
    expect(await deaf.exited).toBe("SIGKILL");
    expect(await haveEnded(deaf.below)).toBe(true);
  });

  test("leaves a process that has got the id of a program that has ended", async () => {
    const marker = `ccc-${crypto.randomUUID()}`;
    const stranger = await program("other");
    await watchRuns(said({ begun: { program: stranger.pid, since: 1, marker } }));
    expect(isRunning(stranger.pid)).toBe(true);
    process.kill(stranger.below, "SIGKILL");
  });

  test("is one process, which knows no secrets and hears what begins and what is over", async () => {
    const [self, heard] = [join(root, "ccc"), join(root, "heard")];
    writeFileSync(self, `#!/bin/sh\n{ echo "$@"; env | grep KEY; cat; } > "${heard}"\n`);
    chmodSync(self, 0o755);
    const { PATH } = process.env;
    const script = `const { runWatcher } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/os/processes.ts"))});
      const watch = runWatcher(${JSON.stringify(self)}, { PATH: ${JSON.stringify(PATH)}, KEY: "secret" });
      watch.prepare();
      watch.begin(1234567)();
      watch.begin(7654321, "ccc-m");`;
    expect(Bun.spawnSync([process.execPath, "-e", script]).exitCode).toBe(0);
    while (!existsSync(heard) || !readFileSync(heard, "utf8").includes("ccc-m")) await Bun.sleep(5);
    expect(readFileSync(heard, "utf8").split("\n")).toEqual([
      "supervisor-watch",
      '{"begun":{"program":1234567}}',
      '{"over":1234567}',
      '{"begun":{"program":7654321,"marker":"ccc-m"}}',
      "",
    ]);
  });

  test("that cannot start is no reason to fail", () => {
    expect(() => runWatcher("/no/such", {}).begin(1234567)()).not.toThrow();
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
      env: { MARK: mark, PATH: process.env.PATH },
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
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
