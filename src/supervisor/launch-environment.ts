import { createHash, randomUUID } from "node:crypto";
import type { Env } from "../world.ts";
import type { LaunchRecord } from "./launch-record.ts";

type Environment = LaunchRecord["environment"];

/**
 * The environment of a launch, to be recognized later. Claude Code runs a hook with the variables of every settings
 * file over those of the shell, a project's among them: they must not decide what runs in a review.
 */
export function rememberEnvironment(env: Env, salt: string = randomUUID()): Environment {
  const plain: Record<string, string> = {};
  const hashed: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (isPlain(name)) plain[name] = value;
    else hashed.push(hash(salt, name, value));
  }
  return { salt, plain, hashed };
}

/** The environment as it was at the launch. A variable that was added or changed since is left out. */
export function launchEnvironment({ salt, plain, hashed }: Environment, env: Env): Record<string, string> {
  const known = new Set(hashed);
  const own: Record<string, string> = { ...plain };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isPlain(name) && known.has(hash(salt, name, value))) own[name] = value;
  }
  return own;
}

/** Kept as they are, because a review needs them whatever became of them. All others may be secrets. */
function isPlain(name: string): boolean {
  return PLAIN.has(name.toUpperCase()) || /^(LC_|XDG_)/.test(name);
}

const PLAIN: ReadonlySet<string> = new Set(
  `PATH PATHEXT HOME USER LOGNAME SHELL LANG LANGUAGE TERM TZ TMPDIR TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA
  PROGRAMDATA PROGRAMFILES SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC CLAUDE_CONFIG_DIR`.split(/\s+/),
);

function hash(salt: string, name: string, value: string): string {
  return createHash("sha256").update(`${salt}\0${name}\0${value}`).digest("base64url").slice(0, 22);
}
