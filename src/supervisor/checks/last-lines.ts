/** Collects output, of which only the last lines are kept. */
export function lastLines() {
  const kept: string[] = [];
  return {
    /** Undefined for a line that is too long. */
    add: (line: Uint8Array | undefined) => {
      kept.push(line === undefined ? "[a very long line]" : readable(line));
      if (kept.length > MOST_LINES) kept.shift();
    },
    /** The secrets go first: half a key would not be recognized. */
    text: (clean: (text: string) => string): string => {
      const lines = clean(kept.join("\n"))
        .split("\n")
        .map((line) => (line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`));
      let room = LONGEST_TEXT;
      const first = lines.findLastIndex((line) => {
        room -= line.length + 1;
        return room < 0;
      });
      return lines.slice(first + 1).join("\n");
    },
  };
}

const MOST_LINES = 60;
const LONGEST_LINE = 500;
/** Claude Code cuts feedback at 10,000 characters. */
const LONGEST_TEXT = 7_000;
const MOST_BYTES = 20_000;

/** Without colors and what else a terminal would not show. A progress line ends as it last was. */
function readable(line: Uint8Array): string {
  const text = Bun.stripANSI(new TextDecoder().decode(line.subarray(0, MOST_BYTES)));
  return (text.split("\r").findLast((part) => part !== "") ?? "").replaceAll(/[^\P{C}\t]/gu, "");
}
