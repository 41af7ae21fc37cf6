/** A kind of machine that ccc is built for. */
export interface Target {
  readonly os: "linux" | "darwin" | "windows";
  readonly arch: "x64" | "arm64";
  /** null if there is only one. */
  readonly libc: "glibc" | "musl" | null;
}

export const TARGETS: readonly Target[] = [
  { os: "linux", arch: "x64", libc: "glibc" },
  { os: "linux", arch: "arm64", libc: "glibc" },
  { os: "linux", arch: "x64", libc: "musl" },
  { os: "linux", arch: "arm64", libc: "musl" },
  { os: "darwin", arch: "x64", libc: null },
  { os: "darwin", arch: "arm64", libc: null },
  { os: "windows", arch: "x64", libc: null },
  { os: "windows", arch: "arm64", libc: null },
];

/** "ccc-linux-x64-musl", "ccc-windows-arm64": the name of program and archive, without extension. */
export function targetName({ os, arch, libc }: Target): string {
  return `ccc-${os}-${arch}${libc === "musl" ? "-musl" : ""}`;
}

export function binaryName(target: Target): string {
  return `${targetName(target)}${target.os === "windows" ? ".exe" : ""}`;
}

export function archiveName(target: Target): string {
  return `${targetName(target)}${target.os === "windows" ? ".zip" : ".tar.gz"}`;
}

/** What describeProgram says about the program. */
export function programOf({ os, arch, libc }: Target): string {
  return [{ linux: "ELF", darwin: "Mach-O", windows: "PE" }[os], arch, ...(libc === null ? [] : [libc])].join(" ");
}
