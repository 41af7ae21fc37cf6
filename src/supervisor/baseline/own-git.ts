import { join } from "node:path";
import { programFolders } from "../../os/path.ts";
import { nameFromBytes } from "../../text/file-names.ts";
import type { Env, World } from "../../world.ts";
import type { NoChanges } from "./changes.ts";
import type { Repository } from "./find-repository.ts";

/** Why there is no tree of the files. */
export class NoTree extends Error {
  readonly why: NoChanges;

  constructor(why: NoChanges) {
    super(why);
    this.why = why;
  }
}

/** Where a git command finds what, and what it may change. */
export interface GitPlace {
  /** Its files and objects are only read. */
  readonly repository: Repository;
  /** ccc's own git folder. */
  readonly store: string;
  readonly index: string;
  /** Where new objects go. */
  readonly objects: string;
  readonly env: Env;
  /** When git has to be done, in milliseconds. */
  readonly deadline: number;
}

/** Runs a git command and returns its output, in which names may be no UTF-8: see nameFromBytes. Throws NoTree. */
export type Git = (args: readonly string[], stdin?: string) => Promise<string>;

/** The same for output that is not text. */
export type GitBytes = (...args: Parameters<Git>) => Promise<Buffer>;

export function ownGit(world: World, place: GitPlace): Git {
  const run = ownGitBytes(world, place);
  return async (...args) => nameFromBytes(await run(...args));
}

export function ownGitBytes(world: World, place: GitPlace): GitBytes {
  const { top } = place.repository;
  const file = findGit(world, place.env, top);
  const env = gitEnvironment(place, world.platform);
  return async (args, stdin = "") => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const onLine = (chunk: Uint8Array | undefined) => {
      length += chunk?.length ?? 0;
      if (chunk !== undefined && length <= LONGEST_OUTPUT) chunks.push(chunk);
      return length > LONGEST_OUTPUT;
    };
    const timeoutMs = place.deadline - world.now().getTime();
    if (timeoutMs <= 0) throw new NoTree("too slow");
    const ended = await world.run({ program: { file, args, env }, cwd: top, stdin, timeoutMs, onLine, isRaw: true });
    if (length > LONGEST_OUTPUT) throw new NoTree("too many files");
    if (ended.ending === "timeout") throw new NoTree("too slow");
    if (ended.exitCode !== 0) throw new NoTree("git failed");
    return Buffer.concat(chunks);
  };
}

const LONGEST_OUTPUT = 32_000_000;

/** The user's git, never one in the repository. */
function findGit({ files, platform }: World, env: Env, top: string): string {
  const isInside = (folder: string) => files.identify(folder) && `${files.realPath(folder)}/`.startsWith(`${top}/`);
  // On Windows its name is "Path".
  const PATH = Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  for (const folder of programFolders({ PATH }, platform)) {
    const path = join(folder, platform === "win32" ? "git.exe" : "git");
    if (files.programSize(path) !== undefined && !isInside(folder)) return path;
  }
  throw new NoTree("git was not found");
}

function gitEnvironment({ env, store, index, objects, repository }: GitPlace, platform: NodeJS.Platform): Env {
  const known = [join(store, "objects"), join(repository.common, "objects")].filter((folder) => folder !== objects);
  return {
    ...env,
    LC_ALL: "C",
    GIT_DIR: store,
    GIT_WORK_TREE: repository.top,
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: known.map(quoted).join(platform === "win32" ? ";" : ":"),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
}

/** Quoted, a path may contain the separator. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
