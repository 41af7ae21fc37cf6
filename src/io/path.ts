/** A path below a folder. Node's own module for paths costs a launch more than everything that it asks of it. */
export function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || (path[1] === ":" && (path[2] === "\\" || path[2] === "/"));
}
