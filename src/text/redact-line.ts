import { parseJson } from "./json.ts";
import { findAll, hideRanges, type Range } from "./redact.ts";

/**
 * Masks these strings in a line of JSON, however they are escaped. Changes only the content of JSON strings, so the line
 * stays valid, and keeps every other byte.
 */
export function redactLine(line: Uint8Array, forms: readonly string[]): Uint8Array {
  // latin1 maps each byte to one character: invalid UTF-8 survives, and JSON's own syntax is ASCII.
  const raw = bytesOf(line);
  const wanted = forms.map((form) => bytesOf(form));
  const found: Range[] = [];
  for (const [start, end] of stringsIn(raw)) {
    const body = raw.slice(start, end);
    const ranges = body.includes("\\") ? findEscaped(body, forms, wanted) : findAll(body, wanted);
    for (const [from, to] of ranges) found.push([start + from, start + to]);
  }
  return found.length === 0 ? line : Buffer.from(hideRanges(raw, found), "latin1");
}

function bytesOf(text: string | Uint8Array): string {
  return Buffer.from(text).toString("latin1");
}

/** The range between the quotation marks of each string. */
function* stringsIn(json: string): Generator<Range> {
  for (let open = json.indexOf('"'); open !== -1; ) {
    let close = json.indexOf('"', open + 1);
    while (close !== -1 && isEscaped(json, close)) close = json.indexOf('"', close + 1);
    const end = close === -1 ? json.length : close;
    yield [open + 1, end];
    open = json.indexOf('"', end + 1);
  }
}

function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json[before - 1] === "\\") before--;
  return (at - before) % 2 === 1;
}

/** Finds these strings in an escaped text. A quick check rules out most texts. */
function findEscaped(body: string, forms: readonly string[], wanted: readonly string[]): Range[] {
  const meaning = parseJson(`"${Buffer.from(body, "latin1").toString("utf8")}"`);
  if (typeof meaning === "string" && !forms.some((form) => meaning.includes(form))) return [];
  // Every other piece is an escape.
  const pieces = body.split(ESCAPE);
  const escapes = new Set(pieces.filter((_, index) => index % 2 === 1));
  const meanings = new Map([...escapes].map((written) => [written, bytesOf(meaningOf(written))]));
  const text = pieces.map((piece, index) => (index % 2 === 0 ? piece : (meanings.get(piece) ?? piece)));
  const [inBody, inText] = [startsOf(pieces), startsOf(text)];
  /** Maps a position in the unescaped text to the body. Inside an escape, that is the escape's start or end. */
  const place = (at: number, isEnd: boolean): number => {
    const index = lastUpTo(inText, isEnd ? at - 1 : at);
    const [start = 0, next = body.length] = inBody.slice(index, index + 2);
    if (index % 2 === 1) return isEnd ? next : start;
    return start + at - (inText[index] ?? 0);
  };
  return findAll(text.join(""), wanted).map(([from, to]) => [place(from, false), place(to, true)]);
}

/** A surrogate pair counts as one escape. */
const ESCAPE = /(\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.)/;

function meaningOf(written: string): string {
  const value = parseJson(`"${written}"`);
  return typeof value === "string" ? value : written;
}

function startsOf(pieces: readonly string[]): number[] {
  let at = 0;
  return pieces.map((piece) => {
    at += piece.length;
    return at - piece.length;
  });
}

/** The index of the last number up to a limit, in ascending numbers. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle;
  }
  return low;
}
