import type { Footer } from "./footer.ts";
import type { Keyboard, KeyboardListener } from "./keyboard.ts";
import { type Key, keyReader } from "./keys.ts";
import { EMPTY_LINE, edit, type InputLine } from "./line-editor.ts";
import type { Typing } from "./typing.ts";

export interface InputLineParts {
  readonly footer: Footer;
  readonly keyboard: (listener: KeyboardListener) => Keyboard;
  /** Gets each message as the user sends it. */
  readonly onMessage: (message: string) => void;
}

/** An input line of ccc's own at the bottom of the terminal: what is typed stays there while output scrolls above it. */
export function openInputLine({ footer, keyboard: open, onMessage }: InputLineParts): Typing {
  const messages: string[] = [];
  let line: InputLine = EMPTY_LINE;
  let waiting: { label: string; resolve: (line: string | undefined) => void } | undefined;
  const show = () => {
    const label = waiting?.label ?? "> ";
    const hint = waiting === undefined ? "type a message; Enter queues it for the agent" : "";
    footer.edit({ label, line, hint, queued: messages.length });
  };
  const answer = (text: string | undefined) => {
    waiting?.resolve(text);
    waiting = undefined;
  };
  const send = () => {
    const message = (line.before + line.after).trim();
    line = EMPTY_LINE;
    if (message === "") return;
    if (waiting !== undefined) {
      footer.print(`${waiting.label}${message}`);
      return answer(message);
    }
    messages.push(message);
    onMessage(message);
  };
  const press = (key: Key) => {
    if (key.kind === "enter") send();
    else if (key.kind === "interrupt") keyboard.signal("SIGINT");
    else if (key.kind === "suspend") keyboard.signal("SIGTSTP");
    else if (key.kind === "end-of-input" && line.before + line.after === "") answer(undefined);
    else line = edit(line, key);
  };
  const read = keyReader();
  const keyboard = open({
    onBytes: (bytes) => {
      for (const key of read(bytes)) press(key);
      show();
    },
    onEnd: () => answer(undefined),
    onSuspend: footer.hide,
    onRedraw: footer.redraw,
  });
  show();
  return {
    take: () => {
      const taken = messages.splice(0);
      show();
      return taken;
    },
    next: (label) =>
      new Promise((resolve) => {
        waiting = { label, resolve };
        show();
      }),
    stop: () => {
      keyboard.close();
      footer.edit(undefined);
      return line.before + line.after;
    },
  };
}
