import { WriteStream } from "node:tty";
import { type ConsolaInstance, createConsola } from "consola/core";
import { wrap } from "../text/table.ts";

const DEFAULT_COLUMNS = 80;

/** The width of the terminal on stdout or stderr. */
export function terminalColumns(fd: 1 | 2): number {
  return new WriteStream(fd).columns || DEFAULT_COLUMNS;
}

/** Everything that ccc says to the user, on stderr: stdout is for results. Hooks have their own log. */
export function createLog({ isTerminal, columns, stderr }: LogTerminal): ConsolaInstance {
  const width = isTerminal(1) && isTerminal(2) ? columns() : Number.POSITIVE_INFINITY;
  const say = (label: string, text: string) => stderr(`${wrap(`ccc: ${label}${text}`, width)}\n`);
  return createConsola({ reporters: [{ log: ({ type, args }) => say(LABELS[type] ?? "", args.join(" ")) }] });
}

interface LogTerminal {
  readonly isTerminal: (fd: 1 | 2) => boolean;
  readonly columns: () => number;
  readonly stderr: (text: string) => void;
}

/** An error needs no label: it is the last thing that ccc says. */
const LABELS: Partial<Record<string, string>> = { warn: "warning: " };
