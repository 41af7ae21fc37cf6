/** What the user types at ccc's own terminal while the loop runs. */
import { createInterface, emitKeypressEvents, type Key } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import type { Footer, InputLine } from "./footer.ts";

/** What the user types, message by message. */
export interface Typing {
  /** The messages since the last call. */
  take(): string[];
  /** Asks for one message; undefined at the end of input. */
  next(question: string): Promise<string | undefined>;
  /** Leaves further input to the next program. Returns what was typed but not sent. */
  stop(): string;
}

interface InputLineParts {
  readonly footer: Footer;
  readonly keyboard: (listener: KeyboardListener) => Keyboard;
  /** Gets each message as the user sends it. */
  readonly onMessage: (message: string) => void;
}

/** An input line at the bottom of the terminal: what is typed stays there while output scrolls above it. */
export function openInputLine({ footer, keyboard: open, onMessage }: InputLineParts): Typing {
  const messages: string[] = [];
  let waiting: { label: string; resolve: (line: string | undefined) => void } | undefined;
  const show = () => {
    const label = waiting?.label ?? "> ";
    const hint = waiting === undefined ? "type a message; Enter queues it for the agent" : "";
    footer.edit({ label, line: editor.line(), hint, queued: messages.length });
  };
  const answer = (text: string | undefined) => {
    waiting?.resolve(text);
    waiting = undefined;
  };
  const send = (typed: string) => {
    const message = typed.trim();
    if (message === "") return;
    if (waiting !== undefined) {
      footer.print(`${waiting.label}${message}`);
      return answer(message);
    }
    messages.push(message);
    onMessage(message);
  };
  const editor = lineEditor({
    onLine: send,
    onSignal: (signal) => keyboard.signal(signal),
    onEnd: () => answer(undefined),
  });
  let isShowPending = false;
  const keyboard = open({
    onKey: (key) => {
      editor.press(key);
      if (isShowPending) return;
      isShowPending = true;
      // Once for all keys that arrive together.
      queueMicrotask(() => {
        isShowPending = false;
        editor.flush();
        if (!editor.isClosed()) show();
      });
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
      editor.close();
      footer.edit(undefined);
      const { before, after } = editor.line();
      return before + after;
    },
  };
}

/**
 * The messages typed on a terminal on which ccc only prints lines. It stays in line mode: the terminal itself echoes and
 * edits, and nothing has to be restored.
 */
export function listenToTyping(
  stdin: NodeJS.Process["stdin"],
  write: (text: string) => void,
  onLine: (line: string) => void,
): Typing {
  const messages: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  // Lines that arrive at once were pasted: they are one message.
  let arrived: string[] = [];
  const deliver = () => {
    const message = arrived.join("\n");
    arrived = [];
    if (message === "") return;
    if (waiting === undefined) {
      messages.push(message);
      return onLine(message);
    }
    waiting(message);
    waiting = undefined;
  };
  let isAtEnd = false;
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on("line", (line) => {
    if (line.trim() === "") return;
    if (arrived.push(line.trim()) === 1) queueMicrotask(deliver);
  });
  lines.on("close", () => {
    isAtEnd = true;
    waiting?.(undefined);
  });
  return {
    take: () => messages.splice(0),
    next: (question) =>
      new Promise((resolve) => {
        write(question);
        const first = messages.shift();
        if (first !== undefined || isAtEnd) resolve(first);
        else waiting = resolve;
      }),
    stop: () => {
      lines.close();
      stdin.unref();
      return "";
    },
  };
}

/** The user's keyboard in raw mode: nothing is echoed, and every key arrives at once. */
export interface Keyboard {
  /** Signals the whole process group, as the terminal itself does for Ctrl-C and Ctrl-Z in its usual mode. */
  signal(signal: "SIGINT" | "SIGTSTP"): void;
  /** Gives the terminal back, in its usual mode. */
  close(): void;
}

export interface KeyboardListener {
  readonly onKey: (key: Key) => void;
  readonly onEnd: () => void;
  /** Before ccc is suspended. */
  readonly onSuspend: () => void;
  /** The size of the terminal may have changed, or its content. */
  readonly onRedraw: () => void;
}

/** Takes over the keyboard of the terminal on stdin. Its usual mode returns however ccc ends, except by SIGKILL. */
export function openKeyboard(
  host: NodeJS.Process,
  write: (text: string) => void,
  { onKey, onEnd, onSuspend, onRedraw }: KeyboardListener,
): Keyboard {
  const { stdin } = host;
  const take = () => {
    stdin.setRawMode(true);
    write(MARK_PASTES);
  };
  const giveBack = () => {
    stdin.setRawMode(false);
    write(LEAVE_PASTES);
  };
  const resume = () => {
    take();
    onRedraw();
  };
  const suspend = () => {
    onSuspend();
    giveBack();
    // Without ccc's handler the signal suspends, unless there is no shell that could continue ccc.
    host.off("SIGTSTP", suspend);
    host.kill(host.pid, "SIGTSTP");
    host.on("SIGTSTP", suspend);
    resume();
  };
  const isPosix = host.platform !== "win32";
  const handlers: readonly (readonly [NodeJS.Signals, () => void])[] = isPosix
    ? [
        ["SIGTSTP", suspend],
        ["SIGCONT", resume],
        ["SIGWINCH", onRedraw],
      ]
    : [];
  const onKeypress = (_: unknown, key: Key) => onKey(key);
  take();
  emitKeypressEvents(stdin);
  stdin.on("keypress", onKeypress);
  stdin.on("end", onEnd);
  // A terminal that is gone also sends SIGHUP.
  stdin.on("error", () => {});
  host.on("exit", giveBack);
  for (const [signal, handler] of handlers) host.on(signal, handler);
  return {
    signal(signal) {
      if (isPosix) host.kill(0, signal);
      else if (signal === "SIGINT") host.emit(signal, signal);
    },
    close() {
      giveBack();
      host.off("exit", giveBack);
      for (const [signal, handler] of handlers) host.off(signal, handler);
      // Listeners of others stay: they make pause() stop reading, so that the next program gets every key.
      stdin.off("keypress", onKeypress);
      stdin.off("end", onEnd);
      stdin.pause();
      stdin.unref();
    },
  };
}

/** "Bracketed paste": the terminal marks the beginning and the end of a paste. */
const MARK_PASTES = "\u001b[?2004h";
/** Also turns wrapping on, which the footer may have left off in the middle of a row. */
const LEAVE_PASTES = "\u001b[?2004l\u001b[?7h";

interface LineEditor {
  press(key: Key): void;
  /** Call it after keys that arrived together: a line break between them was pasted, one at their end is Enter. */
  flush(): void;
  line(): InputLine;
  close(): void;
  isClosed(): boolean;
}

interface EditorListener {
  readonly onLine: (line: string) => void;
  readonly onSignal: (signal: "SIGINT" | "SIGTSTP") => void;
  /** Ctrl-D in an empty line. */
  readonly onEnd: () => void;
}

/**
 * A line with the keys of node:readline, which draws nothing here. What readline does not know is added: line breaks within
 * a line, pastes, and characters of several code points.
 */
function lineEditor({ onLine, onSignal, onEnd }: EditorListener): LineEditor {
  const editor = createInterface({ input: new PassThrough(), output: NOWHERE, terminal: true, historySize: 0 });
  editor.on("line", (line) => onLine(line.replaceAll(BREAK, "\n")));
  editor.on("SIGINT", () => onSignal("SIGINT"));
  editor.on("SIGTSTP", () => onSignal("SIGTSTP"));
  let isOpen = true;
  let isPasting = false;
  /** Typed or pasted, but not in the line yet: one long text is inserted much faster than its characters one by one. */
  let text = "";
  const insert = (inserted: string) => {
    const clean = inserted
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll(/[^\P{Cc}\n\t]/gu, "")
      .replaceAll("\n", BREAK);
    editor.write(clean.slice(0, Math.max(0, LONGEST - editor.line.length)));
  };
  const flush = () => {
    if (isPasting || !isOpen) return;
    const typed = text.replace(/[\r\n]+$/, "");
    const isSent = typed !== text;
    text = "";
    insert(typed);
    if (isSent) editor.write(null, { name: "return" });
  };
  const press = (key: Key) => {
    const { name, ctrl, meta, sequence = "" } = key;
    const isPlain = !(ctrl || meta);
    const isEnter = name === "return" || name === "enter";
    if (isPasting ? name !== "paste-end" : isPlain && (isEnter || TEXT.test(sequence))) {
      text += sequence;
      return;
    }
    if (isPasting) {
      isPasting = false;
      insert(text);
      text = "";
      return;
    }
    flush();
    if (name === "paste-start") isPasting = true;
    else if (isEnter) editor.write(BREAK);
    else if (ctrl && name === "d") editor.line === "" && onEnd();
    else if (isPlain && isStep(name)) step(name);
    else editor.write(null, name === "left" || name === "right" ? { name, ctrl: true } : key);
  };
  /** Moves over, or removes, what a user sees as one character. */
  const step = (name: Step) => {
    const isBack = name === "left" || name === "backspace";
    const { line, cursor } = editor;
    const near = isBack ? line.slice(0, cursor).slice(-NEAR) : line.slice(cursor, cursor + NEAR);
    const length = graphemes(near).at(isBack ? -1 : 0)?.length ?? 0;
    const moved = () => Math.abs(editor.cursor - cursor) + (name === "delete" ? line.length - editor.line.length : 0);
    while (moved() < length) editor.write(null, { name });
  };
  return {
    press,
    flush,
    line: () => {
      const shown = (part: string) => part.replaceAll(BREAK, "\n");
      return { before: shown(editor.line.slice(0, editor.cursor)), after: shown(editor.line.slice(editor.cursor)) };
    },
    close: () => {
      isOpen = false;
      editor.close();
    },
    isClosed: () => !isOpen,
  };
}

const NOWHERE = new Writable({ write: (_chunk, _encoding, done) => done() });

/** A line break within the line. No key and no paste inserts this character. */
const BREAK = "\v";

const TEXT = /^(?:\t|[^\p{Cc}]+)$/u;

const LONGEST = 1_000_000;

type Step = "left" | "right" | "backspace" | "delete";

function isStep(name: string | undefined): name is Step {
  return name === "left" || name === "right" || name === "backspace" || name === "delete";
}

/** No character is longer, and segmenting a whole paste would take long. */
const NEAR = 200;

/** Characters as a user sees them: an emoji of several code points is one, and so is a letter with its accents. */
function graphemes(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

const SEGMENTER = new Intl.Segmenter();
