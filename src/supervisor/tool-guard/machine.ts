/** The guard's view of the disk. */
export interface Disk {
  /** The path with links resolved; undefined if nothing is there. */
  readonly realPath: (path: string) => string | undefined;
  /** The entries of a folder; empty if it is not one. */
  readonly list: (folder: string) => readonly Entry[];
}

/** The guard's view of the machine, for commands. */
export interface Machine extends Disk {
  /** The path of a program in PATH. */
  readonly program: (name: string) => string | undefined;
  /** The configuration keys that a folder's repository sets; undefined if git fails. */
  readonly gitKeys: (folder: string) => readonly string[] | undefined;
  /** The top folder of git's work tree. */
  readonly gitTop: (folder: string) => string | undefined;
}

export interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}
