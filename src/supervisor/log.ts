import { join } from "node:path";
import type { GuardedFiles } from "../os/files.ts";

/** What the hook has to say to a person: on stderr, which Claude Code keeps to itself, and in a file. */
export interface HookLog {
  readonly say: (message: string) => void;
}

const LARGEST_LOG = 1_000_000;

export function hookLog(
  edges: { stderr: (text: string) => void; now: () => Date },
  folder: string,
  open: () => GuardedFiles,
  clean: (text: string) => string,
): HookLog {
  const path = join(folder, "supervisor.log");
  return {
    say(message) {
      const text = clean(message);
      edges.stderr(`ccc supervisor-hook: ${text}\n`);
      try {
        open().append(path, `${edges.now().toISOString()} ${text.replaceAll("\n", "\n  ")}\n`, LARGEST_LOG);
      } catch {
        // A log that cannot be written must not cost the review.
      }
    },
  };
}
