import type { Env } from "../world.ts";

/** A path below a folder. Node's own module for paths costs a launch more than everything that it asks of it. */
export function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || (path[1] === ":" && (path[2] === "\\" || path[2] === "/"));
}

/** The folders of PATH. A relative one would let the folder that ccc is called in decide what runs. */
export function programFolders({ PATH = "" }: Env, platform: NodeJS.Platform): string[] {
  return PATH.split(platform === "win32" ? ";" : ":").filter(isAbsolute);
}
