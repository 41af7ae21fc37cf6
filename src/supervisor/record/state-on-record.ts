import { dirname, join } from "node:path";
import type { Session } from "../review/supervised-stop.ts";
import type { SessionRecord } from "./session-record.ts";
import type { StateFile } from "./state.ts";

/** The state in the session record, with a copy in the project for information only. */
export function stateOnRecord(
  { world, id, files, outputFile }: Pick<Session, "world" | "id" | "files" | "outputFile">,
  record: SessionRecord,
): StateFile {
  const copy = join(dirname(outputFile), `supervisor-${id}.json`);
  return {
    path: record.state,
    edit: (change) => {
      let after: string | undefined;
      world.files.edit(record.state, (text) => {
        after = change(text);
        return after;
      });
      try {
        if (after !== undefined) files?.replace(copy, after);
      } catch {
        // The project's folder is not writable; the record has the state.
      }
    },
  };
}
