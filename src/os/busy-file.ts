import { errno } from "../errors.ts";

const LONGEST_MS = 2_000;
const BUSY = ["EPERM", "EACCES", "EBUSY"];

/** Tries again for a while where Windows refuses, because another process has the file open or is just removing it. */
export function whenFree<T>(action: () => T): T {
  const giveUpAt = Date.now() + LONGEST_MS;
  for (;;) {
    try {
      return action();
    } catch (error) {
      const isBusy = process.platform === "win32" && BUSY.includes(errno(error) ?? "");
      if (!isBusy || Date.now() > giveUpAt) throw error;
      Bun.sleepSync(5 + Math.random() * 10);
    }
  }
}
