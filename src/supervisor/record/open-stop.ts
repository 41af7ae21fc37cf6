import type { World } from "../../world.ts";
import type { Outcome } from "../review/outcome.ts";
import type { SessionRecord } from "./session-record.ts";
import type { StopNotes } from "./stop-notes.ts";
import { recordOutcome, recordStop } from "./stop-record.ts";

/** A stop that is being handled. */
export interface OpenStop {
  readonly note: (notes: StopNotes) => void;
  readonly close: (outcome: Outcome) => void;
}

/** Records that a stop begins. What is noted about it is recorded with its outcome. */
export function openStop(
  { files, pid, now }: Pick<World, "files" | "pid" | "now">,
  record: SessionRecord,
  stop: {
    readonly promptId: string | undefined;
    /** Masks the secrets in a value. */
    readonly clean: <T>(value: T) => T;
    /** Writes, or says why it could not. */
    readonly write: (action: () => void) => void;
  },
): OpenStop {
  const id = crypto.randomUUID();
  const at = () => now().toISOString();
  stop.write(() => recordStop(files, record, { stop: id, at: at(), pid, prompt_id: stop.promptId ?? null }));
  let notes: StopNotes = {};
  return {
    note: (more) => {
      notes = { ...notes, ...more };
    },
    close: (outcome) =>
      stop.write(() => recordOutcome(files, record, { stop: id, at: at(), outcome, notes }, stop.clean)),
  };
}
