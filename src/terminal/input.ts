import { lineSplitter } from "../text/words.ts";
import type { Footer } from "./footer.ts";

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

/** The user's keyboard in raw mode: nothing is echoed, and every key arrives at once. */
export interface Keyboard {
  /** Acts on keys that the terminal itself handles in its usual mode: Ctrl-C and Ctrl-Z, for the whole process group. */
  signal(signal: "SIGINT" | "SIGTSTP"): void;
  /** Gives the terminal back, in its usual mode. */
  close(): void;
}

export interface KeyboardListener {
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onEnd: () => void;
  /** Before ccc is suspended. */
  readonly onSuspend: () => void;
  /** The size of the terminal may have changed, or its content. */
  readonly onRedraw: () => void;
}

/** Takes over the keyboard of the terminal on stdin. Its usual mode returns in every way that ccc can end but SIGKILL. */
export function openKeyboard(
  host: NodeJS.Process,
  write: (text: string) => void,
  { onBytes, onEnd, onSuspend, onRedraw }: KeyboardListener,
): Keyboard {
  const { stdin } = host;
  const take = () => {
    stdin.setRawMode(true);
    write(MARK_PASTES);
  };
  const giveBack = () => {
    stdin.setRawMode(false);
    write(UNMARKED_PASTES);
  };
  const resume = () => {
    take();
    onRedraw();
  };
  const suspend = () => {
    onSuspend();
    giveBack();
    // The signal's own effect: without a shell that could continue ccc, it has none.
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
  take();
  stdin.on("data", onBytes);
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
      // Only ccc's own listeners: others make pause() stop reading, so that the next program gets every key.
      stdin.off("data", onBytes);
      stdin.off("end", onEnd);
      stdin.pause();
      stdin.unref();
    },
  };
}

/** "Bracketed paste": the terminal marks the beginning and the end of a paste. */
const MARK_PASTES = "\u001b[?2004h";
/** Also what the footer may have left off in the middle of a row. */
const UNMARKED_PASTES = "\u001b[?2004l\u001b[?7h";

/** A key that the user pressed, or text that they typed or pasted. */
export type Key = { readonly kind: "text"; readonly text: string } | { readonly kind: KeyName };

export type KeyName =
  | ("enter" | "backspace" | "delete" | "left" | "right" | "word-left" | "word-right" | "home" | "end")
  | ("erase-before" | "erase-word" | "erase-after" | "redraw" | "interrupt" | "suspend" | "end-of-input");

/** Reads the bytes of a terminal in raw mode. What is neither text nor a known key is left out. */
export function keyReader(): (bytes: Uint8Array) => Key[] {
  const decoder = new TextDecoder();
  let rest = "";
  let isPasting = false;
  return (bytes) => {
    const chunk = decoder.decode(bytes, { stream: true });
    // The Escape key alone, unless a sequence was cut there.
    let input = rest === ESCAPE && !chunk.startsWith("[") ? chunk : rest + chunk;
    const keys: Key[] = [];
    while (input !== "") {
      const { key, length } = isPasting ? pasted(input) : next(input);
      if (length === 0) break;
      const token = input.slice(0, length);
      if (token === PASTE_START) isPasting = true;
      if (token === PASTE_END) isPasting = false;
      if (key !== undefined) keys.push(key);
      input = input.slice(length);
    }
    rest = input;
    return keys;
  };
}

/** A key, if the text begins with one, and the length of what it took. 0: the rest is still to come. */
interface Token {
  readonly key?: Key | undefined;
  readonly length: number;
}

const ESCAPE = "\u001b";
const PASTE_START = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;

/** Everything up to the end of the paste is text. */
function pasted(input: string): Token {
  const end = input.indexOf(PASTE_END);
  if (end === 0) return { length: PASTE_END.length };
  const length = end === -1 ? input.length - beginningOf(PASTE_END, input) : end;
  return { key: text(input.slice(0, length)), length };
}

/** How many characters at the end of the text may be the beginning of `mark`. */
function beginningOf(mark: string, input: string): number {
  for (let length = mark.length - 1; length > 0; length--) if (input.endsWith(mark.slice(0, length))) return length;
  return 0;
}

