import type { StreamEvent, ToolUse } from "./stream.ts";

/** Something that a reviewer opened or ran. */
export interface ReviewerLook extends Pick<ToolUse, "name" | "what"> {
  /** The beginning of what it saw. */
  readonly seen: string;
}

/** Collects what a run looked at. A call that was refused, or found nothing to read, shows nothing. */
export function lookCollector() {
  const asked = new Map<string, ToolUse>();
  const looks: ReviewerLook[] = [];
  return {
    read(event: StreamEvent): void {
      if (event.kind === "text") {
        for (const call of event.tools)
          if (LOOKING.includes(call.name) && asked.size < MOST_CALLS) asked.set(call.id, call);
      }
      if (event.kind !== "tool results") return;
      for (const { id, isError, text } of event.results) {
        const call = asked.get(id);
        asked.delete(id);
        if (call === undefined || looks.length >= MOST_CALLS) continue;
        // A command that failed was still seen to fail, such as a test.
        if (!isError || (call.name === "Bash" && text.startsWith("Exit code "))) {
          looks.push({ name: call.name, what: call.what.slice(0, LONGEST_LOOK), seen: text.slice(0, LONGEST_SEEN) });
        }
      }
    },
    looks: (): readonly ReviewerLook[] => looks,
  };
}

const LOOKING: readonly string[] = ["Bash", "Read", "Grep", "Glob", "LS"];
const MOST_CALLS = 1_000;
const LONGEST_LOOK = 1_000;
const LONGEST_SEEN = 30_000;
