import * as v from "valibot";
import type { Files } from "../../os/files.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import type { SessionRecord } from "./session-record.ts";

/** What the user has switched in a session. Without it, the session is supervised if it was launched so. */
const SwitchSchema = v.object({
  is_on: v.boolean(),
  /** Whether the next stop is reviewed in any case. */
  is_due: v.optional(v.boolean(), false),
  /** The reviewer's settings file, if the launch had none. */
  reviewer: v.optional(v.string()),
});

export type Switch = v.InferOutput<typeof SwitchSchema>;

export function readSwitch(files: Files, { switch: path }: SessionRecord): Switch | undefined {
  const found = v.safeParse(SwitchSchema, parseJson(files.read(path) ?? ""));
  return found.success ? found.output : undefined;
}

export function saveSwitch(files: Files, { switch: path }: SessionRecord, value: Switch): void {
  files.writePrivate(path, prettyJson(value));
}
