import type { Env } from "../../world.ts";
import type { LaunchRecord } from "./launch-record.ts";

type Environment = LaunchRecord["environment"];

/**
 * Remembers the environment of a launch. Claude Code runs hooks with the variables of every settings file, a project's
 * included, and those must not decide what runs in a review. Values are hashed, since they may be secrets.
 */
export function rememberEnvironment(env: Env, salt: string = crypto.randomUUID()): Environment {
  const plain: Record<string, string> = {};
  const hashed: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (isPlain(name)) plain[name] = value;
    else hashed.push(hash(salt, name, value));
  }
  return { salt, plain, hashed };
}

/** The environment of the launch, without variables that were added or changed since. */
export function launchEnvironment({ salt, plain, hashed }: Environment, env: Env): Record<string, string> {
  const known = new Set(hashed);
  const own: Record<string, string> = { ...plain };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isPlain(name) && known.has(hash(salt, name, value))) own[name] = value;
  }
  return own;
}

/** Kept in plain text, because a review needs their original values. */
function isPlain(name: string): boolean {
  return PLAIN.has(name.toUpperCase()) || /^(LC_|XDG_)/.test(name);
}

const PLAIN: ReadonlySet<string> = new Set(
  `PATH PATHEXT HOME USER LOGNAME SHELL LANG LANGUAGE TERM TZ TMPDIR TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA
  PROGRAMDATA PROGRAMFILES SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC CLAUDE_CONFIG_DIR`.split(/\s+/),
);

function hash(salt: string, name: string, value: string): string {
  return new Bun.CryptoHasher("sha256").update(`${salt}\0${name}\0${value}`).digest("base64url").slice(0, 22);
}
