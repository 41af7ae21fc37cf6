import { shownName } from "../../text/file-names.ts";
import { type ChangedFile, type ChangeList, type Changes, newLast } from "../baseline/changes.ts";
import type { Noticed } from "../ledger/ledger.ts";
import { inline } from "./inline.ts";

/** What changed since the user's last prompt and, if no review has seen the work before it, since that began. */
export function describeChanges(changes: Changes): string {
  if ("why" in changes) return `(not known: ${changes.why})`;
  return [describeList(changes), ...describeUnseen(changes)].join("\n\n");
}

function describeList({ files, more, top, worktree }: ChangeList): string {
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

function describeUnseen({ unseen }: ChangeList): string[] {
  if (unseen === undefined) return [];
  const { files, suspicious } = unseen;
  const lines = withinBytes(
    [...suspicious.map(({ text }) => `- ${inline(text, LONGEST_PATH)}`), ...files.map(describeFile)],
    LONGEST_UNSEEN,
  );
  const others = files.length + suspicious.length - lines.length;
  return [[UNSEEN, ...lines, ...(others > 0 ? [`[… ${others} more …]`] : [])].join("\n")];
}

const UNSEEN =
  "The work before that prompt ended without a review: it was interrupted, or it could not be reviewed. Since it began this\nchanged as well, by the agent or by the user:";
const LONGEST_UNSEEN = 2_000;

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
