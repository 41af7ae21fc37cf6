/** The file system as ccc uses it. */
export interface Files {
  /** The text of a file, undefined where there is none. */
  read(path: string): string | undefined;
  /** The names in a folder, none where there is no such folder. */
  list(folder: string): string[];
  /** What a path leads to, through symbolic links. */
  identify(path: string): FileIdentity | undefined;
  /** The size of a program that can be run, undefined where there is none. */
  programSize(path: string): number | undefined;
  /** When a file or folder was last changed, in milliseconds; undefined where there is none. */
  modified(path: string): number | undefined;
  /** The path itself, without symbolic links in it. */
  realPath(path: string): string;
  canWrite(path: string): boolean;
  /** Makes `path` hold `text`, readable by its owner alone. Touches nothing that already is so. */
  writePrivate(path: string, text: string): void;
  /** Makes a file look as if it had been written now. */
  touch(path: string): void;
  /** Removes a file, if it is there. */
  remove(path: string): void;
  /** Puts a file in the place of another, in one step. */
  move(from: string, to: string): void;
  /** Removes the files in a folder that `isOld` picks by name and were not touched for so long. */
  removeOld(folder: string, isOld: (name: string) => boolean, untouchedMs: number): void;
  /** Makes a folder for its owner alone, if there is none. Whether it did. */
  makeFolder(path: string): boolean;
  /** Removes the folders in a folder, with all that is in them, that were not touched for so long. */
  removeOldFolders(folder: string, untouchedMs: number): void;
  /** The files below a folder that somebody else may have prepared. */
  guarded(root: string): GuardedFiles;
  /** Makes a file for the user to keep and change. */
  create(path: string, text: string): void;
  /** Changes or makes a file under a lock. `edit` returns the new text, or undefined to leave things as they are. */
  edit(path: string, edit: (text: string | undefined) => string | undefined): void;
  /** Holds the lock of a file while it is looked at and changed. A link stays a link. */
  hold<T>(path: string, action: (held: HeldFile) => T): T;
  /** Adds to a file, which from a size on is set aside first, as `path.1`. */
  append(path: string, text: string, setAsideAt: number): void;
}

/** Files in a folder that is not trusted: links are refused, special files too, and modes are left alone. */
export interface GuardedFiles {
  /** The beginning of a file, undefined where there is none. */
  read(path: string, longest: number): string | undefined;
  /** Makes a folder for its owner alone, if there is none. Whether it did. */
  makeFolder(path: string): boolean;
  /** Puts a file with this text there, readable by its owner alone. */
  replace(path: string, text: string): void;
  /** Changes or makes a file under a lock, as `Files.edit` does. */
  edit(path: string, edit: (text: string | undefined) => string | undefined): void;
  /** Adds to a file, which from a size on is set aside first, as `path.1`. */
  append(path: string, text: string, setAsideAt: number): void;
  /** Opens a file for adding to it. */
  openAppend(path: string): Appender;
}

export interface HeldFile {
  /** Where it is, behind links. */
  readonly path: string;
  /** As it was found, undefined where there is none. */
  readonly found: { readonly text: string; readonly mode: number } | undefined;
  readonly write: (text: string, mode: number) => void;
  readonly remove: () => void;
}

export interface Appender {
  readonly write: (bytes: Uint8Array) => void;
  readonly close: () => void;
}

export interface FileIdentity {
  /** Equal for two paths that lead to the same file. */
  readonly id: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly isExecutable: boolean;
  /** Who may do what with it, as a number. */
  readonly mode: number;
  readonly size: number;
}
