import { lineSplitter } from "../text/lines.ts";

/** What the user types at ccc's own terminal, message by message. */
export interface Typing {
  /** The messages since the last call. */
  take(): string[];
  /** Asks for one message; undefined at the end of input. */
  next(question: string): Promise<string | undefined>;
  /** Leaves further input to the next program. Returns what was typed but not sent. */
  stop(): string;
}

/**
 * For terminals on which ccc only prints lines. The terminal stays in line mode: it echoes and edits, and nothing has to be
 * restored.
 */
export function listenToTyping(
  stdin: NodeJS.Process["stdin"],
  write: (text: string) => void,
  onLine: (line: string) => void,
): Typing {
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
  const onBytes = (bytes: Buffer) => {
    splitter.push(bytes);
    deliver();
  };
  stdin.on("data", onBytes);
  stdin.on("end", () => waiting?.(undefined));
  return {
    take: () => lines.splice(0),
    next: (question) =>
      new Promise((resolve) => {
        write(question);
        const first = lines.shift();
        if (first !== undefined) resolve(first);
        else waiting = resolve;
      }),
    stop: () => {
      // Others make pause() stop reading, so that the next program gets every key.
      stdin.off("data", onBytes);
      stdin.pause();
      stdin.unref();
      return "";
    },
  };
}
