/** The file system as ccc uses it. */
export interface Files {
  /** The text of a file, undefined if it does not exist. */
  read(path: string): string | undefined;
  /** The last `longest` bytes of a file as text; empty if it cannot be read. */
  readEnd(path: string, longest: number): string;
  /** The names in a folder, sorted; none if it does not exist. */
  list(folder: string): string[];
  /** What a path points to; follows symbolic links. */
  identify(path: string): FileIdentity | undefined;
  /** What is at a path, which may itself be a symbolic link. Its name may be one that is not UTF-8, from `nameFromBytes`. */
  entry(path: string): FileEntry | undefined;
  /** The size of an executable file, undefined if there is none. */
  programSize(path: string): number | undefined;
  /** When a file or folder was last modified, in milliseconds; undefined if it does not exist. */
  modified(path: string): number | undefined;
  exists(path: string): boolean;
  /** Whether a file exists that was modified within this time. */
  modifiedWithin(path: string, ms: number): boolean;
  /** The path with all symbolic links resolved. */
  realPath(path: string): string;
  canWrite(path: string): boolean;
  /** Writes a file with mode 0600. Does nothing if the file already has this text and mode. */
  writePrivate(path: string, text: string): void;
  /** Throws what `writePrivate` would throw if it had to write, as far as that can be known without writing. */
  refuseWrite(path: string): void;
  /** Makes a file or folder accessible to its owner only. */
  makePrivate(path: string): void;
  /** Removes a lock whose owner is gone. */
  removeStaleLock(path: string): void;
  /** Sets the modification time to now. */
  touch(path: string): void;
  /** Removes a file, if it exists. */
  remove(path: string): void;
  /** Moves a file, atomically replacing any file at `to`. */
  move(from: string, to: string): void;
  /** Removes the files in a folder whose names `isOld` accepts and that were not modified for `untouchedMs`. */
  removeOld(folder: string, isOld: (name: string) => boolean, untouchedMs: number): void;
  /** Makes a folder with mode 0700 unless it exists. Returns whether it did. */
  makeFolder(path: string): boolean;
  /** Removes the subfolders, with their content, that were not modified for `untouchedMs`. */
  removeOldFolders(folder: string, untouchedMs: number): void;
  /** Removes a folder with its content, if it exists. */
  removeFolder(path: string): void;
  /**
   * Copies a file, with mode 0600 and its modification time, rounded down to a second. Returns false if there is no
   * regular file.
   */
  copy(from: string, to: string): boolean;
  /** Access to the files below an untrusted folder. */
  guarded(root: string): GuardedFiles;
  /** Makes a file with mode 0644, for the user to edit. */
  create(path: string, text: string): void;
  /** Gives a program another name: a symbolic link, on Windows a hard link or a copy. Replaces what has that name. */
  linkProgram(path: string, program: string): void;
  /** Changes or makes a file under a lock. `edit` returns the new text, or undefined to change nothing. */
  edit(path: string, edit: (text: string | undefined) => string | undefined): void;
  /** Holds the lock of a file while `action` reads and changes it. A link stays a link. */
  hold<T>(path: string, action: (held: HeldFile) => T): T;
  /** Appends to a file. One that is larger than `setAsideAt` bytes is renamed to `path.1` first. */
  append(path: string, text: string, setAsideAt: number): void;
}

/** Files in an untrusted folder: links and special files are refused, and modes are left alone. */
export interface GuardedFiles {
  /** The first `longest` bytes of a file, undefined if it does not exist. */
  read(path: string, longest: number): string | undefined;
  /** Makes a folder with mode 0700 unless it exists. Returns whether it did. */
  makeFolder(path: string): boolean;
  /** Writes a file with mode 0600, atomically. */
  replace(path: string, text: string): void;
  /** Changes or makes a file under a lock, as `Files.edit` does. */
  edit(path: string, edit: (text: string | undefined) => string | undefined): void;
  /** Appends to a file. One that is larger than `setAsideAt` bytes is renamed to `path.1` first. */
  append(path: string, text: string, setAsideAt: number): void;
  /** Opens a file to append to. One that is larger than `setAsideAt` bytes is renamed to `path.1` first. */
  openAppend(path: string, setAsideAt: number): Appender;
}

export interface HeldFile {
  /** Its path, with links resolved. */
  readonly path: string;
  /** Its text and mode, undefined if it does not exist. */
  readonly found: { readonly text: string; readonly mode: number } | undefined;
  readonly write: (text: string, mode: number) => void;
  readonly remove: () => void;
}

export interface Appender {
  readonly write: (bytes: Uint8Array) => void;
  /** The size of the file when it was opened, and what was written since. */
  readonly size: () => number;
  readonly close: () => void;
}

export interface FileIdentity {
  /** Equal for two paths to the same file. */
  readonly id: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly isExecutable: boolean;
  /** The permission bits. */
  readonly mode: number;
  readonly size: number;
}

export interface FileEntry {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly size: number;
  /** In milliseconds. */
  readonly modified: number;
  /** Whether ccc may read it. */
  readonly isReadable: boolean;
}
