import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { attempt, errno } from "../errors.ts";
import { PRIVATE_FOLDER } from "./regular.ts";

/** Gives a program another name: a symbolic link, on Windows a hard link or a copy. Replaces what has that name. */
export function linkProgram(path: string, program: string, pid: number): void {
  attempt(`make ${path}`, () => {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    const temporary = `${path}.${pid}`;
    rmSync(temporary, { force: true });
    if (process.platform === "win32") linkOrCopy(program, temporary);
    else symlinkSync(program, temporary);
    renameSync(temporary, path);
  });
}

/** On Windows a symbolic link needs a privilege. A hard link has to be on the same drive. */
function linkOrCopy(program: string, path: string): void {
  try {
    linkSync(program, path);
  } catch (error) {
    if (errno(error) !== "EXDEV" && errno(error) !== "EPERM") throw error;
    copyFileSync(program, path);
  }
}
