import type { Layer } from "../claude/layers.ts";
import { REVIEWER_MARK } from "../supervisor/guard.ts";
import type { Env } from "../world.ts";
import { NETWORK } from "./network.ts";

/**
 * What the settings of every launch decide beside the provider's own variables: how requests travel, and what runs where
 * Claude Code calls ccc for a key or a review. So no folder's settings have a say, wherever Claude Code finds them and
 * whenever they appear. PATH cannot be decided so, and neither can what does harm when it is blank.
 */
export interface Decided {
  readonly env: Readonly<Record<string, string>>;
  /** Whether none of the values is the user's, so that they are the same for every launch. */
  readonly isBlank: boolean;
}

export const NOTHING_DECIDED: Decided = { env: {}, isBlank: true };

/** Steer ccc itself. CCC_EXEC and CCC_RUN are not among them: a blank would hide from ccc what it started. */
const STEERING = {
  CCC_CLAUDE: "", // the claude that reviews
  CCC_DOWNLOAD_BASE: "", // where an upgrade comes from
  CCC_KEYCHAIN: "", // whether a key is found
  CCC_SUPERVISOR: "", // whether a launch is reviewed
};

/** Load code into ccc and Claude Code, or into the shell that starts them, or keep them from starting. */
const LOADING = {
  BUN_BE_BUN: "", // runs Bun instead of the program that is made with it
  BUN_OPTIONS: "", // --preload runs a file first
  BUN_INSPECT: "", // lets others in, and may wait for them
  BUN_INSPECT_CONNECT_TO: "", // the same
  BUN_INSPECT_NOTIFY: "", // the same
  NODE_OPTIONS: "", // --require, for a Claude Code that runs on Node
  NODE_PATH: "", // where that finds modules
  OPENSSL_CONF: "", // may name a library, for the same
  LD_AUDIT: "", // a library for every program
  LD_DEBUG: "", // "help" in place of the program
  LD_LIBRARY_PATH: "", // other libraries for every program
  LD_PRELOAD: "", // a library for every program
  DYLD_INSERT_LIBRARIES: "", // the same on macOS
  DYLD_LIBRARY_PATH: "", // the same on macOS
  BASH_ENV: "", // a file that bash runs first
  BASHOPTS: "", // how bash works
  ENV: "", // a file that other shells run first
  SHELLOPTS: "", // "noexec" keeps bash from running anything
  CLAUDE_CODE_GIT_BASH_PATH: "", // the shell on Windows
  CLAUDE_CODE_SHELL_PREFIX: "", // a program that gets every command, hooks among them
};

const BLANKS: Readonly<Record<string, string>> = { ...NETWORK, ...STEERING, ...LOADING };

/** The decisions for a launch from these settings and this shell. `folder` is ccc's own. */
export function decide(settings: readonly Layer[], env: Env, folder: string): Decided {
  const users = settings.find(({ scope }) => scope === "user")?.env ?? {};
  const decided: Record<string, string> = { ...BLANKS };
  let isBlank = true;
  for (const name in BLANKS) {
    const other = otherSpelling(name);
    const value = usersValue(name, users, env) || (other === undefined ? "" : usersValue(other, users, env));
    if (value === "") continue;
    decided[name] = value;
    isBlank = false;
  }
  // The folder is that of the generated settings themselves: for every launch that writes them it is the same.
  return { env: { ...decided, CCC_CONFIG_DIR: folder, [REVIEWER_MARK]: "" }, isBlank };
}

/** As Claude Code would have it without any folder's settings: the user's settings win over the shell. */
function usersValue(name: string, users: Layer["env"], env: Env): string {
  return Object.hasOwn(users, name) ? String(users[name]) : (env[name] ?? "");
}

/** Where one of HTTP_PROXY and http_proxy is set, some programs take a blank in the other for "no proxy". */
function otherSpelling(name: string): string | undefined {
  if (name.endsWith("_PROXY")) return name.toLowerCase();
  return name.endsWith("_proxy") ? name.toUpperCase() : undefined;
}

/** What folders' settings say in vain, as the user is told it. */
export function overruled(settings: readonly Layer[]): string[] {
  const notices: string[] = [];
  for (const { path, scope, env } of settings) {
    if (scope === "user") continue;
    const names = Object.keys(env);
    const network = names.filter((name) => Object.hasOwn(NETWORK, name));
    const running = names.filter((name) => Object.hasOwn(LOADING, name) || name.startsWith("CCC_"));
    if (network.length > 0)
      notices.push(`${path} sets ${network.join(", ")}; ignored, because your key would go along`);
    if (running.length > 0)
      notices.push(`${path} sets ${running.join(", ")}; ignored, because it decides what runs beside your key`);
  }
  return notices;
}

/** Variables that keep ccc from starting, or garble what it says, whatever their value: a blank would do so too. */
export function breaksPrograms(name: string): boolean {
  return name.startsWith("BUN_JSC_") || name === "LD_TRACE_LOADED_OBJECTS" || name === "LD_SHOW_AUXV";
}
