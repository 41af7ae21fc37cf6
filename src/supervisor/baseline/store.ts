import { join } from "node:path";
import type { Files } from "../../os/files.ts";
import { type Repository, smallText } from "./find-repository.ts";

/**
 * Makes a git folder of ccc's own for the files of a repository. Git then reads neither the configuration nor the hooks
 * of the repository, which the agent may have written, and writes nothing there.
 */
export function makeStore(files: Files, store: string, { common, format }: Repository): void {
  for (const name of ["", "objects", "refs", "info", PARTS]) files.makeFolder(join(store, name));
  files.writePrivate(join(store, "HEAD"), "ref: refs/heads/none\n");
  files.writePrivate(join(store, "config"), ownConfig(smallText(files, join(common, "config")) ?? "", format));
  files.writePrivate(join(store, "info/attributes"), ATTRIBUTES);
  // As it is now: the agent could hide files with it later.
  files.writePrivate(join(store, "info/exclude"), smallText(files, join(common, "info/exclude")) ?? "");
}

export function isStore(files: Files, store: string): boolean {
  return files.identify(join(store, "objects"))?.isFolder === true;
}

/** Files are stored byte for byte: no filters, and no conversion of line ends. This file overrides all others. */
const ATTRIBUTES = "* -text !eol !crlf !filter !ident !working-tree-encoding !diff\n";

/** Overrides the user's own configuration. Of the repository's, only facts about the disk are taken over. */
export function ownConfig(repositoryConfig: string, format: Repository["format"]): string {
  const facts = repositoryConfig.matchAll(
    /^\s*(filemode|symlinks|ignorecase|precomposeunicode)\s*=\s*(true|false)\s*$/gim,
  );
  return [
    "[core]",
    `repositoryformatversion = ${format === "sha1" ? 0 : 1}`,
    "bare = false",
    "sharedrepository = 0600",
    "fsmonitor = false",
    "hookspath = /dev/null",
    "untrackedcache = false",
    "splitindex = false",
    "sparsecheckout = false",
    "autocrlf = false",
    // Without these, a file with its old size and time would pass for unchanged.
    "trustctime = true",
    "checkstat = default",
    ...[...facts].map(([, key = "", value = ""]) => `${key} = ${value}`),
    ...(format === "sha1" ? [] : ["[extensions]", `objectformat = ${format}`]),
    "",
  ].join("\n");
}

/** A folder for one piece of work, with a copy of an index. */
export interface Part {
  readonly folder: string;
  readonly index: string;
  /** For objects that are not kept. */
  readonly objects: string;
}

const PARTS = "parts";
/** A part that was left behind by a process that was killed. */
const ABANDONED_MS = 3_600_000;

/** `known` is the name of an index in the store; without one, the repository's own is copied. */
export function makePart(files: Files, store: string, repository: Repository, known: string | undefined): Part {
  files.removeOldFolders(join(store, PARTS), ABANDONED_MS);
  const folder = join(store, PARTS, crypto.randomUUID());
  const part = { folder, index: join(folder, "index"), objects: join(folder, "objects") };
  files.makeFolder(folder);
  files.makeFolder(part.objects);
  if (known !== undefined) files.copy(join(store, known), part.index);
  else copyIndex(files, repository, store, part.index);
  return part;
}

/** With its index, git need not read files that have not changed since. */
function copyIndex(files: Files, { gitDir }: Repository, store: string, index: string): void {
  files.copy(join(gitDir, "index"), index);
  // Git can split an index into two files.
  const shared = files.list(gitDir).filter((name) => name.startsWith("sharedindex."));
  for (const name of shared) files.copy(join(gitDir, name), join(store, name));
}

/** Keeps the index of a part for the next one. */
export function keepIndex(files: Files, { index }: Part, store: string, name: string): void {
  if (files.entry(index) === undefined) files.remove(join(store, name));
  else files.move(index, join(store, name));
}
