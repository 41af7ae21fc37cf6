import { withoutLookAlikes } from "./look-alikes.ts";
import { withoutKnown, writtenForms } from "./redact.ts";
import { redactLine } from "./redact-line.ts";

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

export function createRedactor(secrets: Iterable<string>): Redactor {
  const forms = writtenForms(secrets);
  const known = (text: string) => withoutKnown(text, forms);
  const text = (dirty: string) => withoutLookAlikes(known(dirty));
  return { text, known, value: (value) => cleanValue(value, text), line: (line) => redactLine(line, forms) };
}

/** Cleans strings while the value is converted to JSON and back. */
function cleanValue<T>(value: T, clean: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === "string" ? clean(item) : item)));
}
