import type { Turn } from "../src/sandbox/sandbox.ts";
import { CCC } from "../tests/harness.ts";
import { inTurn } from "../tests/in-turn.ts";
import { newScreen } from "../tests/screen.ts";
import { supervisedPlace } from "../tests/supervised.ts";
import { terminalSvg } from "./terminal-svg.ts";

/**
 * Makes docs/session.svg: a supervised session of the real Claude Code on a scripted model, as its terminal shows it.
 * `bun scripts/session-picture.ts [FILE]`, after `bun run build`.
 */

const COLS = 98;
const PROMPT = "write slug.py: slugs for URLs from titles, with a test";

const usage = (input_tokens: number, cache_read_input_tokens: number, output_tokens: number) => ({
  usage: { input_tokens, cache_read_input_tokens, output_tokens },
});
const write = (file_path: string, content: string): Turn => ({ use: "Write", input: { file_path, content } });
const bash = (command: string, description: string): Turn => ({ use: "Bash", input: { command, description } });

const SLUG = `import re

def slug(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
`;

const TEST = `from unittest import TestCase
from slug import slug

class Slugs(TestCase):
    def test_words(self):
        self.assertEqual(slug("Hello, World!"), "hello-world")
`;

const AGENT: readonly Turn[] = [
  { ...write("slug.py", SLUG), ...usage(2_100, 11_800, 160) },
  { say: "Done: slug.py makes slugs, and there is a test.", ...usage(320, 13_900, 30) },
  { ...write("test_slug.py", TEST), ...usage(410, 14_200, 240) },
  { ...bash("python3 -m unittest", "Run the test"), ...usage(380, 14_600, 70) },
  { say: "Now there is a test, and it passes.", ...usage(210, 15_000, 30) },
];

const criteria = (test: "met" | "unmet", evidence: string) => [
  { id: "C1", text: "slug.py makes slugs from titles", status: "met" as const, evidence: "slug.py, line 4" },
  { id: "C2", text: "there is a test, and it passes", status: test, evidence },
];

const REVIEWER: readonly Turn[] = [
  { use: "Read", input: { file_path: "slug.py" }, delayMs: 1_500, ...usage(620, 0, 40) },
  { ...bash("python3 -m unittest", "Run the test"), delayMs: 1_500, ...usage(410, 0, 50) },
  {
    verdict: {
      completed: false,
      feedback: "slug.py is fine, but there is no test. Write one and run it.",
      criteria: criteria("unmet", "python3 -m unittest ran 0 tests"),
    },
    delayMs: 2_500,
    ...usage(300, 0, 180),
  },
  { use: "Read", input: { file_path: "test_slug.py" }, delayMs: 1_500, ...usage(650, 0, 40) },
  { ...bash("python3 -m unittest", "Run the test"), delayMs: 1_500, ...usage(420, 0, 50) },
  {
    verdict: {
      completed: true,
      feedback: "I ran the test: it passes.",
      criteria: criteria("met", "test_slug.py; python3 -m unittest ran 1 test, OK"),
    },
    delayMs: 2_000,
    ...usage(310, 0, 150),
  },
  // A fresh reviewer confirms it.
  { use: "Read", input: { file_path: "test_slug.py" }, delayMs: 1_500, ...usage(5_900, 0, 40) },
  { ...bash("python3 -m unittest", "Run the test"), delayMs: 1_500, ...usage(420, 5_900, 50) },
  {
    verdict: {
      completed: true,
      feedback: "I ran the test: it passes.",
      criteria: criteria("met", "test_slug.py; python3 -m unittest ran 1 test, OK"),
    },
    delayMs: 2_000,
    ...usage(310, 6_300, 150),
  },
];

const [file = "docs/session.svg"] = process.argv.slice(2);
await using place = await supervisedPlace(inTurn({ agent: AGENT, reviewer: REVIEWER }), { isConfirmed: true });
const launch = [CCC, "--supervisor", "glm", "--model", "glm-5.3", "--permission-mode", "acceptEdits"];
const env = { ...place.env, COLORTERM: "truecolor" };
await using screen = newScreen([...launch, "--allowedTools", "Bash"], {
  cwd: place.project,
  env,
  cols: COLS,
  rows: 70,
});
await screen.shows("supervisor on");
await screen.submit(PROMPT);
await screen.shows(/Review 2 of 10: done, 2 of 2 met, confirmed by glm/);
await screen.shows(/· done 2 of 2/);
const buffer = screen.cells();
const lines = Array.from(
  { length: buffer.length },
  (_, row) => buffer.getLine(row)?.translateToString(true).trim() ?? "",
);
const rows = shownRows(lines);
const marks = Object.fromEntries(rows.flatMap((row) => markOf(lines[row] ?? "").map((color) => [row, color])));
await Bun.write(file, terminalSvg(buffer, { title: "ccc --supervisor glm", cols: COLS, rows, marks }));

/** From the prompt on, without Claude Code's line with a random verb, and without double blank rows. */
function shownRows(lines: readonly string[]): number[] {
  const from = lines.findLastIndex((line) => line.includes(PROMPT));
  const rows = [...lines.keys()].slice(from).filter((row) => !lines[row]?.startsWith("✻"));
  return rows.filter((row, index) => lines[row] !== "" || (lines[rows[index + 1] ?? -1] ?? "") !== "");
}

function markOf(line: string): string[] {
  if (!line.includes("Stop says: Review ")) return [];
  return [line.includes(": done, ") ? "#3fb950" : "#d29922"];
}
