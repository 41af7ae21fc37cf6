import * as v from "valibot";
import { cccPaths, type Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { recordFolder } from "./quick.ts";

/** What a hook tells the ccc that waits for the end of its claude. */
const RunNoteSchema = v.variant("event", [
  v.object({ event: v.picklist(["start", "prompt", "stop"]), session: v.string() }),
  v.object({
    event: v.literal("outcome"),
    /** The exit code for a run that ends with this stop; null if the agent has to continue. */
    code: v.nullable(v.number()),
    /** The outcome in one line, then what ccc noticed. */
    lines: v.array(v.string()),
  }),
]);

export type RunNote = v.InferOutput<typeof RunNoteSchema>;

/** The notes of one run of claude, under the id of its launch, so that two runs in one folder stay apart. */
export interface RunNotes {
  /** In the order in which the hooks wrote them. */
  readonly read: () => RunNote[];
  readonly remove: () => void;
}

export function openRunNotes(files: Files, paths: Paths, launch: string): RunNotes {
  const path = notesPath(paths, launch);
  files.writePrivate(path, "");
  return {
    read: () =>
      (files.read(path) ?? "").split("\n").flatMap((line) => {
        const note = v.safeParse(RunNoteSchema, parseJson(line));
        return note.success ? [note.output] : [];
      }),
    remove: () => files.remove(path),
  };
}

/**
 * Leaves a note, if a ccc waits for it. Never fails: a note that is missing counts as a hook that did not run. The hook has
 * the id in its arguments, which no project's settings can change, unlike its environment.
 */
export function noteRun(
  { files, platform }: Pick<World, "files" | "platform">,
  { configDir, launch }: { readonly configDir: string | undefined; readonly launch: string | undefined },
  note: RunNote,
): void {
  if (launch === undefined || !NAME.test(launch) || configDir === undefined) return;
  const path = notesPath(cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform }), launch);
  try {
    if (files.modified(path) !== undefined) files.append(path, `${JSON.stringify(note)}\n`, Number.POSITIVE_INFINITY);
  } catch {
    // In the session, the review still counts.
  }
}

const NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function notesPath(paths: Paths, launch: string): string {
  return join(recordFolder(paths, "runs"), `${launch}.jsonl`);
}
