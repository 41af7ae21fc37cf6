import { shownName } from "../../text/file-names.ts";
import { type ChangedFile, type Changes, newLast } from "../baseline/changes.ts";
import type { Noticed } from "../ledger/ledger.ts";
import { inline } from "./inline.ts";

/** What changed since the user's last prompt, for the reviewer. */
export function describeChanges(changes: Changes): string {
  if ("why" in changes) return `(not known: ${changes.why})`;
  const { files, more, top, worktree } = changes;
  if (files.length === 0) return `(no file, committed or not, compared with the files at that prompt)`;
  const lines = withinBytes(newLast(files).map(describeFile), LONGEST_LIST);
  const others = files.length - lines.length + more;
  const where =
    worktree === undefined ? "" : `; the agent works in another worktree: ${inline(worktree, LONGEST_PATH)}`;
  return [
    `Committed or not, in ${inline(top, LONGEST_PATH)}${where}:`,
    ...lines,
    ...(others > 0 ? [`[… ${others} more …]`] : []),
  ].join("\n");
}

/** What the reviewer is told about work before the user's last prompt that no review has seen. */
export function describeUnseen(changes: Changes): string[] {
  if (!("unseen" in changes) || changes.unseen === undefined) return [];
  const { files, suspicious } = changes.unseen;
  const shown = files.slice(0, MOST_UNSEEN).map((file) => describeFile(file).slice(2));
  const more = files.length > shown.length ? [`and ${files.length - shown.length} more`] : [];
  const listed = [...suspicious.map(({ text }) => text), ...shown, ...more].join("; ");
  return [`${UNSEEN}: ${listed}`];
}

const UNSEEN =
  "The work before the user's last prompt ended without a review: it was interrupted, or it could not be reviewed. Since it began this changed as well, by the agent or by the user";
const MOST_UNSEEN = 20;

/** Those that can make work look done. */
export function suspicionsIn({ suspicious = [] }: Changes): Noticed[] {
  return suspicious.map(({ text, content }) => ({ text, content }));
}

const LONGEST_LIST = 5_000;
const LONGEST_PATH = 300;

function withinBytes(lines: readonly string[], longest: number): string[] {
  let length = 0;
  const end = lines.findIndex((line) => {
    length += Buffer.byteLength(line) + 1;
    return length > longest;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}

function describeFile({ path, kind, from, added, deleted }: ChangedFile): string {
  const shown = (path: string) => inline(shownName(path), LONGEST_PATH);
  const name = from === undefined ? shown(path) : `${shown(from)} → ${shown(path)}`;
  const lines = added === undefined || deleted === undefined ? "" : ` (+${added} -${deleted})`;
  return `- ${kind}: ${name}${lines}`;
}
