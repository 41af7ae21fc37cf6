import { describe, expect, spyOn, test } from "bun:test";
import { isAlive, onSignal } from "../../../src/os/path.ts";

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
