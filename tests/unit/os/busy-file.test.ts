import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { whenFree } from "../../../src/os/busy-file.ts";

const REAL = process.platform;
const on = (platform: NodeJS.Platform) => Object.defineProperty(process, "platform", { value: platform });
afterEach(() => on(REAL));

/** An action that fails so often before it works, and how often it was tried. */
function failing(code: string, times: number) {
  const tried = { count: 0 };
  const action = () => {
    if (++tried.count <= times) throw Object.assign(new Error(code), { code });
    return "done";
  };
  return { tried, action };
}

describe("on Windows, where another program may have the file open", () => {
  test.each(["EPERM", "EACCES", "EBUSY"])("what fails with %s is tried again after a moment", (code) => {
    on("win32");
    const waited: number[] = [];
    using _pause = spyOn(Bun, "sleepSync").mockImplementation((ms) => void waited.push(Number(ms)));
    const { tried, action } = failing(code, 30);
    expect(whenFree(action)).toBe("done");
    expect(tried.count).toBe(31);
    expect(waited.filter((ms) => ms < 5)).toEqual([]);
  });
  test("another failure is none of that, and is reported at once", () => {
    on("win32");
    const { tried, action } = failing("ENOENT", 1);
    expect(() => whenFree(action)).toThrow("ENOENT");
    expect(tried.count).toBe(1);
  });
  test("a file that stays busy is reported in the end", () => {
    on("win32");
    let now = Date.now();
    using _clock = spyOn(Date, "now").mockImplementation(() => now);
    using _pause = spyOn(Bun, "sleepSync").mockImplementation((ms) => {
      now += Number(ms);
    });
    const { tried, action } = failing("EBUSY", 10_000);
    expect(() => whenFree(action)).toThrow("EBUSY");
    expect(tried.count).toBeGreaterThan(100);
  });
});

test.each(["EPERM", "EACCES", "EBUSY"])("elsewhere %s is reported at once: waiting does not help", (code) => {
  on("linux");
  const { tried, action } = failing(code, 1);
  expect(() => whenFree(action)).toThrow(code);
  expect(tried.count).toBe(1);
});
