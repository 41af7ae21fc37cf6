import type { FileEntry } from "../../os/files.ts";
import type { NO_CHANGES } from "../record/session.ts";

/** The files that changed since the user's prompt, or why those are unknown. */
export type Changes = ChangeList | UnknownChanges;

interface UnknownChanges {
  readonly why: NoChanges;
  /** Reports that, if the files were known at the prompt: the agent may have caused it. */
  readonly suspicious?: readonly Suspicion[];
}

export interface ChangeList {
  /** When the baseline was recorded, as ISO time. */
  readonly since: string;
  /** The top folder of the repository. Paths are relative to it. */
  readonly top: string;
  /** Another worktree of the repository that the agent works in. The paths of its files are absolute. */
  readonly worktree: string | undefined;
  readonly files: readonly ChangedFile[];
  /** How many more files changed than are listed. */
  readonly more: number;
  /** Identifies the files as they are now: equal for equal files. */
  readonly tree: string;
  /** Changes that can make work look done: deleted tests and the like. The same change has the same text at the next stop. */
  readonly suspicious: readonly Suspicion[];
  /** What else changed since the beginning of work that no review has seen: by the agent, or by the user in between. */
  readonly unseen?: { readonly files: readonly ChangedFile[]; readonly suspicious: readonly Suspicion[] };
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted" | "renamed";
  /** The former path of a renamed file. */
  readonly from: string | undefined;
  /** Lines; undefined for a binary file, a large file, or a repository inside this one. */
  readonly added: number | undefined;
  readonly deleted: number | undefined;
}

/** For a bounded list: many new files must not push the others off it. */
export function newLast(files: readonly ChangedFile[]): ChangedFile[] {
  const isNew = ({ kind }: ChangedFile) => kind === "added";
  return [...files.filter((file) => !isNew(file)), ...files.filter(isNew)];
}

/** A change as git reports it. */
export interface DiffEntry extends ChangedFile {
  /** The ids of the content before and now. Undefined where there is no file, or no content of one. */
  readonly ids: { readonly before: string | undefined; readonly after: string | undefined };
}

export type NoChanges = (typeof NO_CHANGES)[number];

/** Makes git list the changes twice: with their kinds, then with their numbers of lines. */
export const DIFF_FORMAT = ["-r", "-z", "--raw", "--numstat", "--no-ext-diff", "--no-textconv", "-M", "-l400"];

/** The same without numbers of lines and renames, for which git needs the content of the files. */
export const NAMES_FORMAT = ["-r", "-z", "--raw", "--no-renames"];

/** Parses the output of `git diff-tree` in these formats. */
export function parseChanges(output: string): DiffEntry[] {
  const tokens = output.split("\0");
  const files: Omit<DiffEntry, "added" | "deleted">[] = [];
  const withoutLines = new Set<string>();
  const lines = new Map<string, { readonly added: number | undefined; readonly deleted: number | undefined }>();
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at++] ?? "";
    const raw = /^:(\d+) (\d+) (\w+) (\w+) ([A-Z])\d*$/.exec(token);
    const counts = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(token);
    if (raw !== null) {
      const [, before, after, oldId, newId, status = ""] = raw;
      const from = isMove(status) ? tokens[at++] : undefined;
      const path = tokens[at++] ?? "";
      const ids = { before: contentId(before, oldId), after: contentId(after, newId) };
      files.push({ path, kind: KINDS[status] ?? "modified", from: status === "R" ? from : undefined, ids });
      if (before === STAND_IN_MODE || after === STAND_IN_MODE) withoutLines.add(path);
    } else if (counts !== null) {
      const [, added, deleted, path = ""] = counts;
      // A renamed file has both paths after the counts.
      if (path === "") at += 2;
      lines.set(path || (tokens[at - 1] ?? ""), { added: count(added), deleted: count(deleted) });
    }
  }
  return files.map((file) => {
    const known = withoutLines.has(file.path) ? undefined : lines.get(file.path);
    return { ...file, added: known?.added, deleted: known?.deleted };
  });
}

/** The mode of a repository inside the repository, and of the stand-ins for files that are not stored. */
export const STAND_IN_MODE = "160000";

/** Stands for a file that is not stored, and changes whenever the file does. */
export function standInText({ kind, size, modified }: Pick<FileEntry, "kind" | "size" | "modified">): string {
  return `${kind} ${size} ${modified}`;
}

const KINDS: Readonly<Record<string, ChangedFile["kind"]>> = { A: "added", C: "added", D: "deleted", R: "renamed" };

function isMove(status: string): boolean {
  return status === "R" || status === "C";
}

function contentId(mode: string | undefined, id: string | undefined): string | undefined {
  return mode === NO_FILE_MODE || mode === STAND_IN_MODE ? undefined : id;
}

const NO_FILE_MODE = "000000";

function count(text = "-"): number | undefined {
  return text === "-" ? undefined : Number(text);
}

/** A change that can make work look done, and that someone has to look at. It may well be what the user asked for. */
export interface Suspicion {
  readonly kind: SuspicionKind;
  readonly path: string;
  /** One line, the same for the same change. */
  readonly text: string;
  /** Identifies the file's content now, for tests and for a text that does not show what changed. */
  readonly content?: string | undefined;
}

export type SuspicionKind =
  | "deleted test"
  | "skipped tests"
  | "focused tests"
  | "lost tests"
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

/** The text of a file: UTF-8, or UTF-16 as some compilers and shells read it too, with or without a byte order mark. */
export function decodeText(content: Buffer): string {
  const order = utf16Order(content);
  if (order === undefined) return content.toString("utf8");
  const even = content.subarray(0, content.length - (content.length % 2));
  return (order === "big" ? Buffer.from(even).swap16() : even).toString("utf16le").replace(/^\uFEFF/, "");
}

function utf16Order(content: Buffer): "little" | "big" | undefined {
  const mark = content.subarray(0, 2).toString("hex");
  if (mark === "fffe") return "little";
  if (mark === "feff") return "big";
  const start = content.subarray(0, LONGEST_SAMPLE);
  const zeros = [0, 1].map((rest) => start.filter((byte, at) => byte === 0 && at % 2 === rest).length);
  const [even = 0, odd = 0] = zeros;
  // Half of the bytes of source code in UTF-16 are zero, and none of them in UTF-8.
  if (Math.max(even, odd) < start.length / 4) return undefined;
  return odd > even ? "little" : "big";
}

const LONGEST_SAMPLE = 4_096;
