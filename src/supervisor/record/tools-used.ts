import { toolWatch, type WatchedTurns } from "../../claude/tool-watch.ts";
import { readTranscriptEnd } from "./read-transcript.ts";

/** Claude Code may write the transcript after the event. */
const TRIES = 20;
const PAUSE_MS = 50;

/** Whether the agent used a tool in these turns; undefined if the transcript does not say. */
export async function toolsUsed(transcript: string, turns: WatchedTurns): Promise<boolean | undefined> {
  for (let attempt = 1, size = -1; ; attempt++) {
    const before = size;
    size = Bun.file(transcript).size;
    // Where nothing was added, there is nothing new to read.
    if (size !== before) {
      const { reader } = await readTranscriptEnd(
        transcript,
        () => toolWatch(turns),
        (watch) => watch.hasWholeTurns(),
      );
      const used = reader.usedTools();
      if (used !== undefined) return used;
    }
    if (attempt === TRIES) return undefined;
    await Bun.sleep(PAUSE_MS);
  }
}
