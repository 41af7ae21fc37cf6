import { afterEach, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { isOfSession, processesOfRun } from "../../../src/os/descendants.ts";

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
  ["one of it", "7 (sh) R 1 7 5 0 -1", true],
  ["one with a confusing name", "7 (a) Z 1 1 1 0) R 1 7 5 0 -1", true],
  ["one that has ended", "7 (sh) Z 1 7 5 0 -1", false],
  ["one of another session", "7 (sh) R 1 7 6 0 -1", false],
  ["a thread of the kernel", "2 (kthreadd) S 0 0 0 0 -1", false],
  ["one that is gone", "", false],
])("the processes of a session: %s", (_, stat, isOne) => expect(isOfSession(5, stat)).toBe(isOne));

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
  expect(pause).toHaveBeenCalledTimes(49);
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
