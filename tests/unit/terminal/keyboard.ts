import { EventEmitter } from "node:events";
import { emitKeypressEvents, type Key } from "node:readline";
import type { Keyboard, KeyboardListener } from "../../../src/terminal/input.ts";

/** A keyboard on which a test types: each text arrives at once, as the bytes of a terminal. */
export function testKeyboard() {
  const signals: string[] = [];
  const bytes = new EventEmitter();
  let listener: KeyboardListener | undefined;
  let isClosed = false;
  emitKeypressEvents(bytes as unknown as NodeJS.ReadableStream);
  return {
    signals,
    isClosed: () => isClosed,
    listener: () => listener,
    open: (opened: KeyboardListener): Keyboard => {
      listener = opened;
      bytes.on("keypress", (_: unknown, key: Key) => opened.onKey(key));
      return {
        signal: (signal) => signals.push(signal),
        close: () => {
          isClosed = true;
        },
      };
    },
    type: async (...texts: (string | Uint8Array)[]) => {
      for (const text of texts) {
        bytes.emit("data", Buffer.from(text));
        // The line is shown after all keys of a text.
        await Promise.resolve();
      }
    },
  };
}
