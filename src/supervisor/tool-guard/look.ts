/** What the guard may see of the machine. */
export interface Look {
  /** A path without links in it, undefined where there is nothing. */
  readonly realPath: (path: string) => string | undefined;
  /** What is in a folder; nothing where it is none. */
  readonly list: (folder: string) => readonly Entry[];
  /** Where a program is that is called by its name. */
  readonly program: (name: string) => string | undefined;
  /** The keys that a folder's repository brings along in its configuration, undefined where git does not tell. */
  readonly gitKeys: (folder: string) => readonly string[] | undefined;
  /** The top folder of the files that git looks at. */
  readonly gitTop: (folder: string) => string | undefined;
}

export interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}
