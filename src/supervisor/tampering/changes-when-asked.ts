import type { World } from "../../world.ts";
import type { Baseline, BaselinePlace } from "../baseline/baseline.ts";
import type { Changes, NoChanges } from "../baseline/changes.ts";
import { changesSince } from "../baseline/changes-since.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { examineChanges } from "./examine-changes.ts";
import { limitSuspicions } from "./limit-suspicions.ts";
import type { Suspicion } from "./suspicion.ts";

export interface CheckedPlace extends BaselinePlace {
  readonly launch: BaselinePlace["launch"] & Pick<LaunchRecord, "checks">;
}

/** Looks for the changes, and for what is suspicious about them, when they are first asked for. Then remembers them. */
export function changesWhenAsked(
  world: World,
  place: CheckedPlace,
  baseline: Baseline | undefined,
): () => Promise<Changes> {
  let changes: Promise<Changes> | undefined;
  return () => {
    changes ??= look(world, place, baseline);
    return changes;
  };
}

async function look(world: World, place: CheckedPlace, baseline: Baseline | undefined): Promise<Changes> {
  const examine = examineChanges(world.files, place.project, place.launch.checks.commands);
  const changes = await changesSince(world, place, baseline, examine);
  if (!("why" in changes)) return { ...changes, suspicious: limitSuspicions(changes.suspicious) };
  const wasKnown = baseline !== undefined && baseline.trees.length > 0;
  return wasKnown ? { ...changes, suspicious: [lostBaseline(changes.why, world.now())] } : changes;
}

/** Too many files, a repository that is gone: whatever an agent does about it, the comparison must not just be missing. */
function lostBaseline(why: NoChanges, now: Date): Suspicion {
  const what = "deleted, skipped and weakened tests, and changed settings of tests and CI";
  return {
    kind: "not compared",
    path: "",
    // What happens until the next stop is not known either.
    content: now.toISOString(),
    text: `ccc could not compare the files with those at the user's prompt (${why}), so look for this yourself: ${what}`,
  };
}
