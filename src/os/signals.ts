import type { EndSignal } from "../world.ts";

const END_SIGNALS: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Calls back when ccc is asked to end, instead of ending. Returns how to stop that. */
export function onSignal(handler: (signal: EndSignal) => void): () => void {
  for (const signal of END_SIGNALS) process.on(signal, handler);
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, handler);
  };
}
