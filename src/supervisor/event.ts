import * as v from "valibot";
import { type StopEvent, StopEventSchema } from "../claude/stop-event.ts";
import { CccError } from "../io/errors.ts";
import { parseJson } from "../io/json.ts";
import type { World } from "../world.ts";

/** Claude Code's own events are a few kilobytes. */
const LARGEST_EVENT = 8_000_000;

/** The Stop event on stdin. */
export function readEvent(world: World): StopEvent {
  const text = world.stdin(LARGEST_EVENT);
  if (text === undefined) throw new CccError("the event on stdin is too large");
  const event = v.safeParse(StopEventSchema, parse(text));
  if (event.success) return event.output;
  throw new CccError(`the event on stdin is not a Stop event: ${v.getDotPath(event.issues[0]) ?? "it is no object"}`);
}

function parse(text: string): unknown {
  const event = parseJson(text);
  if (event !== undefined) return event;
  throw new CccError(text.trim() === "" ? "there is no event on stdin" : "the event on stdin is not JSON");
}
