import { describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { handOver, isAlive, onSignal } from "../../../src/os/process.ts";

const PROCESS = join(import.meta.dir, "../../../src/os/process.ts");

/** The command of a program that runs `expression` with what process.ts exports. */
function command(expression: string) {
  const script = `import { exec, handOver } from ${JSON.stringify(PROCESS)};
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

test("ccc ends a claude that is of no use any more", async () => {
  const program = { file: "/bin/sh", args: ["-c", "sleep 60 & wait"], env: { PATH: "/bin:/usr/bin" } };
  expect(await handOver(program, Promise.resolve())).toMatchObject({ exitCode: 143, signal: "SIGTERM" });
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

describe("a process is alive", () => {
  test("if it runs", () => expect(isAlive(process.pid)).toBe(true));
  test("if it is another user's", () => {
    using _denied = spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error(), { code: "EPERM" });
    });
    expect(isAlive(1)).toBe(true);
  });
  // Above the highest process id that Linux and macOS give out.
  test("not if it does not exist", () => expect(isAlive(2 ** 22 + 1)).toBe(false));
});

test("a handler gets the signals that end programs, until it is taken away", () => {
  const got: string[] = [];
  const stop = onSignal((signal) => got.push(signal));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.emit(signal, signal);
  stop();
  process.emit("SIGINT", "SIGINT");
  expect(got).toEqual(["SIGINT", "SIGTERM", "SIGHUP"]);
});

test.each([
  ["is ignored if whoever started ccc says so, as nohup does", 'trap "" HUP; exec "$@"', "SIGTERM"],
  ["is noticed otherwise", 'exec "$@"', "SIGHUP,SIGTERM"],
])("the end of the terminal %s", (_, shell, expected) => {
  const program = `import { onSignal } from ${JSON.stringify(PROCESS)};
    const got = [];
    onSignal((signal) => {
      got.push(signal);
      if (signal === "SIGTERM") console.log(got.join()), process.exit();
    });
    process.kill(process.pid, "SIGHUP");
    setImmediate(() => process.kill(process.pid, "SIGTERM"));
    setInterval(() => {}, 1000);`;
  const { stdout } = Bun.spawnSync(["sh", "-c", shell, "sh", process.execPath, "-e", program]);
  expect(stdout.toString()).toBe(`${expected}\n`);
});
