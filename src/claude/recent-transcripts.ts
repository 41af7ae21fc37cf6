import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import type { Env } from "../world.ts";
import { claudeFolder } from "./claude-paths.ts";

/** A session's transcript. */
export interface TranscriptFile {
  readonly session: string;
  readonly path: string;
}

/** The transcripts of all projects that were modified since a time in milliseconds. */
export function transcriptsSince(
  files: Files,
  { env, platform }: { readonly env: Env; readonly platform: NodeJS.Platform },
  since: number,
): TranscriptFile[] {
  const projects = join(claudeFolder(env, platform), "projects");
  const folders = files.list(projects).map((name) => join(projects, name));
  return folders.flatMap((folder) =>
    (files.identify(folder)?.isFolder ? files.list(folder) : []).flatMap((name) => {
      const path = join(folder, name);
      // Older versions keep the conversations of delegated agents beside them.
      const isSession = name.endsWith(EXTENSION) && !name.startsWith("agent-");
      const isRecent = isSession && (files.modified(path) ?? 0) >= since;
      return isRecent ? [{ session: name.slice(0, -EXTENSION.length), path }] : [];
    }),
  );
}

const EXTENSION = ".jsonl";
