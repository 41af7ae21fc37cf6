import { shownName } from "../../os/names.ts";
import { counted } from "../../text/words.ts";
import type { CheckResult } from "../record/stops.ts";

/** A failed check: its label, as in "npm test (exit 1)", the feedback for the agent, and why to give up, if that is so. */
export function failedCheck(result: CheckResult, cwd: string, rounds: FailingRounds) {
  const { command, ending, output } = result;
  const label = `${shortCommand(command)} (${ending})`;
  const lines =
    output === "" ? "It printed nothing." : `The last lines of its output:\n\n${indented(output, output.length)}`;
  const feedback = [
    `A check failed: ${label}.`,
    `ccc ran it in ${shownName(cwd)} when you stopped, because it must pass before the work can be done. Find the cause and fix it in the code; do not weaken the check or what it tests. If it can pass only with the user's approval or help, ask for that. ccc runs it again at your next stop.`,
    lines,
  ].join("\n\n");
  return { label, feedback, ...repeatedFailure(result, label, rounds) };
}

/** A failure, to be compared with the next one. Digests, because a command or its output may contain a secret. */
interface RepeatedFailure {
  readonly check: string;
  /** How it ended, and its last lines. */
  readonly lines: string;
  /** Identifies the files; null if unknown. */
  readonly files: string | null;
  /** How often in a row it failed with these lines. */
  readonly times: number;
}

/** The failure at the last review, and when to give up. */
export interface FailingRounds {
  readonly before: RepeatedFailure | undefined;
  /** Identifies the files now; undefined if unknown. */
  readonly files: string | undefined;
  /** `supervisor.stalemate` */
  readonly limit: number;
}

/**
 * The failure for the next review, and why to give up: no file has changed since the last one, or it has failed `limit` times
 * in a row with the same last lines. A limit of 0 means never.
 */
function repeatedFailure(
  { command, ending, output }: CheckResult,
  name: string,
  { before, files, limit }: FailingRounds,
): { readonly failure: RepeatedFailure; readonly why: string | undefined } {
  const check = digest(command);
  const lines = digest(`${ending}\n${lasting(output)}`);
  const last = before?.check === check ? before : undefined;
  const times = last?.lines === lines ? last.times + 1 : 1;
  const failure = { check, lines, files: files ?? null, times };
  if (limit === 0 || last === undefined) return { failure, why: undefined };
  if (files !== undefined && last.files === files)
    return { failure, why: `The check failed twice without a change of the files: ${name}` };
  const isStuck = times >= Math.max(2, limit);
  return {
    failure,
    why: isStuck ? `The check failed ${times} times in a row with the same last lines: ${name}` : undefined,
  };
}

function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32);
}

/** The last lines without what differs from run to run: times, addresses, temporary paths, random numbers. */
function lasting(output: string): string {
  const lines = output.split("\n").map((line) => VARYING.reduce((rest, each) => rest.replaceAll(each, "…"), line));
  const kept = lines.map((line) => line.replaceAll(/\s+/g, " ").trim()).filter((line) => line !== "");
  return kept.slice(-COMPARED_LINES).join("\n");
}

const COMPARED_LINES = 20;
const VARYING: readonly RegExp[] = [
  /(?:\/private)?(?:\/tmp|\/var\/tmp|\/var\/folders|\/dev\/shm)\/[^\s'"`:,)\]]+|[A-Z]:\\[^\s'"`:,)\]]*\\Temp\\[^\s'"`:,)\]]+/gi,
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AP]M)?\b/g,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|@[0-9a-f]{6,}\b/gi,
  /\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?)\b/g,
  /\b(?:127\.0\.0\.1|localhost|\[::1\]):\d+|\b(?:pid|seed|port)[ =:]+\d+/gi,
];

/** The checks, all of which passed, for the reviewer. */
export function describeChecks(passed: readonly CheckResult[]): string {
  const room = Math.floor(LONGEST_SHOWN / passed.length);
  const lines = passed.map(({ command, ending, seconds, output }) => {
    const head = `- ${shortCommand(command)}: ${ending}, ${seconds} s`;
    return output === "" ? `${head}, no output` : `${head}, last lines:\n${indented(output, room)}`;
  });
  return [OPENING, ...lines].join("\n");
}

const OPENING =
  "ccc ran these commands itself, now or earlier with the same files. The exit codes are evidence; the output is the project's:";

/** The checks that did not run, for the user and the reviewer. */
export function leftOutFinding(commands: readonly string[], folder: string): string | undefined {
  if (commands.length === 0) return undefined;
  const names = commands.map(shortCommand).join("; ");
  return `${counted(commands.length, "check")} in SUPERVISOR.md did not run, because the user has not agreed: ${names}. To agree, run ccc --supervisor once in a terminal in ${folder}.`;
}

const LONGEST_SHOWN = 4_000;
const LONGEST_NAME = 200;

/** A command for a message: on one line, and cut if it is long. */
export function shortCommand(command: string): string {
  const line = shownName(command);
  return line.length <= LONGEST_NAME ? line : `${line.slice(0, LONGEST_NAME)}…`;
}

/** The end of a text, indented: about `longest` characters at most, in whole lines. */
function indented(text: string, longest: number): string {
  const end = text.length <= longest ? text : text.slice(-longest).replace(/^[^\n]*\n/, "");
  return end.replaceAll(/^/gm, "    ");
}

/** Collects output, and keeps its last lines. */
export function lastLines() {
  const kept: string[] = [];
  return {
    /** Undefined for a line that is too long. */
    add: (line: Uint8Array | undefined) => {
      kept.push(line === undefined ? "[a very long line]" : readable(line));
      if (kept.length > MOST_LINES) kept.shift();
    },
    /** Masks secrets before it cuts: half a key would not be recognized. */
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

/** Without colors and other invisible characters. Of a progress line, the last state. */
function readable(line: Uint8Array): string {
  const text = Bun.stripANSI(new TextDecoder().decode(line.subarray(0, MOST_BYTES)));
  return (text.split("\r").findLast((part) => part !== "") ?? "").replaceAll(/[^\P{C}\t]/gu, "");
}
