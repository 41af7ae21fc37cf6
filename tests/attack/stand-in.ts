import { writeFile } from "node:fs/promises";
import type { Verdict } from "../../src/supervisor/verdict.ts";
import type { Place } from "../harness.ts";

/** The stand-in's session ID. */
export const SESSION = "0a0a0a0a-1b1b-2c2c-3d3d-4e4e4e4e4e4e";

const PROMPT = "prompt-1";

/** A Stop event of that session. */
export function stopEvent(parts: object = {}): string {
  return JSON.stringify({ session_id: SESSION, stop_hook_active: false, prompt_id: PROMPT, ...parts });
}

/** A transcript in which the event's prompt stands, so that the hook does not wait for it. */
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
 * A claude that answers at once, for tests of ccc's own files and processes: as the agent, or as a reviewer with the
 * answer in `review`. It reads stdin unless that is a terminal, and saves nothing.
 */
export async function quickClaude(place: Place, verdict: Verdict): Promise<void> {
  await writeFile(place.at("agent"), `${resultLine({ result: "the agent's answer" })}\n`);
  await writeFile(place.at("review"), `${resultLine({ structured_output: verdict })}\n`);
  await place.standIn(`
case " $* " in *" --version "*) echo "2.1.325 (Claude Code)"; exit;; esac
test -t 0 || cat > /dev/null
case " $* " in *" --fork-session "*) cat "$HOME/review";; *) cat "$HOME/agent";; esac`);
}
