import type { Json } from "../text/json.ts";
import type { Env } from "../world.ts";

/** Variables that tie a process to the session that started it, such as its sockets and tokens. */
const BOUND = [
  "AI_AGENT",
  "CLAUDECODE",
  "CLAUDE_CODE_AGENT",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_EXECPATH",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_EFFORT",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PID",
  "CLAUDE_PROJECT_DIR",
];

/** For a session that talks only to its model, and gives up at the first failure. */
export const QUIET_ENV: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
  DISABLE_AUTOUPDATER: "1",
};

/** Whether requests begin with Claude Code's attribution block. It differs between a terminal and `-p`. */
export function hasAttribution(env: Json): boolean {
  return !/^(0|false|no|off)$/i.test(String(env.CLAUDE_CODE_ATTRIBUTION_HEADER));
}

/** Whether a hook's session runs in a terminal, not with `-p`. */
export function isTerminalSession(env: Env): boolean {
  return !env.CLAUDE_CODE_ENTRYPOINT?.startsWith("sdk");
}

/** An environment without traces of the session that ccc runs in. */
export function withoutSession(env: Env): Record<string, string | undefined> {
  const own: Record<string, string | undefined> = { ...env };
  for (const name of BOUND) delete own[name];
  return own;
}
