import { WriteStream } from "node:tty";

const DEFAULT_COLUMNS = 80;

/** The width of the terminal on stdout. */
export function terminalColumns(): number {
  return new WriteStream(1).columns || DEFAULT_COLUMNS;
}
