import * as v from "valibot";
import { CccError } from "../../errors.ts";
import { parseJson } from "../../text/json.ts";
import type { World } from "../../world.ts";

/** Events are a few kilobytes; a prompt with a pasted file may be a few megabytes. */
export const LARGEST_EVENT = 8_000_000;

/** The event Claude Code passes to a hook on stdin. */
export function readEvent<T extends v.GenericSchema>(world: World, schema: T, name: string): v.InferOutput<T> {
  const text = world.stdin(LARGEST_EVENT);
  if (text === undefined) throw new CccError("the event on stdin is too large");
  const event = v.safeParse(schema, parse(text));
  if (event.success) return event.output;
  const field = v.getDotPath(event.issues[0]);
  const wrong = field === null ? "it is not an object" : `${field} is missing or invalid`;
  throw new CccError(`the event on stdin is not a ${name} event: ${wrong}`);
}

function parse(text: string): unknown {
  const event = parseJson(text);
  if (event !== undefined) return event;
  throw new CccError(text.trim() === "" ? "no event on stdin" : "the event on stdin is not JSON");
}
