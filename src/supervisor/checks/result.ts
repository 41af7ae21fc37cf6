import { shownName } from "../../os/files.ts";
import { counted } from "../../text/words.ts";
import type { CheckResult } from "../record/stops.ts";

/** A failed check: as "npm test (exit 1)", and as the agent gets it. */
export function failedCheck({ command, ending, output }: CheckResult, cwd: string) {
  const label = `${shortCommand(command)} (${ending})`;
  const lines =
    output === "" ? "It printed nothing." : `The last lines of its output:\n\n${indented(output, output.length)}`;
  const feedback = [
    `A check failed: ${label}.`,
    `ccc ran it in ${shownName(cwd)} when you stopped, because it must pass before the work can be done. Find the cause and fix it in the code; do not weaken the check or what it tests. ccc runs it again at your next stop.`,
    lines,
  ].join("\n\n");
  return { label, feedback };
}

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

/** The end of a text in at most about `longest` characters, from the beginning of a line. */
function indented(text: string, longest: number): string {
  const end = text.length <= longest ? text : text.slice(-longest).replace(/^[^\n]*\n/, "");
  return end.replaceAll(/^/gm, "    ");
}
