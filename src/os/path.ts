/** Paths of Linux, macOS and Windows, as text. */

/**
 * Joins a folder and a name, with the slashes that the folder has. Loading node:path would cost a launch more time than all
 * its path handling, and it damages names that are not UTF-8.
 */
export function join(folder: string, name: string): string {
  if (!folder.startsWith("/") && isWindowsPath(folder))
    return `${folder.replace(/[/\\]$/, "")}\\${name}`.replaceAll("/", "\\");
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || isWindowsPath(path);
}

/** Resolves a path as people write it: relative to their home (`~/…`) or to `folder`. */
export function absolutePath(path: string, folder: string, home: () => string): string {
  if (path.startsWith("~/")) return join(home(), path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}

/** Whether it is an absolute path of Windows: with a drive, or on another machine. */
export function isWindowsPath(path: string): boolean {
  return path.startsWith("\\\\") || (path[1] === ":" && (path[2] === "\\" || path[2] === "/"));
}

/** The name of a program's file, without ".exe". */
export function programName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.toLowerCase().endsWith(".exe") ? name.slice(0, -".exe".length) : name;
}