function next(input: string): Token {
  const [typed] = TEXT.exec(input) ?? [];
  if (typed !== undefined) return { key: text(typed), length: typed.length };
  if (!input.startsWith(ESCAPE)) return { key: named(CONTROLS[input[0] ?? ""]), length: 1 };
  const rest = input.slice(ESCAPE.length);
  const [sequence] = SEQUENCE.exec(rest) ?? [];
  if (sequence === undefined) return { length: BEGUN.test(rest) ? 0 : ESCAPE.length };
  const key = named(SEQUENCES[sequence.replace(SHIFT, "$1")]);
  return { key, length: ESCAPE.length + sequence.length };
}

/** A line break in the middle of a chunk was pasted, in a terminal that does not mark pastes. */
const TEXT = /^(?:[^\p{Cc}]|\t|[\r\n]+(?=[^\p{Cc}]))+/u;

/** After Escape: a control sequence, a key of the other keypad mode, or a key with Alt. */
const SEQUENCE = /^(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^[O])/u;
/** A control sequence whose end is still to come. */
const BEGUN = /^(\[[0-?]*[ -/]*)?$/u;
/** Makes no difference to an arrow. */
const SHIFT = /^(\[)1;2(?=[A-Z]$)/u;

function text(raw: string): Key {
  return { kind: "text", text: raw.replaceAll(/\r\n?/g, "\n").replaceAll(/[^\P{Cc}\n\t]/gu, "") };
}

function named(kind: KeyName | "newline" | undefined): Key | undefined {
  if (kind === "newline") return { kind: "text", text: "\n" };
  return kind === undefined ? undefined : { kind };
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "enter",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "end-of-input",
  "\u0005": "end",
  "\u0006": "right",
  "\u000b": "erase-after",
  "\u000c": "redraw",
  "\u0015": "erase-before",
  "\u0017": "erase-word",
  "\u001a": "suspend",
};

/** After Escape. */
const SEQUENCES: Readonly<Record<string, KeyName | "newline">> = {
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[7~": "home",
  "[4~": "end",
  "[8~": "end",
  "[3~": "delete",
  "[1;5C": "word-right",
  "[1;3C": "word-right",
  "[1;5D": "word-left",
  "[1;3D": "word-left",
  f: "word-right",
  b: "word-left",
  "\u007f": "erase-word",
  "\r": "newline",
};

/** The line that the user edits, which may contain line breaks. The cursor is between the two parts. */
export interface InputLine {
  readonly before: string;
  readonly after: string;
}

export const EMPTY_LINE: InputLine = { before: "", after: "" };

/** The line after a key. Keys that do not edit leave it as it is. */
export function edit(line: InputLine, key: Key): InputLine {
  const { before, after } = line;
  switch (key.kind) {
    case "text":
      return { before: before + key.text.slice(0, Math.max(0, LONGEST - before.length - after.length)), after };
    case "backspace":
      return { before: before.slice(0, before.length - lastGrapheme(before)), after };
    case "delete":
      return { before, after: after.slice(firstGrapheme(after)) };
    case "left":
      return split(before + after, before.length - lastGrapheme(before));
    case "right":
      return split(before + after, before.length + firstGrapheme(after));
    case "word-left":
      return split(before + after, before.length - lastWord(before));
    case "word-right":
      return split(before + after, before.length + (/^\s*\S*/u.exec(after)?.[0].length ?? 0));
    case "home":
      return split(before + after, 0);
    case "end":
      return split(before + after, before.length + after.length);
    case "erase-before":
      return { before: "", after };
    case "erase-after":
      return { before, after: "" };
    case "erase-word":
      return { before: before.slice(0, before.length - lastWord(before)), after };
    default:
      return line;
  }
}

/** What a user sees as characters: an emoji of several code points, or a letter with its accents, is one. */
export function graphemes(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

const SEGMENTER = new Intl.Segmenter();

const LONGEST = 1_000_000;

/** No character is longer; a whole paste would take long to segment. */
const NEAR = 200;

function lastGrapheme(text: string): number {
  return graphemes(text.slice(-NEAR)).at(-1)?.length ?? 0;
}

function firstGrapheme(text: string): number {
  return graphemes(text.slice(0, NEAR))[0]?.length ?? 0;
}

function lastWord(text: string): number {
  return /\S*\s*$/u.exec(text)?.[0].length ?? 0;
}

function split(text: string, at: number): InputLine {
  return { before: text.slice(0, at), after: text.slice(at) };
}

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
