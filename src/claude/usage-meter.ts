import type { StreamEvent } from "./stream.ts";
import { addUsage, NO_USAGE, type Usage } from "./token-usage.ts";

/**
 * Adds up the usage in a stream. Each result covers what came after the one before it, and a stream may have several. A
 * run that was killed has none: then its messages count.
 */
export function usageMeter() {
  let total: Usage = NO_USAGE;
  // A message of several blocks comes in several lines, all with its whole usage.
  const open = new Map<string, Usage>();
  const sum = () => [...open.values()].reduce(addUsage, total);
  const endRun = () => {
    total = sum();
    open.clear();
  };
  return {
    read(event: StreamEvent): void {
      if (event.kind === "result") {
        total = addUsage(total, event.result.usage);
        open.clear();
      }
      if (event.kind !== "text" || event.usage === undefined) return;
      open.set(event.usage.messageId, event.usage.usage);
    },
    /** The next line is that of another run. */
    endRun,
    total: sum,
  };
}
