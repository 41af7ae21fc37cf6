import { WriteStream } from "node:tty";

const DEFAULT_COLUMNS = 80;

/** The width of the terminal on stdout or stderr. */
export function terminalColumns(fd: 1 | 2): number {
  return new WriteStream(fd).columns || DEFAULT_COLUMNS;
}
