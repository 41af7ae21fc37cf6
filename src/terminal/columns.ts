import { WriteStream } from "node:tty";

const USUAL = 80;

/** How many characters fit on a line of the terminal that stdout is. */
export function terminalColumns(): number {
  return new WriteStream(1).columns || USUAL;
}
