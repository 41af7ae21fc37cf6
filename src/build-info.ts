/** What this ccc was built from, and for which platform. */
export interface Build {
  /** The full hash, with "-dirty" appended if there were uncommitted changes, or "unknown". */
  readonly commit: string;
  readonly arch: string;
  /** null on platforms with only one libc. */
  readonly libc: Libc | null;
  readonly bun: string;
}

export type Libc = "glibc" | "musl";

// Defined by build.ts. When ccc runs from source, neither exists.
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

/** As in package.json; a test compares them. */
export const REPOSITORY = "https://github.com/ccc-cli/ccc";

/** The URL of a page in docs/: an installed ccc has no docs folder. */
export function docsPage(page: string): string {
  return `${REPOSITORY}/blob/main/docs/${page}`;
}
