import { toolWatch, type WatchedTurns } from "../../claude/tool-watch.ts";
import { readTranscript } from "./read-transcript.ts";

/** Claude Code may write the transcript after the event. */
const TRIES = 20;
const PAUSE_MS = 50;

/** Whether the agent used a tool in these turns; undefined if the transcript does not say. */
export async function toolsUsed(transcript: string, turns: WatchedTurns): Promise<boolean | undefined> {
  for (let attempt = 1; ; attempt++) {
    const watch = toolWatch(turns);
    await readTranscript(transcript, watch.read);
    const used = watch.usedTools();
    if (used !== undefined || attempt === TRIES) return used;
    await Bun.sleep(PAUSE_MS);
  }
}
