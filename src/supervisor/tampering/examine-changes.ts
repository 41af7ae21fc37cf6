import { messageOf } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { shownName } from "../../text/file-names.ts";
import type { DiffEntry } from "../baseline/changes.ts";
import type { Examine, FoundChanges } from "../baseline/changes-since.ts";
import { scriptsIn } from "./script-files.ts";
import type { Suspicion, TextChange } from "./suspicion.ts";
import { needsText, suspicions } from "./suspicions.ts";

/** Files whose content is compared. */
const MOST_COMPARED = 200;
const LARGEST_SCRIPTS = 1_000_000;

/** Reads what is needed of the changed files, and lists what is suspicious. Never fails. */
export function examineChanges(files: Files, project: string, commands: readonly string[]): Examine {
  return async (found) => {
    try {
      const { changes, left } = await withTexts(found);
      const checks = { commands, folder: folderIn(files, project, found), top: found.top };
      const all = suspicions(changes, { ...checks, scriptsIn: (path) => scriptsNow(files, found.top, path) });
      const listed = [...all, ...leftOut(left)];
      return found.top !== found.mainTop ? listed.map((each) => inWorktree(found.top, each)) : listed;
    } catch (error) {
      const text = `ccc could not look for deleted or skipped tests: ${shownName(messageOf(error))}`;
      return [{ kind: "not compared", path: "", text }];
    }
  };
}

async function withTexts({ entries, read }: FoundChanges): Promise<{ changes: TextChange[]; left: number }> {
  // A new file has less to hide than one that was there before.
  const [added, others] = [true, false].map((isNew) => entries.filter(({ kind }) => (kind === "added") === isNew));
  const wanted = [...(others ?? []), ...(added ?? [])].filter(needsText);
  const compared = new Set(wanted.slice(0, MOST_COMPARED));
  const ids = [...compared].flatMap(({ ids: { before, after } }) => [before, after].filter((id) => id !== undefined));
  const texts = ids.length === 0 ? new Map<string, string>() : await read([...new Set(ids)]).catch(() => new Map());
  const textOf = (id: string | undefined, isThere: boolean) =>
    !isThere ? "" : id === undefined ? undefined : texts.get(id);
  const changes = entries.map((entry: DiffEntry): TextChange => {
    const { ids, ...file } = entry;
    if (needsText(entry) && !compared.has(entry)) return { ...file, before: "", after: "", content: ids.after };
    const [before, after] = [textOf(ids.before, file.kind !== "added"), textOf(ids.after, file.kind !== "deleted")];
    return { ...file, before, after, content: ids.after };
  });
  return { changes, left: wanted.length - compared.size };
}

function leftOut(left: number): Suspicion[] {
  const files = left === 1 ? "1 more file" : `${left} more files`;
  const text = `${files} with tests or settings changed and ${left === 1 ? "was" : "were"} not compared`;
  return left === 0 ? [] : [{ kind: "not compared", path: "", text }];
}

/** Where the checks run. In another worktree it is the folder of the same name. */
function folderIn(files: Files, project: string, { mainTop }: FoundChanges): string {
  const real = files.realPath(project);
  return real.startsWith(`${mainTop}/`) ? real.slice(mainTop.length + 1) : "";
}

/** Of a file that has not changed. */
function scriptsNow(files: Files, top: string, path: string) {
  try {
    const text = files.guarded(top).read(join(top, path), LARGEST_SCRIPTS);
    return text === undefined ? undefined : scriptsIn(path, text);
  } catch {
    return undefined;
  }
}

/** Paths in another worktree are absolute. */
function inWorktree(top: string, found: Suspicion): Suspicion {
  const { path, text } = found;
  return path === "" ? found : { ...found, path: join(top, path), text: `${shownName(top)}/${text}` };
}
