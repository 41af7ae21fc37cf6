/** What a running ccc was built from, and for. */
export interface Build {
  /** The whole hash, "-dirty" behind it if files had been changed, or "unknown". */
  readonly commit: string;
  readonly arch: string;
  /** null where there are no two to tell apart. */
  readonly libc: Libc | null;
  readonly bun: string;
}

export type Libc = "glibc" | "musl";

// build.ts writes these in. Run from source, ccc has neither.
declare const CCC_COMMIT: string;
declare const CCC_LIBC: Libc | null;

export function buildOf(host: NodeJS.Process): Build {
  return {
    commit: typeof CCC_COMMIT === "undefined" ? "unknown" : CCC_COMMIT,
    arch: host.arch,
    libc: typeof CCC_LIBC === "undefined" ? null : CCC_LIBC,
    bun: host.versions.bun ?? "unknown",
  };
}
