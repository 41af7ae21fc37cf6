import type { ChildResult } from "../os/child.ts";

/** For a claude that exited without a result. Its last words are redacted before they are cut: half a key would not be recognized. */
export function noResult({ exitCode }: ChildResult, lastWords: string, clean: (text: string) => string): string {
  const code = exitCode === null ? "killed by a signal" : `exit code ${exitCode}`;
  const words = clean(lastWords).slice(-LONGEST_WORDS);
  return `claude exited without a result (${code})${words === "" ? "" : `: ${words}`}`;
}

const LONGEST_WORDS = 500;
