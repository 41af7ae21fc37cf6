import type { ChangedFile } from "../baseline/changes.ts";

/** A change that can make work look done, and that someone has to look at. It may well be what the user asked for. */
export interface Suspicion {
  readonly kind: SuspicionKind;
  readonly path: string;
  /** One line, the same for the same change. */
  readonly text: string;
  /** Identifies the file's content now, for a text that does not show what changed. */
  readonly content?: string | undefined;
}

export type SuspicionKind =
  | "deleted test"
  | "skipped tests"
  | "focused tests"
  | "lost assertions"
  /** Of tests, lint, coverage or CI. */
  | "configuration"
  /** Something that the command of a check uses. */
  | "check"
  /** It could not be read, or there was too much. */
  | "not compared";

/** A changed file. A text is undefined if it could not be read, and empty if there was or is no file. */
export interface TextChange extends ChangedFile {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Identifies the content now; undefined if there is none. */
  readonly content?: string | undefined;
}
