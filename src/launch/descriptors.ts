import { usageError } from "../errors.ts";

/** Refuses `<(…)` of a shell: open files are not inherited when ccc becomes claude. */
export function refuseDescriptors(args: readonly string[]): void {
  const found = args.find(
    (word) =>
      word.includes("/fd/") && /^(--[a-z-]+=)?\/(dev|proc\/self)\/fd\/\d+$/.test(word) && !/\/[012]$/.test(word),
  );
  if (found === undefined) return;
  throw usageError(
    `claude cannot read ${found} when ccc starts it`,
    "Use a file instead of <(…), or run claude itself.",
  );
}
