import { SESSION_ID } from "../../claude/session-id.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { asObject, parseJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { bestEffort } from "../best-effort.ts";
import type { HookOptions } from "../hook-options.ts";
import { sessionRecord } from "../record/session-record.ts";
import { NO_NOTES } from "../record/stop-notes.ts";
import { recordOutcome, recordStop } from "../record/stop-record.ts";
import { readSwitch, saveSwitch } from "../record/switch-record.ts";
import { LARGEST_EVENT } from "./read-event.ts";
import { superviseStop } from "./supervise-stop.ts";

/** Answers a Stop event as the user has switched it in the session. */
export async function superviseSwitchedStop(world: World, hook: HookOptions): Promise<void> {
  const text = world.stdin(LARGEST_EVENT);
  const read: World = { ...world, stdin: () => text };
  const { session_id: session, prompt_id } = asObject(parseJson(text ?? ""));
  const { configDir, isPersistent } = hook;
  if (configDir === undefined || isPersistent || typeof session !== "string" || !SESSION_ID.test(session))
    return superviseStop(read, hook);
  const { files } = world;
  const record = sessionRecord(cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform: world.platform }), session);
  const found = readSwitch(files, record);
  if (found?.is_on ?? !hook.isIdle) {
    if (found?.is_due)
      bestEffort(world.stderr, "record the review", () => saveSwitch(files, record, { ...found, is_due: false }));
    return superviseStop(read, { ...hook, settings: hook.settings ?? found?.reviewer, isDue: found?.is_due === true });
  }
  // The record tells a stop without a review from one that was not to be reviewed.
  const stop = crypto.randomUUID();
  const at = world.now().toISOString();
  const id = typeof prompt_id === "string" ? prompt_id : null;
  bestEffort(world.stderr, "record the stop", () => {
    recordStop(files, record, { stop, at, pid: world.pid, prompt_id: id });
    const end = { stop, at, outcome: { kind: "skipped", why: "off" }, notes: NO_NOTES } as const;
    recordOutcome(files, record, end, (value) => value);
  });
}
