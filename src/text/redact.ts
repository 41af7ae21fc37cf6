import { parseJson } from "./json.ts";
import { withoutLookAlikes } from "./look-alikes.ts";
import { isSecret, MASK, SHORTEST_SECRET } from "./secret.ts";

/** Masks known secrets in a text, and whatever looks like one. */
export function redact(text: string, secrets: Iterable<string>): string {
  return withoutLookAlikes(withoutKnown(text, writtenForms(secrets)));
}

/** All spellings of the secrets: plain, escaped for JSON, encoded for a URL. */
export function writtenForms(secrets: Iterable<string>): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])
      forms.add(form);
  }
  return [...forms];
}

/** Masks these strings in a text. Where two overlap, both are masked as one. */
export function withoutKnown(text: string, forms: readonly string[]): string {
  return hideRanges(text, findAll(text, forms));
}

export type Range = readonly [start: number, end: number];

/** The ranges of all occurrences, which may overlap. */
export function findAll(text: string, forms: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) found.push([at, at + form.length]);
  }
  return found;
}

export function hideRanges(text: string, ranges: readonly Range[]): string {
  let hidden = "";
  let end = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from >= end) hidden += `${text.slice(end, from)}${MASK}`;
    end = Math.max(end, to);
  }
  return hidden + text.slice(end);
}

/** The secrets in an env block: values whose names say so, and passwords in the URLs of others. */
export function secretsIn(block: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(block).flatMap(([name, value]) => {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string") return [];
    return isSecret(name, text) ? partsOf(text) : inUrl(text);
  });
}

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
