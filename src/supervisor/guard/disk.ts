import type { LibcFiles } from "../../os/fast.ts";

/** The disk through libc where there is one, else through node:fs, which is loaded only when needed. */
export function guardDisk(platform: NodeJS.Platform, libc: LibcFiles | undefined): Disk {
  const disk = nodeDisk(platform);
  if (libc === undefined) return disk;
  return {
    realPath: (path) => (path === "" ? undefined : libc.realPath(path)),
    // With the slash, only folders can be opened.
    list: (folder) => (libc.realPath(`${folder}/`) === undefined ? [] : disk.list(folder)),
  };
}

function nodeDisk(platform: NodeJS.Platform): Disk {
  return {
    realPath: (path) => withSlashes(realPathOf(path), platform),
    list: (folder) => {
      try {
        return nodeFs()
          .readdirSync(folder, { withFileTypes: true })
          .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
      } catch {
        return [];
      }
    },
  };
}

function nodeFs(): typeof import("node:fs") {
  return require("node:fs");
}

function realPathOf(path: string): string | undefined {
  try {
    return path === "" ? undefined : nodeFs().realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function withSlashes(path: string | undefined, platform: NodeJS.Platform): string | undefined {
  return platform === "win32" ? path?.replaceAll("\\", "/") : path;
}

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
