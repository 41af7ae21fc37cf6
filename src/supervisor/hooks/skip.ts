import { isHook, LAUNCH_MARK, NO_WORD, PERSISTENT_FLAG, REVIEWER_MARK, reviewerMark } from "../../marks.ts";
import type { Env } from "../../world.ts";

/** Why a hook has nothing to do in this session, as a message; undefined if it has, and for other commands. */
export function skipReason([command, ...args]: readonly string[], env: Env): string | undefined {
  if (!isHook(command)) return undefined;
  const skipped = (why: string) => `ccc ${command}: skipped: ${why}\n`;
  const flag = args.find((arg) => arg === PERSISTENT_FLAG || arg.startsWith(`${PERSISTENT_FLAG}=`));
  const word = flag?.slice(PERSISTENT_FLAG.length + 1) || NO_WORD;
  if (isReviewers(env[REVIEWER_MARK] ?? "", word)) {
    return skipped(`this is the reviewer's own session (${REVIEWER_MARK}=1)`);
  }
  if (flag !== undefined && env[LAUNCH_MARK] === word) {
    return skipped("ccc started this session and handles its supervision itself");
  }
  return undefined;
}

function isReviewers(mark: string, word: string): boolean {
  return word === NO_WORD ? mark.split(":")[0] === NO_WORD : mark === reviewerMark(word);
}
