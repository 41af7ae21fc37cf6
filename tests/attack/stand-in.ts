import { writeFile } from "node:fs/promises";
import type { Place } from "../harness.ts";

/** The session of the stand-in for claude. */
export const SESSION = "0a0a0a0a-1b1b-2c2c-3d3d-4e4e4e4e4e4e";
const PROMPT = "prompt-1";

/** A Stop event of that session. */
export function stopEvent(parts: object = {}): string {
  return JSON.stringify({ session_id: SESSION, stop_hook_active: false, prompt_id: PROMPT, ...parts });
}

/** A transcript with the prompt of the event. The hook waits a second for a transcript without it. */
export const TRANSCRIPT = `${JSON.stringify({
  type: "user",
  promptId: PROMPT,
  message: { role: "user", content: "ORIGINAL-REQUEST" },
})}\n`;

export function resultLine(parts: object): string {
  return JSON.stringify({
    type: "result",
    subtype: "success",
    is_error: false,
    session_id: SESSION,
    result: "",
    ...parts,
  });
}

/**
 * Replaces claude with a script that answers at once, for attacks on ccc's own files and processes: with the file `agent`
 * in the home, or with `review` if it is started as the reviewer. The reviewer's message goes to `message`.
 */
export async function quickClaude(place: Place, verdict: object): Promise<void> {
  await writeFile(place.at("agent"), `${resultLine({ result: "the agent's answer" })}\n`);
  await writeFile(place.at("review"), `${resultLine({ structured_output: verdict })}\n`);
  await place.standIn(`
case " $* " in *" --version "*) echo "2.1.325 (Claude Code)"; exit;; esac
for word in "$@"; do printf '%s\\0' "$word"; done > "$HOME/arguments"
case " $* " in
*" --no-session-persistence "*) head -n 1 > "$HOME/message"; cat "$HOME/review";;
*) test -t 0 || cat > /dev/null; cat "$HOME/agent";;
esac`);
}
