import { describe, expect, test } from "bun:test";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../../../../src/os/child.ts";
import { runChecks, shellProgram } from "../../../../src/supervisor/checks/run-checks.ts";

const world = { run: runChild, now: () => new Date(), platform: process.platform };
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", WORD: "a  word" };

async function run(command: string, { cwd = "/", timeoutSeconds = 60 } = {}) {
  const asked = { commands: [command], cwd, env, timeoutSeconds, clean: (text: string) => text, onCheck: () => {} };
  const results = await runChecks(world, asked);
  return results?.[0];
}

test("a check that took longer than one second says so", async () => {
  const run: typeof world.run = async () => ({ exitCode: null, ending: "timeout", stderr: "" });
  const asked = { commands: ["a"], cwd: "/", env, timeoutSeconds: 1, clean: String, onCheck: () => {} };
  expect(await runChecks({ ...world, run }, asked)).toMatchObject([
    { ending: "timed out after 1 second", isPassed: false },
  ]);
});

test("a check on Windows runs in the user's cmd.exe, with its errors in the output", () => {
  const args = ["/d", "/s", "/c", "(npm test) 2>&1"];
  const withPath = { COMSPEC: "C:\\Windows\\cmd.exe" };
  expect(shellProgram("npm test", withPath, "win32")).toEqual({ file: withPath.COMSPEC, args, env: withPath });
  expect(shellProgram("npm test", {}, "win32")).toEqual({ file: "cmd.exe", args, env: {} });
});

describe("a check in a real shell", () => {
  const table: [command: string, ending: string, output: string][] = [
    ["echo out; echo err >&2; echo out again", "exit 0", "out\nerr\nout again"],
    ['printf %s "$WORD" && false', "exit 1", "a  word"],
    ["exit 3", "exit 3", ""],
    ["kill -9 $$", "killed by a signal", ""],
    ["cat", "exit 0", ""],
  ];
  test.each(table)("%s", async (command, ending, output) =>
    expect(await run(command)).toMatchObject({ ending, output }),
  );

  test("a mistake in the command is a failure that says so", async () => {
    expect(await run("if")).toMatchObject({ isPassed: false, output: expect.stringMatching(/syntax error/i) });
    expect(await run("no-such-program")).toMatchObject({
      ending: "exit 127",
      output: expect.stringContaining("not found"),
    });
  });

  test("one that hangs is killed with its children, also those in groups of their own", async () => {
    const cwd = await realpath(await mkdtemp(join(tmpdir(), "ccc-check-")));
    try {
      const other = "bash -c 'set -m; sleep 600 & echo $! >> pids; wait'";
      const hang = `echo $$ >> pids; ${other} & until [ "$(wc -l < pids)" = 2 ]; do sleep 0.01; done; echo started; sleep 600`;
      expect(await run(hang, { cwd, timeoutSeconds: 3 })).toMatchObject({
        ending: "timed out after 3 seconds",
        isPassed: false,
        output: "started",
      });
      const pids = (await readFile(join(cwd, "pids"), "utf8")).trim().split("\n");
      expect(pids).toHaveLength(2);
      for (const pid of pids)
        expect(Bun.spawnSync(["ps", "-o", "stat=", "-p", pid]).stdout.toString()).toMatch(/^(Z.*)?$/s);
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
});
