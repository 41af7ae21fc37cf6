import { errno } from "../errors.ts";
import type { EndSignal } from "../world.ts";

/** Whether a process with this id is running, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}

const END_SIGNALS: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Calls `handler` on these signals, which then no longer end ccc. Returns a function that stops listening. */
export function onSignal(handler: (signal: EndSignal) => void): () => void {
  for (const signal of END_SIGNALS) process.on(signal, handler);
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, handler);
  };
}
