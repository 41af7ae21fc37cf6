import { join } from "node:path";
import type { Files } from "../io/files.ts";
import { makeStateFolder } from "./folder.ts";

/** What the hook has to say to a person: on stderr, which Claude Code keeps to itself, and in a file. */
export interface HookLog {
  readonly say: (message: string) => void;
}

const LARGEST_LOG = 1_000_000;

export function hookLog(
  edges: { files: Files; stderr: (text: string) => void; now: () => Date },
  folder: string,
  clean: (text: string) => string,
): HookLog {
  const path = join(folder, "supervisor.log");
  return {
    say(message) {
      const text = clean(message);
      edges.stderr(`ccc supervisor-hook: ${text}\n`);
      try {
        makeStateFolder(edges.files, folder);
        edges.files.append(path, `${edges.now().toISOString()} ${text.replaceAll("\n", "\n  ")}\n`, LARGEST_LOG);
      } catch {
        // A log that cannot be written must not cost the review.
      }
    },
  };
}
