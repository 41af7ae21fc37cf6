import { transcriptsSince } from "../../claude/recent-transcripts.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { World } from "../../world.ts";
import type { LaunchRecord } from "./launch-record.ts";
import { readLastAnswer } from "./read-transcript.ts";
import { sessionRecord } from "./session-record.ts";

/**
 * A session in which Claude Code has answered since a supervised launch, without running any of ccc's hooks. A launch
 * that no hook reported is not enough: it may have ended before there was a session.
 */
export async function sessionWithoutHooks(
  world: Pick<World, "files" | "env" | "platform">,
  paths: Paths,
  { cwd, waiting_since: since }: LaunchRecord,
): Promise<string | undefined> {
  if (since === undefined) return undefined;
  const from = Date.parse(since);
  for (const { session, path } of transcriptsSince(world.files, world, from)) {
    const { launch, prompts, stops } = sessionRecord(paths, session);
    const isHeard = [launch, prompts, stops].some((file) => (world.files.modified(file) ?? 0) >= from);
    const answer = isHeard ? undefined : await readLastAnswer(path);
    if (answer !== undefined && answer.at > since && isWithin(answer.cwd ?? "", cwd)) return session;
  }
  return undefined;
}

/** The agent may have changed folders since. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}
