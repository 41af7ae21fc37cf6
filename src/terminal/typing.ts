import { lineSplitter } from "../text/lines.ts";

/** What the user types at ccc's own terminal, line by line. */
export interface Typing {
  /** The lines since the last call. */
  take(): string[];
  /** Waits for one line; undefined at the end of input. */
  next(): Promise<string | undefined>;
  /** Leaves further input to the next program. */
  stop(): void;
}

/** The terminal stays in line mode: it echoes and edits, and nothing has to be restored. */
export function listenToTyping(onLine: (line: string) => void): Typing {
  const lines: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  // Lines that arrive at once were pasted: they are one message.
  let chunk: string[] = [];
  const splitter = lineSplitter(1_000_000, (bytes) => {
    const line = bytes === undefined ? "" : new TextDecoder().decode(bytes).trim();
    if (line !== "") chunk.push(line);
  });
  const deliver = () => {
    const line = chunk.join("\n");
    chunk = [];
    if (line === "") return;
    if (waiting !== undefined) {
      waiting(line);
      waiting = undefined;
      return;
    }
    lines.push(line);
    onLine(line);
  };
  const { stdin } = process;
  stdin.on("data", (bytes: Buffer) => {
    splitter.push(bytes);
    deliver();
  });
  stdin.on("end", () => waiting?.(undefined));
  return {
    take: () => lines.splice(0),
    next: () =>
      new Promise((resolve) => {
        const first = lines.shift();
        if (first !== undefined) resolve(first);
        else waiting = resolve;
      }),
    stop: () => {
      stdin.removeAllListeners();
      stdin.pause();
      stdin.unref();
    },
  };
}
