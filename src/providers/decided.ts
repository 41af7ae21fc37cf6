import type { Layer } from "../claude/layers.ts";
import { REVIEWER_MARK } from "../marks.ts";
import type { Env } from "../world.ts";
import { NETWORK } from "./network.ts";

/**
 * Variables that every launch sets in addition to the provider's: they control how requests travel, and what runs when
 * Claude Code calls ccc for a key or a review. A folder's settings therefore cannot change them. PATH is not among them, nor
 * are variables that do harm when blank.
 */
export interface Decided {
  readonly env: Readonly<Record<string, string>>;
  /** Whether no value is the user's own, so that they are the same for every launch. */
  readonly isBlank: boolean;
}

export const NOTHING_DECIDED: Decided = { env: {}, isBlank: true };

/** Control ccc itself. CCC_EXEC, CCC_RUN and CCC_RUN_NOTES are not here: ccc needs their values to recognise what it started. */
const STEERING = {
  CCC_CLAUDE: "", // the claude that reviews
  CCC_DOWNLOAD_BASE: "", // where an upgrade comes from
  CCC_KEYCHAIN: "", // whether a key is found
  CCC_SUPERVISOR: "", // whether a launch is reviewed
};

/** Load code into ccc, Claude Code or the shell that starts them, or prevent them from starting. */
const LOADING = {
  BUN_BE_BUN: "", // runs Bun itself instead of the compiled program
  BUN_OPTIONS: "", // --preload runs a file first
  BUN_INSPECT: "", // opens a debugger port, and may wait for a debugger
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

/** `folder` is the folder of ccc.json. */
export function decide(settings: readonly Layer[], env: Env, folder: string): Decided {
  const users = settings.find(({ scope }) => scope === "user")?.env ?? {};
  const decided: Record<string, string> = { ...BLANKS };
  let isBlank = true;
  for (const name in BLANKS) {
    // As in Claude Code without a folder's settings: the user's settings win over the shell. Not in a function of its own,
    // which would be called so often that the engine starts its compiler threads: that costs a launch 0.1.
    const value = Object.hasOwn(users, name) ? String(users[name]) : env[name];
    if (!value) continue;
    decided[name] = value;
    isBlank = false;
  }
  for (const [upper, lower] of PROXIES) {
    decided[upper] ||= decided[lower] ?? "";
    decided[lower] ||= decided[upper] ?? "";
  }
  // Does not affect isBlank: every launch that writes to this folder has the same value.
  return { env: { ...decided, CCC_CONFIG_DIR: folder, [REVIEWER_MARK]: "" }, isBlank };
}

/** If only one of HTTP_PROXY and http_proxy is set, some programs read a blank in the other as "no proxy". */
const PROXIES = [
  ["HTTP_PROXY", "http_proxy"],
  ["HTTPS_PROXY", "https_proxy"],
  ["ALL_PROXY", "all_proxy"],
  ["NO_PROXY", "no_proxy"],
] as const;

/** Notices about settings of folders that ccc ignores. */
export function overruled(settings: readonly Layer[]): string[] {
  const notices: string[] = [];
  for (const { path, scope, env } of settings) {
    if (scope === "user") continue;
    const names = Object.keys(env);
    const network = names.filter((name) => Object.hasOwn(NETWORK, name));
    const running = names.filter((name) => Object.hasOwn(LOADING, name) || name.startsWith("CCC_"));
    if (network.length > 0)
      notices.push(`${path} sets ${network.join(", ")}; ignored, because it would redirect your key`);
    if (running.length > 0)
      notices.push(`${path} sets ${running.join(", ")}; ignored, because it could run code with access to your key`);
  }
  return notices;
}

/** Variables that break ccc or garble its output with any value, even a blank one. */
export function breaksPrograms(name: string): boolean {
  return name.startsWith("BUN_JSC_") || name === "LD_TRACE_LOADED_OBJECTS" || name === "LD_SHOW_AUXV";
}
