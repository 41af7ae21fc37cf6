import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../src/config/paths.ts";
import { handOver, prepare } from "../../../src/launch/execute.ts";
import type { Plan } from "../../../src/launch/plan.ts";
import { diskFiles } from "../../../src/os/disk.ts";
import { fakeWorld } from "../fakes.ts";

describe("exec", () => {
  const EXEC = join(import.meta.dir, "../../../src/launch/execute.ts");

  /** The command of a program that runs `expression` with what execute.ts exports. */
  function command(expression: string) {
    const script = `import { exec, handOver } from ${JSON.stringify(EXEC)};
    const sh = (line, env = process.env) => ({ file: "/bin/sh", args: ["-c", line], env });
    const show = (value) => console.log(JSON.stringify(value));
    ${expression}.catch(({ message, exitCode }) => show({ message, exitCode }));`;
    return [process.execPath, "-e", script];
  }

  /** The program without a terminal. */
  function program(expression: string) {
    return Bun.spawn(command(expression), { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  }
  const outcome = async (expression: string) => (await program(expression).stdout.text()).trim();

  describe("claude takes the place of ccc", () => {
    test("in the same process, with the environment that is given", async () => {
      const ccc = program(`exec(sh('echo $$ $A; exit 7', { A: "1" }))`);
      expect(await ccc.stdout.text()).toBe(`${ccc.pid} 1\n`);
      expect(await ccc.exited).toBe(7);
    });
    test("or ccc says why not", async () =>
      expect(JSON.parse(await outcome(`exec({ file: "/no/such", args: [], env: {} })`))).toEqual({
        message: expect.stringMatching(/^cannot run \/no\/such: /),
        exitCode: 126,
      }));
    test("but not on Windows: there ccc waits for it, and ends as it does", async () => {
      const windows = `Object.defineProperty(process, "platform", { value: "win32" })`;
      const ccc = program(`${windows}; exec(sh('echo $$; exit 7')).then((code) => process.exit(code))`);
      expect(await ccc.stdout.text()).not.toBe(`${ccc.pid}\n`);
      expect(await ccc.exited).toBe(7);
    });
  });

  test.each([
    ["/no/claude.cmd", "a\0b", "cannot run /no/claude.cmd with these arguments: cmd.exe would change them"],
    ["/no/claude.exe", "a\0b", "cannot run /no/claude.exe: ERR_INVALID_ARG_VALUE"],
    ["/no/claude.cmd", "a", "cannot run /no/claude.cmd: no such file"],
  ])("ccc says what is wrong with %s, or with its argument %j", async (file, arg, message) => {
    // Everywhere Bun refuses a zero byte as it refuses, on Windows, what cmd.exe would take for a command.
    const refused = await handOver({ file, args: [arg], env: {} }).catch((error) => error);
    expect(refused).toMatchObject({ message, exitCode: 126 });
  });

  describe("ccc waits for claude", () => {
    const end = async (expression: string) => JSON.parse(await outcome(`handOver(${expression}).then(show)`));
    test("and knows how it ended", async () => {
      const [file, env] = ["/bin/sh", {}];
      expect(await handOver({ file, args: ["-c", "exit 4"], env })).toMatchObject({
        exitCode: 4,
        isInterrupted: false,
      });
      expect(await end(`sh("exit 3")`)).toEqual({ exitCode: 3, signal: null, isInterrupted: false });
      expect(await end(`sh("kill -TERM $$")`)).toEqual({ exitCode: 143, signal: "SIGTERM", isInterrupted: false });
    });
    test("or says why it did not start", async () =>
      expect(await end(`{ file: "/no/such", args: [], env: {} }`)).toMatchObject({ exitCode: 126 }));

    test.each([
      ["SIGTERM", false],
      ["SIGINT", true],
    ] as const)("without a terminal, it passes %s on", async (signal, isInterrupted) => {
      const name = signal.slice(3);
      const line = `trap "exit 5" ${name}; echo ready; while :; do sleep 0.05; done`;
      const ccc = program(`handOver(sh(${JSON.stringify(line)})).then(show)`);
      const reader = ccc.stdout.getReader();
      const read = async () => new TextDecoder().decode((await reader.read()).value);
      expect(await read()).toBe("ready\n");
      ccc.kill(signal);
      expect(JSON.parse(await read())).toEqual({ exitCode: 5, signal: null, isInterrupted });
    });

    test("at a terminal, it leaves Ctrl-C to the terminal and passes SIGTERM on", async () => {
      const line = `trap "echo interrupted" INT; trap "exit 5" TERM; echo ready; while :; do sleep 0.05; done`;
      let shown = "";
      const [ready, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const data = (_: Bun.Terminal, bytes: Uint8Array) => {
        shown += new TextDecoder().decode(bytes);
        if (shown.includes("ready")) ready.resolve();
        if (shown.includes("}\r\n")) ended.resolve();
      };
      const ccc = Bun.spawn(command(`handOver(sh(${JSON.stringify(line)})).then(show)`), { terminal: { data } });
      await ready.promise;
      ccc.kill("SIGINT");
      ccc.kill("SIGTERM");
      await ended.promise;
      const end = { exitCode: 5, signal: null, isInterrupted: true };
      expect(shown).toBe(`ready\r\n${JSON.stringify(end)}\r\n`);
    });
  });
});

describe("execute", () => {
  const DAY_MS = 24 * 3600 * 1000;

  test("settings of single launches are kept for a month after their last use", () => {
    const folder = mkdtempSync(join(tmpdir(), "ccc-execute-"));
    try {
      const { world } = fakeWorld({ files: diskFiles(process.pid), now: () => new Date() });
      const paths = cccPaths({ env: { CCC_CONFIG_DIR: folder }, platform: "linux" });
      world.files.makeFolder(paths.generated);
      const add = (name: string, days: number) => {
        const path = join(paths.generated, name);
        writeFileSync(path, "{}\n");
        utimesSync(path, new Date(Date.now() - days * DAY_MS), new Date(Date.now() - days * DAY_MS));
        return path;
      };
      const time = (path: string) => statSync(path).mtimeMs;
      const launch = (path: string) => prepare({ ...PLAN, files: [{ path, content: {} }] }, world, paths);
      const [used, young] = [add("settings-glm-plain+1.json", 40), add("settings-glm-plain+2.json", 29)];
      add("settings-glm-plain+3.json", 31);
      const own = add("settings-glm.json", 99);

      launch(used);
      expect(readdirSync(paths.generated).sort()).toEqual(
        [used, young, own].map((path) => path.split("/").at(-1) ?? ""),
      );
      expect(Date.now() - time(used)).toBeLessThan(DAY_MS);

      const before = time(used);
      add("settings-glm-plain+4.json", 31);
      launch(used);
      // Once a day is enough, for both.
      expect([time(used), readdirSync(paths.generated).length]).toEqual([before, 4]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("the command that resumes the session is ccc's, unless the shell names another", () => {
    const hint = "CLAUDE_CODE_RESUME_HINT_COMMAND";
    const resumedBy = (env: Record<string, string>) => {
      const { world } = fakeWorld({ env: { HOME: "/home/u", ...env } });
      return prepare(PLAN, world, cccPaths(world))[hint];
    };
    expect([resumedBy({}), resumedBy({ [hint]: "mine" })]).toEqual(["ccc", "mine"]);
  });

  const PLAN: Plan = {
    provider: "glm",
    file: "",
    args: [],
    unset: [],
    set: {},
    files: [],
    settings: { agent: { path: "", content: {} }, reviewer: undefined, fallback: [] },
    isShared: false,
    remember: false,
    references: [],
    notices: [],
  };
});
