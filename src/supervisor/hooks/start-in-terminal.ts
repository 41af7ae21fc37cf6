import { SESSION_COMMAND } from "../../claude/plugin.ts";
import type { StartEvent } from "../../claude/prompt-event.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { World } from "../../world.ts";
import type { HookOptions } from "../hook-options.ts";
import { type SessionRecord, sessionRecord } from "../record/session-record.ts";
import { readSwitch, saveSwitch } from "../record/switch-record.ts";
import { continueTerminal, readTerminal, startTerminal } from "../record/terminal-record.ts";
import { launchAtStart } from "./terminal-start.ts";
import { callingClaude } from "./typed-by-user.ts";

/**
 * Records that a session starts in a terminal. A session begins as its launch says, also one that is resumed; what follows
 * after `/clear` is switched as the session before, and compaction changes nothing. Returns a message for the user.
 */
export function startInTerminal(
  world: World,
  { session_id: session, source }: StartEvent,
  hook: HookOptions,
  paths: Paths,
  record: SessionRecord,
  project: string,
): string | undefined {
  if (source === "compact") return undefined;
  const { files } = world;
  const claude = callingClaude(world);
  // An agent may run ccc, too.
  if (claude === undefined) return undefined;
  const before = source === "clear" ? readTerminal(files, paths, claude) : undefined;
  if (before !== undefined) {
    carryOver(world, sessionRecord(paths, before.sessions.at(-1) ?? ""), record);
    continueTerminal(files, paths, claude, session);
    return undefined;
  }
  const wasOn = readSwitch(files, record)?.is_on === true;
  files.remove(record.switch);
  startTerminal(files, paths, claude, session, hook.isIdle ? launchAtStart(world, paths, project, hook) : undefined);
  return hook.isIdle && wasOn
    ? `supervisor: off, because this launch is without --supervisor. To switch it on again: ${SESSION_COMMAND} on`
    : undefined;
}

function carryOver({ files }: World, from: SessionRecord, to: SessionRecord): void {
  const found = readSwitch(files, from);
  if (found === undefined) return;
  const launch = files.read(from.launch);
  if (launch !== undefined) files.writePrivate(to.launch, launch);
  saveSwitch(files, to, { ...found, is_due: false });
}
