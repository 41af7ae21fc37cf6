import * as v from "valibot";
import { CccError } from "../../errors.ts";
import { parseJson } from "../../text/json.ts";
import type { World } from "../../world.ts";

/** Events are a few kilobytes; a prompt with a pasted file may be a few megabytes. */
const LARGEST_EVENT = 8_000_000;

/** The JSON that Claude Code passes to a hook on stdin. */
export function readInput({ stdin }: Pick<World, "stdin">): unknown {
  const text = stdin(LARGEST_EVENT);
  if (text === undefined) throw new CccError("the event on stdin is too large");
  const input = parseJson(text);
  if (input !== undefined) return input;
  throw new CccError(text.trim() === "" ? "no event on stdin" : "the event on stdin is not JSON");
}

/** The event that it is. */
export function readEvent<T extends v.GenericSchema>(input: unknown, schema: T, name: string): v.InferOutput<T> {
  const event = v.safeParse(schema, input);
  if (event.success) return event.output;
  const field = v.getDotPath(event.issues[0]);
  const wrong = field === null ? "it is not an object" : `${field} is missing or invalid`;
  throw new CccError(`the event on stdin is not a ${name} event: ${wrong}`);
}
