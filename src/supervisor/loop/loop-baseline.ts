import type { World } from "../../world.ts";
import { type Baseline, following, readBaseline, saveBaseline } from "../baseline/baseline.ts";
import type { Changes } from "../baseline/changes.ts";
import { takeBaseline } from "../baseline/take-baseline.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { readStops } from "../record/stop-record.ts";
import { type CheckedPlace, changesWhenAsked } from "../tampering/changes-when-asked.ts";

/** The baseline of a loop's current prompt. The session, and so its record, begins only after the first one. */
export interface LoopBaseline {
  readonly take: () => Promise<void>;
  readonly save: (record: SessionRecord) => void;
  /** For one stop, with the agent in that folder. */
  readonly changes: (cwd: string) => () => Promise<Changes>;
}

/** `resumed` is the record of a session that goes on. */
export function loopBaseline(world: World, place: CheckedPlace, resumed: SessionRecord | undefined): LoopBaseline {
  const { files } = world;
  let record = resumed;
  let baseline: Baseline | undefined = resumed && readBaseline(files, resumed);
  return {
    take: async () => {
      const taken = await takeBaseline(world, place, null, baseline);
      baseline = following(taken, baseline, record === undefined ? [] : readStops(files, record));
    },
    save: (own) => {
      record = own;
      saveBaseline(files, own, baseline);
    },
    changes: (cwd) => changesWhenAsked(world, { ...place, cwd }, baseline),
  };
}
