import { CccError } from "../errors.ts";

const BUN = "it changes what Bun programs do, Claude Code and ccc among them";
const NODE = "it loads code into Node programs";
const LOADER = "it loads code into every program";
const SHELL = "it runs code in every shell";
const LANGUAGE = "it loads code into other programs";
const GIT = "it runs code in git";

/** Variables that run code in claude, ccc or the agent's programs, or that control ccc; with the reason. */
const NAMES: Readonly<Record<string, string>> = {
  BUN_OPTIONS: BUN,
  BUN_BE_BUN: BUN,
  BUN_INSPECT: BUN,
  NODE_OPTIONS: NODE,
  NODE_PATH: NODE,
  NODE_REPL_EXTERNAL_MODULE: NODE,
  CLAUDE_CODE_SHELL_PREFIX: SHELL,
  BASH_ENV: SHELL,
  BASHOPTS: SHELL,
  ENV: SHELL,
  PROMPT_COMMAND: SHELL,
  SHELLOPTS: SHELL,
  ZDOTDIR: SHELL,
  PERL5OPT: LANGUAGE,
  RUBYOPT: LANGUAGE,
  PYTHONSTARTUP: LANGUAGE,
  JAVA_TOOL_OPTIONS: LANGUAGE,
  GIT_ASKPASS: GIT,
  GIT_EXEC_PATH: GIT,
  GIT_EXTERNAL_DIFF: GIT,
  GIT_PROXY_COMMAND: GIT,
  GIT_SSH: GIT,
  GIT_SSH_COMMAND: GIT,
};

const PREFIXES: readonly (readonly [string, string])[] = [
  ["LD_", LOADER],
  ["DYLD_", LOADER],
  ["BUN_CONFIG_", BUN],
  ["BUN_INSPECT_", BUN],
  ["BASH_FUNC_", SHELL],
  ["GIT_CONFIG_", GIT],
  ["CCC_", "it controls ccc itself"],
];

/** Refuses variables in an env block of ccc.json that a provider has no business setting. */
export function refuseForbidden(names: Iterable<string>, field: string): void {
  for (const name of names) {
    // Names are case-insensitive on Windows, so they are here as well.
    const upper = name.toUpperCase();
    const why = Object.hasOwn(NAMES, upper) ? NAMES[upper] : PREFIXES.find(([prefix]) => upper.startsWith(prefix))?.[1];
    if (why === undefined) continue;
    throw new CccError(`${field}.${name}: not allowed in ccc.json, because ${why}`, {
      advice: "Remove it there. If you need it, set it in your shell.",
    });
  }
}
