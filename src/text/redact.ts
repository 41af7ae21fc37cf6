/** Secrets: what counts as one, and keeping them out of what ccc prints and writes. */
import { parseJson } from "./json.ts";

/** Names of variables, headers and settings that hold secrets. */
export const SECRET_NAME =
  /token|key|secret|passw|passphrase|credential|authorization|cookie|headers|extra_body|_pat$/i;
export const MASK = "***";

/** Shorter values are words like "none", which may occur anywhere. */
export const SHORTEST_SECRET = 6;

/** A word of at least this length may be a key. */
export const SHORTEST_KEY = 16;

/** Keeps the secrets of one run out of what ccc writes. */
export interface Redactor {
  /** Masks the secrets of the run, and whatever looks like one. */
  readonly text: (text: string) => string;
  /** Masks only the secrets of the run: for text that a program or the agent uses again. */
  readonly known: (text: string) => string;
  /** Applies `text` to every string in a JSON value, but not to field names. */
  readonly value: <T>(value: T) => T;
  /** Masks the secrets of the run in a line of JSON, and keeps every other byte. */
  readonly line: (line: Uint8Array) => Uint8Array;
}

/** `others` finds secrets that are ASCII, and that ccc does not have itself. */
export function createRedactor(secrets: Iterable<string>, others: Finder = () => []): Redactor {
  const forms = writtenForms(secrets);
  const known = (text: string) => hideRanges(text, [...findAll(text, forms), ...others(text)]);
  const text = (dirty: string) => withoutLookAlikes(known(dirty));
  return { text, known, value: (value) => cleanValue(value, text), line: (line) => redactLine(line, forms, others) };
}

export type Range = readonly [start: number, end: number];

/** The ranges of all secrets in a text, which may overlap. */
export type Finder = (text: string) => readonly Range[];

/** Hides user, password and query of URLs. In a configured URL, any parameter may be a key. */
export function withoutUrlSecrets(text: string): string {
  return eachUrl(text, () => MASK);
}

/** The secrets in an env block: values whose names say so, and passwords in the URLs of others. */
export function secretsIn(block: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(block).flatMap(([name, value]) => {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string") return [];
    return isSecret(name, text) ? partsOf(text) : inUrl(text);
  });
}

/** Whether the name says that the value is a secret. A number of tokens (CLAUDE_CODE_MAX_OUTPUT_TOKENS) is not. */
export function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && !(/tokens$/i.test(name) && /^\d{1,8}$/.test(value));
}

/** A secret for display: its last characters tell keys apart; of a short one, nothing is shown. */
export function maskSecret(secret: string): string {
  if (secret === "") return "";
  // In a value with several parts, such as headers or JSON, the last characters may be a whole short key.
  const isSingle = !/[\s"]/.test(secret);
  return isSingle && secret.length >= SHORTEST_WITH_END_SHOWN ? `${MASK}${secret.slice(-4)}` : MASK;
}

const SHORTEST_WITH_END_SHOWN = 12;

/** Cleans strings while the value is converted to JSON and back. */
function cleanValue<T>(value: T, clean: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === "string" ? clean(item) : item)));
}

/** All spellings of the secrets: plain, escaped for JSON, encoded for a URL. */
function writtenForms(secrets: Iterable<string>): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])
      forms.add(form);
  }
  return [...forms];
}

/** The ranges of all occurrences, which may overlap. */
function findAll(text: string, forms: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) found.push([at, at + form.length]);
  }
  return found;
}

/** Where two overlap, both are masked as one. */
function hideRanges(text: string, ranges: readonly Range[]): string {
  let hidden = "";
  let end = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from >= end) hidden += `${text.slice(end, from)}${MASK}`;
    end = Math.max(end, to);
  }
  return hidden + text.slice(end);
}

/**
 * Masks these strings in a line of JSON, however they are escaped. Changes only the content of JSON strings, so the line
 * stays valid, and keeps every other byte.
 */
