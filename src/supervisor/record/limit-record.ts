import * as v from "valibot";
import type { Paths } from "../../config/ccc-paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson } from "../../text/json.ts";
import { type LimitSoFar, NOT_WAITED } from "../limit-end.ts";
import type { SessionRecord } from "./session-record.ts";

/** The file that exists while a session waits for a usage limit. A prompt or another session in its claude removes it. */
export function waitFile({ generated }: Paths, claudePid: string): string {
  return join(join(generated, "waits"), /^\d+$/.test(claudePid) ? claudePid : "unknown");
}

/** What was waited before, if that was just now: then it is the same limit. */
export function limitSoFar(files: Files, { limit }: SessionRecord, now: number): LimitSoFar {
  const found = v.safeParse(LimitSchema, parseJson(files.read(limit) ?? ""));
  return found.success && now - found.output.ended < SAME_LIMIT_SECONDS ? found.output : NOT_WAITED;
}

export function recordLimit(files: Files, { limit }: SessionRecord, soFar: LimitSoFar, ended: number): void {
  files.writePrivate(limit, JSON.stringify({ ...soFar, ended }));
}

const LimitSchema = v.object({ waits: v.number(), seconds: v.number(), ended: v.number() });

/** Claude Code's own retries take three minutes. */
const SAME_LIMIT_SECONDS = 600;
