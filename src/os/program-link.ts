import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { attempt, errno } from "../errors.ts";
import { PRIVATE_FOLDER } from "./regular.ts";

/** Gives a program another name: by a symbolic link, else a hard link or a copy. Replaces what has that name. */
export function linkProgram(path: string, program: string, pid: number): void {
  attempt(`make ${path}`, () => {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    const temporary = `${path}.${pid}`;
    rmSync(temporary, { force: true });
    if (!tries(() => symlinkSync(program, temporary)) && !tries(() => linkSync(program, temporary)))
      copyFileSync(program, temporary);
    renameSync(temporary, path);
  });
}

/** On Windows a symbolic link needs a privilege, and a hard link has to be on the same drive. */
function tries(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (errno(error) === "EPERM" || errno(error) === "EXDEV") return false;
    throw error;
  }
}
