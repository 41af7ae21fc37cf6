import { isAbsolute, programFolders } from "../../os/path.ts";
import type { Env } from "../../world.ts";
import { isWithin } from "../tool-guard/readable-places.ts";

/**
 * Variables that make shells, git, Node, Bun, npm, the dynamic linker or Claude Code itself run other programs or load
 * code at startup. A project's settings can set them in the session under review.
 */
const CHOOSES_PROGRAMS = new RegExp(
  [
    "^(BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_FUNC_.*|PROMPT_COMMAND|ZDOTDIR)$",
    "^GIT_(?!AUTHOR_|COMMITTER_)",
    "^(BUN|DYLD|npm_config)_",
    "^LD_(PRELOAD|AUDIT|LIBRARY_PATH)$",
    "^(NODE_OPTIONS|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|JAVA_TOOL_OPTIONS)$",
    "^CLAUDE_CODE_(SHELL|SHELL_PREFIX|SHELL_LAUNCHER_SCRIPT|GIT_BASH_PATH)$",
    "^(PAGER|LESSOPEN|LESSCLOSE|RIPGREP_CONFIG_PATH|GREP_OPTIONS)$",
  ].join("|"),
  "i",
);

/** Variables that are kept unless they point into the project. */
const LEADS_TO_PROGRAMS = ["SHELL", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"];

/**
 * The environment without these variables. In its PATH the given folders come last: tests need the programs of a
 * virtual environment, but a `git` planted beside them must not win.
 */
export function withoutPrograms(env: Env, folders: readonly string[], platform: NodeJS.Platform) {
  const isForeign = (path: string) => isAbsolute(path) && !folders.some((folder) => isWithin(path, folder));
  const kept: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(env).filter(([name]) => !CHOOSES_PROGRAMS.test(name)),
  );
  for (const name of LEADS_TO_PROGRAMS) if (!isForeign(kept[name] ?? "")) delete kept[name];
  const path = programFolders(env, platform);
  const sorted = [...path.filter(isForeign), ...path.filter((folder) => !isForeign(folder))];
  return { ...kept, PATH: sorted.join(platform === "win32" ? ";" : ":") };
}
