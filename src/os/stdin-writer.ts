import { dlopen } from "bun:ffi";

/**
 * The process that made the socket which is stdin, as the kernel tells it: no program can pretend to be another one.
 * Undefined if stdin is not a socket, null where the system does not tell. Claude Code passes events in such a socket.
 */
export function stdinWriter(platform: NodeJS.Platform, arch: string): number | undefined | null {
  if (platform !== "linux") return null;
  for (const library of ["libc.so.6", MUSL[arch] ?? ""]) {
    const getsockopt = load(library);
    if (getsockopt === undefined) continue;
    const credentials = new Int32Array(3);
    const length = new Int32Array([credentials.byteLength]);
    return getsockopt(0, SOL_SOCKET, SO_PEERCRED, credentials, length) === 0 ? credentials[0] : undefined;
  }
  return null;
}

const MUSL: Readonly<Record<string, string>> = { x64: "libc.musl-x86_64.so.1", arm64: "libc.musl-aarch64.so.1" };
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

function load(library: string) {
  try {
    return dlopen(library, { getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" } }).symbols
      .getsockopt;
  } catch {
    return undefined;
  }
}
