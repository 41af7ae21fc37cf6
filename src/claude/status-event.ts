import { asObject, parseJson } from "../text/json.ts";
import { SESSION_ID } from "./session-id.ts";

/** What Claude Code tells a status line command on stdin, as far as ccc shows it. Versions differ in what they send. */
export interface StatusEvent {
  readonly session: string | undefined;
  /** The folder in which the session was started. */
  readonly folder: string | undefined;
  readonly model: string | undefined;
  /** How much of the model's context is used, in percent; unknown before the first answer. */
  readonly contextUsed: number | undefined;
}

/** Reads the event without valibot: a status line runs every second or two, and loading a library takes time. */
export function readStatusEvent(text: string): StatusEvent {
  const { session_id: session, model, context_window: context, workspace, cwd } = asObject(parseJson(text));
  const { project_dir: project } = asObject(workspace);
  const { display_name: name, id } = asObject(model);
  const { used_percentage: used } = asObject(context);
  return {
    session: typeof session === "string" && SESSION_ID.test(session) ? session : undefined,
    folder: [project, cwd].find(isText),
    model: [name, id].find(isText),
    contextUsed: typeof used === "number" && Number.isFinite(used) ? used : undefined,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
