import { describe, expect, spyOn, test } from "bun:test";
import { isAlive, onSignal, windowsEnvironment } from "../../../src/os/process.ts";

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

test("on Windows, variables that ccc knows have their names in capitals, and others keep theirs", () =>
  expect(
    windowsEnvironment({
      Path: "p",
      Anthropic_Api_Key: "k",
      ccc_claude: "c",
      https_proxy: "h",
      ProgramData: "d",
      My_Var: "v",
    }),
  ).toEqual({ PATH: "p", ANTHROPIC_API_KEY: "k", CCC_CLAUDE: "c", HTTPS_PROXY: "h", ProgramData: "d", My_Var: "v" }));
