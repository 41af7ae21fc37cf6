/** The value of a JSON text, undefined where it is none. The engine's own message would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(withoutBom(text));
  } catch {
    return undefined;
  }
}

/** Some editors put a mark before the first character. */
export function withoutBom(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** A value as the text of a file, or for a person or a program to read. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as an object to look into; anything else is as good as an empty one. */
export function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** What stands at the end of a path of keys, undefined where it leads nowhere. */
export function valueAt(json: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), json);
}
