/** A part of src with its own rates. */
export interface SourcePart {
  readonly name: string;
  includes(file: string): boolean;
}

/** The folders whose unit tests should catch nearly everything. */
export const CORE: readonly string[] = ["config", "providers", "launch", "supervisor"];

/** The core folders, one part each, and the rest; or what the user names. */
export function chosenParts(only: readonly string[]): SourcePart[] {
  if (only.length > 0) return only.map(folderPart);
  const core = CORE.map(folderPart);
  return [...core, { name: "the rest of src", includes: (file) => !core.some((part) => part.includes(file)) }];
}

/** The path below src. Accepts `config`, `src/config/` and `src/config/load.ts`. */
export function inSrc(path: string): string {
  return path.replace(/^src\//, "").replace(/\/$/, "");
}

function folderPart(path: string): SourcePart {
  const name = inSrc(path);
  return { name, includes: (file) => file === `src/${name}` || file.startsWith(`src/${name}/`) };
}
