import { SESSION_COMMAND } from "../../claude/plugin.ts";
import { isTerminalSession } from "../../claude/session-env.ts";
import type { Env } from "../../world.ts";
import type { LaunchRecord } from "../record/launch-record.ts";

/** What the user sees when a supervised session starts in a terminal, and only then: not after /clear or /compact. */
export function startMessage(source: string | undefined, { reviewer }: LaunchRecord, env: Env): string | undefined {
  if (!isTerminalSession(env) || (source !== "startup" && source !== "resume")) return undefined;
  const by = reviewer === "" ? "" : ` by ${reviewer}`;
  return `Every stop is reviewed${by}. To switch that off in this session: ${SESSION_COMMAND} off`;
}
