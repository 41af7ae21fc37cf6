import type { World } from "../../world.ts";
import { type Baseline, saveBaseline } from "../baseline/baseline.ts";
import type { Changes } from "../baseline/changes.ts";
import { takeBaseline } from "../baseline/take-baseline.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { type CheckedPlace, changesWhenAsked } from "../tampering/changes-when-asked.ts";

/** The baseline of a loop's current prompt. The session, and so its record, begins only after the first one. */
export interface LoopBaseline {
  readonly take: () => Promise<void>;
  readonly save: (record: SessionRecord) => void;
  /** For one stop, with the agent in that folder. */
  readonly changes: (cwd: string) => () => Promise<Changes>;
}

export function loopBaseline(world: World, place: CheckedPlace): LoopBaseline {
  let baseline: Baseline | undefined;
  return {
    take: async () => {
      baseline = await takeBaseline(world, place, null, baseline);
    },
    save: (record) => saveBaseline(world.files, record, baseline),
    changes: (cwd) => changesWhenAsked(world, { ...place, cwd }, baseline),
  };
}
