/** Parses JSON; undefined if the text is invalid. Does not throw, because the engine's message would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty object. */
export function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value at a path of keys, undefined if there is none. */
export function valueAt(json: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), json);
}

/** Some editors put it at the start of a file. */
export const BYTE_ORDER_MARK = "\uFEFF";
