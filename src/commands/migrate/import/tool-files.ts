import { CccError } from "../../../errors.ts";
import type { World } from "../../../world.ts";

/** The given file, or the first of those where the tool keeps its providers. */
export function existing(
  title: string,
  file: string | undefined,
  usual: readonly string[],
  { files }: Pick<World, "files">,
): string {
  const looked = file === undefined ? usual : [file];
  const found = looked.find((path) => files.identify(path)?.isFile);
  if (found !== undefined) return found;
  throw new CccError(`no providers of ${title} found: there is no ${looked.join(" and no ")}`, {
    advice:
      file === undefined
        ? "If it keeps them elsewhere, name the file: --file PATH"
        : "Check the path. Nothing was changed.",
  });
}

export function notUnderstood(title: string, path: string): CccError {
  return new CccError(`${path} could not be understood as a file of ${title}`, {
    advice: "Another version may have written it. Nothing was changed.",
  });
}
