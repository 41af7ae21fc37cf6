/**
 * Variables and words by which processes of ccc recognize each other. Nothing else may set them: a launch decides them in
 * the settings that it generates.
 */

/** Set in the reviewer's environment: a Stop hook that finds it belongs to the reviewer's own session. */
export const REVIEWER_MARK = "CCC_SUPERVISOR_HOOK";

/** Set by the settings of a launch, which decides about supervision itself; `ccc use` blanks it for plain claude. */
export const LAUNCH_MARK = "CCC_LAUNCH";
/**
 * Tells the hook that it stands in the user's settings.json, where launches find it too. A project's settings win over
 * those, so this hook believes no mark that any project could set: it is given a word that nobody else knows.
 */
export const PERSISTENT_FLAG = "--persistent";

/** What the marks say where no hook of `ccc use` has a word of its own. */
export const NO_WORD = "1";

/** Marks a reviewer's session for every hook, the one with this word among them. */
export function reviewerMark(word: string): string {
  return `${NO_WORD}:${word}`;
}

/** The word of the hook of `ccc use`, in the user's settings as text. */
export function persistentWord(settings: string): string | undefined {
  return / --persistent=([0-9a-f]{32})\b/.exec(settings)?.[1];
}

/** The command by which Claude Code asks whether the reviewer may use a tool. */
export const GUARD_COMMAND = "supervisor-guard";

/** In the environment of a program that ccc runs, and so of all that it starts. */
export const RUN_MARK = "CCC_RUN";

/** In claude's environment: which process of ccc started it, and how many of them are below one another. */
export const EXEC_MARK = "CCC_EXEC";

/** In the reviewer's environment: the folders that it may read, as JSON. */
export const FOLDERS_VARIABLE = "CCC_REVIEW_FOLDERS";
