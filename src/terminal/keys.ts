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
