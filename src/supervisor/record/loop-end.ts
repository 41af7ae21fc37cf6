import * as v from "valibot";
import type { Files } from "../../os/files.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import type { SessionRecord } from "./session-record.ts";

/** The limit of the agent's provider that ended a run, if one did; `resets_at` is null if the error does not say when it ends. */
export const UsageLimitSchema = v.nullable(v.object({ resets_at: v.nullable(v.string()) }));

/** How a run of the loop engine ended. After a review, its outcome says the same. */
const LoopEndSchema = v.object({
  at: v.string(),
  outcome: v.string(),
  /** Why it is not done. */
  reason: v.string(),
  usage_limit: v.optional(UsageLimitSchema, null),
});

export type LoopEnd = v.InferOutput<typeof LoopEndSchema>;

export function recordLoopEnd(files: Files, { end }: SessionRecord, ended: LoopEnd): void {
  files.writePrivate(end, prettyJson(ended));
}

export function readLoopEnd(files: Files, { end }: SessionRecord): LoopEnd | undefined {
  const found = v.safeParse(LoopEndSchema, parseJson(files.read(end) ?? ""));
  return found.success ? found.output : undefined;
}
