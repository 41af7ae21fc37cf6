import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { lenient } from "./lenient.ts";

/**
 * The error that Claude Code is retrying after, from the end of the session's transcript: the stream names only its status.
 * Undefined if the session has gone on since.
 */
export function retryError(end: string): { status: number | undefined; text: string } | undefined {
  const last = end.trimEnd().split("\n").at(-1) ?? "";
  const entry = v.safeParse(EntrySchema, parseJson(last));
  if (!entry.success) return undefined;
  const { status, formatted, message } = entry.output.error;
  return { status, text: formatted ?? message ?? "" };
}

const EntrySchema = v.object({
  type: v.literal("system"),
  subtype: v.literal("api_error"),
  error: v.object({ status: lenient(v.number()), formatted: lenient(v.string()), message: lenient(v.string()) }),
});
