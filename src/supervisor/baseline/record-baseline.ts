import type { Files } from "../../os/files.ts";
import type { World } from "../../world.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { readStops } from "../record/stop-record.ts";
import { type Baseline, type BaselinePlace, following, readBaseline, saveBaseline } from "./baseline.ts";
import { takeBaseline } from "./take-baseline.ts";

/** Records the files at a prompt of the user. A message typed while the agent works belongs to the prompt before. */
export async function recordBaseline(
  world: World,
  record: SessionRecord,
  place: BaselinePlace,
  promptId: string | null,
): Promise<void> {
  const before = readBaseline(world.files, record);
  if (before !== undefined && isAtWork(world.files, record, before, promptId)) return;
  const taken = await takeBaseline(world, place, promptId, before);
  const baseline = following(taken, before, readStops(world.files, record));
  saveBaseline(world.files, record, baseline);
  if (baseline?.why !== undefined)
    world.stderr(
      `ccc: no record of the files at this prompt: ${baseline.why}. Its reviews do not list what changed.\n`,
    );
}

/** Older versions of Claude Code give prompts no id; there the agent works until it stops. */
function isAtWork(files: Files, record: SessionRecord, before: Baseline, promptId: string | null): boolean {
  return promptId === null ? !hasStopped(files, record, before) : promptId === before.prompt_id;
}

function hasStopped(files: Files, { stops }: SessionRecord, { at }: Baseline): boolean {
  return (files.modified(stops) ?? 0) > Date.parse(at);
}
