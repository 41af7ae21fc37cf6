import { usageError } from "../errors.ts";

/** Open files are not passed on when ccc turns into claude: `<(…)` of a shell would name nothing. */
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
