import { SESSION_COMMAND } from "../claude/hook-settings.ts";
import { SESSION_ID } from "../claude/sessions.ts";
import { pathsIn } from "../config/paths.ts";
import {
  IDLE_FLAG,
  isHook,
  LAUNCH_MARKER,
  NO_SECRET,
  PERSISTENT_FLAG,
  REVIEWER_MARKER,
  reviewerMarker,
} from "../markers.ts";
import { quickModified } from "../os/fast.ts";
import { wasSwitched } from "../supervisor/record/quick.ts";
import { asObject, parseJson } from "../text/json.ts";
import type { Env } from "../world.ts";

/**
 * Ends a hook early if it has nothing to do: in a reviewer's own session, and at most events of an unsupervised session.
 * Returns "done" then, otherwise the event if it was already read.
 */
export async function endIdleHook(host: NodeJS.Process): Promise<{ readonly input?: HookInput } | "done"> {
  const args = host.argv.slice(2);
  const skip = skipReason(args, host.env);
  if (skip !== undefined) {
    await Bun.write(Bun.stderr, skip);
    return "done";
  }
  if (!args.includes(IDLE_FLAG)) return {};
  // As a stream: Bun.stdin.text() starts threads, and libc takes longer to load.
  const input = { json: parseJson(await Bun.stdin.stream().text()) };
  return isIdle(input, args) ? "done" : { input };
}

/** What Claude Code passed to a hook. */
export interface HookInput {
  /** Undefined for an input that is not JSON. */
  readonly json: unknown;
}

/**
 * Whether the hook of an unsupervised session has nothing to do: at a prompt or a stop, if supervision was never switched
 * there and the prompt is not ccc's command. Does without valibot, which is slow to load.
 */
export function isIdle({ json }: HookInput, args: readonly string[]): boolean {
  const at = args.indexOf("--config-dir");
  const configDir = at === -1 ? "" : (args[at + 1] ?? "");
  const { hook_event_name: event, session_id: session, prompt } = asObject(json);
  if (typeof session !== "string" || !SESSION_ID.test(session)) return false;
  if (event !== "Stop" && event !== "UserPromptSubmit") return false;
  if (typeof prompt === "string" && prompt.trimStart().startsWith(SESSION_COMMAND)) return false;
  return configDir !== "" && !wasSwitched(quickModified, pathsIn(configDir), session);
}

/** Why a hook is skipped in this session; undefined if it is not, and for other commands. */
export function skipReason([command, ...args]: readonly string[], env: Env): string | undefined {
  if (!isHook(command)) return undefined;
  const skipped = (why: string) => `ccc ${command}: skipped: ${why}\n`;
  let flag: string | undefined;
  for (const arg of args) if (arg === PERSISTENT_FLAG || arg.startsWith(`${PERSISTENT_FLAG}=`)) flag ??= arg;
  const secret = flag?.slice(PERSISTENT_FLAG.length + 1) || NO_SECRET;
  if (isReviewers(env[REVIEWER_MARKER] ?? "", secret)) {
    return skipped(`this is the reviewer's own session (${REVIEWER_MARKER}=1)`);
  }
  if (flag !== undefined && env[LAUNCH_MARKER] === secret) {
    return skipped("ccc started this session and handles its supervision itself");
  }
  return undefined;
}

function isReviewers(marker: string, secret: string): boolean {
  return secret === NO_SECRET ? marker.split(":")[0] === NO_SECRET : marker === reviewerMarker(secret);
}
