import { transcriptsSince } from "../../claude/recent-transcripts.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { messageOf } from "../../errors.ts";
import { allLaunches } from "../../supervisor/record/launch-record.ts";
import { missedReview } from "../../supervisor/record/missed-review.ts";
import { readPromptRecord } from "../../supervisor/record/prompt-record.ts";
import { readLastAnswer } from "../../supervisor/record/read-transcript.ts";
import { sessionRecord } from "../../supervisor/record/session-record.ts";
import { sessionWithoutHooks } from "../../supervisor/record/session-without-hooks.ts";
import { readStops } from "../../supervisor/record/stop-record.ts";
import type { World } from "../../world.ts";
import { type Check, ok, warn } from "./check-result.ts";

const DAYS = 7;
const MOST_SHOWN = 5;
/** The Stop hook of a younger answer may just be starting. */
const YOUNGEST_MS = 10_000;

/** Whether the last answer of each recent supervised session was reviewed. */
export async function checkRecentReviews(world: World, paths: Paths): Promise<Check> {
  let missed: string[];
  try {
    missed = [...(await withoutReview(world, paths)), ...(await withoutHooks(world, paths))];
  } catch (error) {
    return warn("recent reviews", messageOf(error), "Make it readable for you, so that missed reviews can be found.");
  }
  if (missed.length === 0) return ok("recent reviews", `none missed in the last ${DAYS} days`);
  const more = missed.length > MOST_SHOWN ? `, and ${missed.length - MOST_SHOWN} more` : "";
  return warn(
    "recent reviews",
    `NOT reviewed: ${missed.slice(0, MOST_SHOWN).join("; ")}${more}`,
    "Look at the live checks: do hooks run now? To have such work reviewed: ccc review SESSION, in its folder.",
  );
}

async function withoutReview(world: World, paths: Paths): Promise<string[]> {
  const now = world.now().getTime();
  const missed: string[] = [];
  for (const { session, path } of transcriptsSince(world.files, world, now - DAYS * 24 * 3600 * 1000)) {
    const record = sessionRecord(paths, session);
    const prompts = readPromptRecord(world.files, record);
    if (prompts === undefined) continue;
    const answer = await readLastAnswer(path);
    if (answer === undefined || now - Date.parse(answer.at) < YOUNGEST_MS) continue;
    const why = missedReview({ answer, prompts, stops: readStops(world.files, record), isAlive: world.isAlive });
    if (why !== undefined) missed.push(`session ${session} in ${answer.cwd ?? "an unknown folder"} (${WHY[why]})`);
  }
  return missed;
}

const WHY = { "not run": "its Stop hook did not run", "cut off": "its Stop hook was killed too early" } as const;

async function withoutHooks(world: World, paths: Paths): Promise<string[]> {
  const missed: string[] = [];
  for (const launch of allLaunches(world.files, paths)) {
    const session = await sessionWithoutHooks(world, paths, launch);
    if (session !== undefined) missed.push(`session ${session} in ${launch.cwd} (none of ccc's hooks ran)`);
  }
  return missed;
}
