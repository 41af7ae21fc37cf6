import type { World } from "../../world.ts";
import { type Baseline, type BaselinePlace, saveBaseline } from "../baseline/baseline.ts";
import type { Changes } from "../baseline/changes.ts";
import { changesWhenAsked } from "../baseline/changes-since.ts";
import { takeBaseline } from "../baseline/take-baseline.ts";
import type { SessionRecord } from "../record/session-record.ts";

/** The baseline of a loop's current prompt. The session, and so its record, begins only after the first one. */
export interface LoopBaseline {
  readonly take: () => Promise<void>;
  readonly save: (record: SessionRecord) => void;
  /** For one stop. */
  readonly changes: () => () => Promise<Changes>;
}

export function loopBaseline(world: World, place: BaselinePlace): LoopBaseline {
  let baseline: Baseline | undefined;
  return {
    take: async () => {
      baseline = await takeBaseline(world, place, null, baseline);
    },
    save: (record) => saveBaseline(world.files, record, baseline),
    changes: () => changesWhenAsked(world, place, baseline),
  };
}
