import { withoutLookAlikes } from "./look-alikes.ts";
import { withoutKnown, writtenForms } from "./redact.ts";
import { redactLine } from "./redact-line.ts";

/** Keeps the secrets of one run out of what ccc writes. */
export interface Redactor {
  /** A text without any secret of the run, and without what looks like one. */
  readonly text: (text: string) => string;
  /** A text without any secret of the run, otherwise as it is: for what a program or the agent goes on with. */
  readonly known: (text: string) => string;
  /** A JSON value with each string in it as `text` leaves it. Names of fields stay. */
  readonly value: <T>(value: T) => T;
  /** A line of JSON without any secret of the run, otherwise as it is, byte for byte. */
  readonly line: (line: Uint8Array) => Uint8Array;
}

export function createRedactor(secrets: Iterable<string>): Redactor {
  const forms = writtenForms(secrets);
  const known = (text: string) => withoutKnown(text, forms);
  const text = (dirty: string) => withoutLookAlikes(known(dirty));
  return { text, known, value: (value) => cleanValue(value, text), line: (line) => redactLine(line, forms) };
}

/** The value as it would come back from JSON: it is cleaned on the way there. */
function cleanValue<T>(value: T, clean: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === "string" ? clean(item) : item)));
}
