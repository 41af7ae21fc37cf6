import type { Env } from "../world.ts";

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

/** What a hook says that has nothing to do in this session; undefined for every other command. */
export function guard([command, ...args]: readonly string[], env: Env): string | undefined {
  if (command !== "supervisor-hook" && command !== "supervisor-prompt") return undefined;
  const skipped = (why: string) => `ccc ${command}: skipped, ${why}\n`;
  const flag = args.find((arg) => arg === PERSISTENT_FLAG || arg.startsWith(`${PERSISTENT_FLAG}=`));
  const word = flag?.slice(PERSISTENT_FLAG.length + 1) || NO_WORD;
  if (isReviewers(env[REVIEWER_MARK] ?? "", word)) {
    return skipped(`this is the reviewer's own session (${REVIEWER_MARK}=1)`);
  }
  if (flag !== undefined && env[LAUNCH_MARK] === word) {
    return skipped("this session was started by ccc, which decides about its supervision itself");
  }
  return undefined;
}

function isReviewers(mark: string, word: string): boolean {
  return word === NO_WORD ? mark.split(":")[0] === NO_WORD : mark === reviewerMark(word);
}
