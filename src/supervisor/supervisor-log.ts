import { join } from "node:path";
import type { GuardedFiles } from "../os/files.ts";

/** Messages for people: on stderr, which Claude Code does not show, and in a file. */
export interface SupervisorLog {
  readonly say: (message: string) => void;
}

export const LOG_NAME = "supervisor.log";
const LARGEST_LOG = 1_000_000;

export function supervisorLog(
  edges: { stderr: (text: string) => void; now: () => Date },
  folder: string,
  open: () => GuardedFiles,
  clean: (text: string) => string,
): SupervisorLog {
  const path = join(folder, LOG_NAME);
  return {
    say(message) {
      const text = clean(message);
      edges.stderr(`ccc supervisor-hook: ${text}\n`);
      try {
        open().append(path, `${edges.now().toISOString()} ${text.replaceAll("\n", "\n  ")}\n`, LARGEST_LOG);
      } catch {
        // The review goes on without a log.
      }
    },
  };
}
