import { isAbsolute } from "../os/path.ts";
import type { World } from "../world.ts";

/**
 * The name that ccc was started by, without ".exe". A link's name is only in argv0. A copy's name is in execPath too,
 * which is all that there is where a shell passes another argv0.
 */
export function programName({ argv0, execPath }: { readonly argv0: string; readonly execPath: string }): string {
  return [argv0, execPath].map(baseName).find((name) => name === "ccc" || name.startsWith("ccc-")) ?? "ccc";
}

/** The provider that a link to ccc is named after: glm for "ccc-glm". The programs of a release are not such links. */
export function linkedProvider(name: string): string | undefined {
  const provider = name.startsWith("ccc-") ? name.slice("ccc-".length) : "";
  return provider === "" || RELEASED.test(provider) ? undefined : provider;
}

const RELEASED = /^(linux|darwin|windows)-(x64|arm64)(-musl)?$/;

/**
 * How many of these words say which Claude Code to run, as an editor tells its wrapper: the path of a claude or, in old
 * versions, that of a Node and of its cli.js. A slash command or a file is neither.
 */
export function claudeWords([first = "", second = ""]: readonly string[], { files }: Pick<World, "files">): number {
  const isProgram = () => files.programSize(first) !== undefined;
  if (isAbsolute(first) && baseName(first) === "claude") return isProgram() ? 1 : 0;
  if (!isAbsolute(second) || !SCRIPT.test(second) || files.modified(second) === undefined) return 0;
  return first === "node" || (isAbsolute(first) && isProgram()) ? 2 : 0;
}

const SCRIPT = /[\\/]claude-code[\\/]cli\.js$/;

function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.toLowerCase().endsWith(".exe") ? name.slice(0, -".exe".length) : name;
}
