import { SESSION_COMMAND } from "../../claude/hook-settings.ts";
import { SESSION_ID } from "../../claude/places.ts";
import { asObject, parseJson } from "../../text/json.ts";

/**
 * Whether a hook of a session that is not supervised has nothing to do: for a prompt or a stop, if supervision was never
 * switched there and the prompt is not ccc's command. Without valibot, which takes time to load.
 */
export function isIdleEvent(text: string, isSwitched: (session: string) => boolean): boolean {
  const { hook_event_name: event, session_id: session, prompt } = asObject(parseJson(text));
  if (typeof session !== "string" || !SESSION_ID.test(session)) return false;
  if (event !== "Stop" && event !== "UserPromptSubmit") return false;
  if (typeof prompt === "string" && prompt.trimStart().startsWith(SESSION_COMMAND)) return false;
  return !isSwitched(session);
}