function redactLine(line: Uint8Array, forms: readonly string[], others: Finder): Uint8Array {
  // latin1 maps each byte to one character: invalid UTF-8 survives, and JSON's own syntax is ASCII.
  const raw = bytesOf(line);
  const wanted = forms.map((form) => bytesOf(form));
  const find: Finder = (text) => [...findAll(text, wanted), ...others(text)];
  const found: Range[] = [];
  for (const [start, end] of stringsIn(raw)) {
    const body = raw.slice(start, end);
    const ranges = body.includes("\\") ? findEscaped(body, find) : find(body);
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

/** Finds secrets in an escaped text. A quick check rules out most texts. */
function findEscaped(body: string, find: Finder): Range[] {
  const meaning = parseJson(`"${Buffer.from(body, "latin1").toString("utf8")}"`);
  if (typeof meaning === "string" && find(bytesOf(meaning)).length === 0) return [];
  // Every other piece is an escape.
  const pieces = body.split(ESCAPE);
  const escapes = new Set(pieces.filter((_, index) => index % 2 === 1));
  const meanings = new Map([...escapes].map((written) => [written, bytesOf(meaningOf(written))]));
  const text = pieces.map((piece, index) => (index % 2 === 0 ? piece : (meanings.get(piece) ?? piece)));
  const [inBody, inText] = [startsOf(pieces), startsOf(text)];
  /** Maps a position in the unescaped text to the body. Inside an escape, that is the escape's start or end. */
  const inWhole = (at: number, isEnd: boolean): number => {
    const index = lastUpTo(inText, isEnd ? at - 1 : at);
    const [start = 0, next = body.length] = inBody.slice(index, index + 2);
    if (index % 2 === 1) return isEnd ? next : start;
    return start + at - (inText[index] ?? 0);
  };
  return find(text.join("")).map(([from, to]) => [inWhole(from, false), inWhole(to, true)]);
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

/**
 * Hides what looks like a secret, even an unknown one: user and password in URLs, parameters that may be keys,
 * authentication headers. Runs in linear time, whatever the text.
 */
function withoutLookAlikes(text: string): string {
  return eachUrl(text, withoutKeys)
    .replace(HEADER, (whole, name: string, between: string, scheme = "", value = "") =>
      isAlwaysSecret(name) || !isWord(value) ? `${name}${between}${scheme}${MASK}` : whole,
    )
    .replace(SCHEME, (whole, scheme: string, value: string) => (isWord(value) ? whole : `${scheme}${MASK}`));
}

const HEADER =
  /\b((?:proxy-)?authorization|(?:[a-z]+-)?api[-_]?key|x-[a-z]+-token|private-token)(["']?[ \t]*[:=][ \t]*["']?)((?:bearer|basic|token) +)?([^\s"',]+)/gi;
const SCHEME = /\b((?:bearer|basic) +)([^\s"',]+)/gi;

function isAlwaysSecret(header: string): boolean {
  return /authorization$/i.test(header);
}

/** Text such as "Basic usage", "a bearer token" or "apiKey: string": keys are never plain words. */
function isWord(text: string): boolean {
  return text.length < LONGEST_WORD && /^[^a-z0-9]*[a-z]+[^a-z0-9]*$/i.test(text) && !/[a-z][A-Z]/.test(text);
}

const LONGEST_WORD = 24;

/** A URL ends at a space, a quotation mark or an angle bracket. */
function eachUrl(text: string, cleanQuery: (query: string) => string): string {
  if (!text.includes("://")) return text;
  return text.replace(/[^\s"'`<>\\]+/g, (run) => (run.includes("://") ? cleanUrl(run, cleanQuery) : run));
}

/** A URL may contain another one, so every "://" counts. */
function cleanUrl(run: string, cleanQuery: (query: string) => string): string {
  const [before = "", ...rest] = run.split("://");
  const after = rest.map(withoutUser).join("://");
  const at = after.indexOf("?") + 1;
  if (at === 0 || at === after.length) return `${before}://${after}`;
  return `${before}://${after.slice(0, at)}${cleanQuery(after.slice(at))}`;
}

/** A password may contain an "@". */
function withoutUser(address: string): string {
  const end = address.indexOf("/");
  const at = address.lastIndexOf("@", end === -1 ? address.length : end);
  return at === -1 ? address : `${MASK}${address.slice(at)}`;
}

/** Hides parameters whose names look secret or whose values are long enough to be keys; not `page=2`. */
function withoutKeys(query: string): string {
  return query
    .split(/([?&;#])/)
    .map((part) => {
      const name = part.slice(0, part.indexOf("=") + 1);
      const isHarmless = !SECRET_NAME.test(name) && part.length - name.length <= LONGEST_HARMLESS;
      return isHarmless ? part : `${name}${MASK}`;
    })
    .join("");
}

const LONGEST_HARMLESS = 12;

/** A value with several headers has several secrets; a value in JSON has those of its fields. */
function partsOf(value: string): string[] {
  const json = value.startsWith("{") ? parseJson(value) : undefined;
  if (json !== undefined) return [value, ...inJson("", json)];
  return [...value.split("\n").flatMap(inHeader), ...inUrl(value)];
}

function inHeader(line: string): string[] {
  const value = line.replace(/^[^:]*:\s*/, "");
  const bare = value.replace(/^(bearer|basic|token) +/i, "");
  return bare === value ? [line, value] : [line, value, bare];
}

/** A field is secret if its name says so, or if it is as long as a key and has no spaces. */
function inJson(name: string, value: unknown): string[] {
  if (typeof value === "string")
    return isSecret(name, value) || (value.length >= LIKE_A_KEY && !/\s/.test(value)) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => inJson(Array.isArray(value) ? name : key, item));
}

const LIKE_A_KEY = 20;

/** The password in a URL, or the user if there is no password, and parameters with secret names. */
function inUrl(text: string): string[] {
  const url = text.includes("://") ? URL.parse(text) : null;
  if (url === null) return [];
  const login = url.password || url.username;
  const parameters = [...url.searchParams].filter(([name, value]) => isSecret(name, value)).map(([, value]) => value);
  return [...(login === "" ? [] : [login, decoded(login)]), ...parameters];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
