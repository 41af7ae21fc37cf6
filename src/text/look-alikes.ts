import { MASK, SECRET_NAME } from "./secret.ts";

/**
 * Hides what looks like a secret, even an unknown one: user and password in URLs, parameters that may be keys,
 * authentication headers. Runs in linear time, whatever the text.
 */
export function withoutLookAlikes(text: string): string {
  return eachUrl(text, withoutKeys)
    .replace(HEADER, (whole, name: string, between: string, scheme = "", value = "") =>
      isAlwaysSecret(name) || !isWord(value) ? `${name}${between}${scheme}${MASK}` : whole,
    )
    .replace(SCHEME, (whole, scheme: string, value: string) => (isWord(value) ? whole : `${scheme}${MASK}`));
}

/** Hides user, password and query of URLs. In a configured URL, any parameter may be a key. */
export function withoutUrlSecrets(text: string): string {
  return eachUrl(text, () => MASK);
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
