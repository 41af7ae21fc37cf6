import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { openKeyboard } from "../../../src/terminal/keyboard.ts";

/** A keyboard in a process that only lists what happens to it. */
function keyboard(platform: NodeJS.Platform) {
  const events: string[] = [];
  const list = (event: string) => () => {
    events.push(event);
  };
  const stdin = Object.assign(new EventEmitter(), {
    setRawMode: (isRaw: boolean) => events.push(isRaw ? "raw" : "usual"),
    pause: list("pause"),
    unref: () => {},
  });
  const host = Object.assign(new EventEmitter(), {
    ...{ stdin, platform, pid: 42 },
    kill: (pid: number, signal: string) => {
      // What is still listened to does not suspend ccc, but calls its own handler again.
      events.push(`${host.listenerCount(signal) > 0 ? "own " : ""}${signal} to ${pid}`);
    },
  });
  const opened = openKeyboard(
    host as unknown as NodeJS.Process,
    (text) => events.push(text === MARKED ? "marked pastes" : "unmarked pastes"),
    {
      onBytes: (bytes) => events.push(new TextDecoder().decode(bytes)),
      onEnd: list("end of input"),
      onSuspend: list("hidden"),
      onRedraw: list("redrawn"),
    },
  );
  return { opened, host, stdin, happened: () => events.splice(0) };
}

const MARKED = "\u001b[?2004h";
const TAKEN = ["raw", "marked pastes"];
const GIVEN_BACK = ["usual", "unmarked pastes"];

describe.each(["linux", "win32"] as const)("on %s", (platform) => {
  test("the terminal is in raw mode until it is given back, and then nothing is read any more", () => {
    const { opened, host, stdin, happened } = keyboard(platform);
    expect(happened()).toEqual(TAKEN);
    stdin.emit("data", Buffer.from("a"));
    stdin.emit("error", new Error("EIO"));
    expect(happened()).toEqual(["a"]);
    opened.close();
    expect(happened()).toEqual([...GIVEN_BACK, "pause"]);
    stdin.emit("data", Buffer.from("b"));
    for (const event of ["exit", "SIGTSTP", "SIGCONT", "SIGWINCH"]) host.emit(event);
    expect(happened()).toEqual([]);
  });

  test("it is given back if ccc ends", () => {
    const { host, happened } = keyboard(platform);
    happened();
    host.emit("exit");
    expect(happened()).toEqual(GIVEN_BACK);
  });
});

describe("Ctrl-C and Ctrl-Z", () => {
  test("are signals for the whole process group", () => {
    const { opened, happened } = keyboard("linux");
    happened();
    opened.signal("SIGINT");
    opened.signal("SIGTSTP");
    expect(happened()).toEqual(["SIGINT to 0", "own SIGTSTP to 0"]);
  });

  test("on Windows, which has no such signals, Ctrl-C is one for ccc alone, and Ctrl-Z does nothing", () => {
    const { opened, host, happened } = keyboard("win32");
    happened();
    const heard: string[] = [];
    for (const signal of ["SIGINT", "SIGTSTP"]) host.on(signal, () => heard.push(signal));
    opened.signal("SIGINT");
    opened.signal("SIGTSTP");
    expect([heard, happened()]).toEqual([["SIGINT"], []]);
  });
});

test("while ccc is suspended, the terminal is the shell's", () => {
  const { host, happened } = keyboard("linux");
  happened();
  host.emit("SIGTSTP");
  expect(happened()).toEqual(["hidden", ...GIVEN_BACK, "SIGTSTP to 42", ...TAKEN, "redrawn"]);
  host.emit("SIGCONT");
  expect(happened()).toEqual([...TAKEN, "redrawn"]);
});

test("a resize draws again", () => {
  const { host, happened } = keyboard("linux");
  happened();
  host.emit("SIGWINCH");
  expect(happened()).toEqual(["redrawn"]);
});
