import type { Paths } from "../../config/ccc-paths.ts";
import { join } from "../../os/path.ts";
import { stateFolder } from "../../supervisor/project-folder.ts";
import type { World } from "../../world.ts";
import { type Check, ok, warn } from "./check-result.ts";

/** What `ccc doctor --fix` can fix: files that others can read, and files of processes that are gone. */
export interface FixableFiles {
  readonly open: readonly string[];
  readonly locks: readonly string[];
  readonly temporary: readonly string[];
}

export function findLeftovers(world: World, paths: Paths): FixableFiles {
  return {
    open: openToOthers(world, paths),
    locks: [...ownFiles(world, paths, LOCK), ...projectLocks(world, paths)].filter((path) => isAbandoned(path, world)),
    temporary: ownFiles(world, paths, TEMPORARY).filter((path) => !world.isAlive(Number(TEMPORARY.exec(path)?.[1]))),
  };
}

export function* checkLeftovers({ open, locks, temporary }: FixableFiles, { config }: Paths): Generator<Check> {
  yield open.length === 0
    ? ok("ccc.json private", config)
    : warn("ccc.json private", `other users of this machine can read ${open.join(" and ")}`, FIX);
  yield locks.length === 0
    ? ok("locks", "none stale")
    : warn("locks", `left by processes that are gone: ${locks.join(", ")}`, `The next ccc takes them over. ${FIX}`);
  yield temporary.length === 0
    ? ok("temporary files", "none left")
    : warn(
        "temporary files",
        `left by processes that were killed: ${temporary.join(", ")}`,
        `They may hold keys. ${FIX}`,
      );
}

const FIX = "To fix it: ccc doctor --fix";
const LOCK = /\.lock$/;
const TEMPORARY = /\.(\d+)\.tmp$/;

/** Files that ccc writes beside those of Claude Code. */
const BESIDE = /^(ccc\.json|settings\.json|SUPERVISOR\.md)\./;

/** ccc.json and what is generated from it hold keys. */
function openToOthers({ files, platform }: World, { config, generated }: Paths): string[] {
  // Windows has no modes, and Bun reports every file there as readable by all.
  if (platform === "win32") return [];
  return [config, generated].filter((path) => ((files.identify(path)?.mode ?? 0) & 0o077) !== 0);
}

function ownFiles({ files }: World, { folder, generated }: Paths, name: RegExp): string[] {
  const inside = (path: string) => files.list(path).map((each) => join(path, each));
  const kindOf = (path: string) => files.entry(path)?.kind;
  const beside = files.list(folder).filter((each) => BESIDE.test(each));
  const below = inside(generated).flatMap((path) => (kindOf(path) === "folder" ? inside(path) : [path]));
  return [...beside.map((each) => join(folder, each)), ...below].filter(
    (path) => name.test(path) && kindOf(path) === "file",
  );
}

/** In the project, links are not followed: they may lead anywhere. */
function projectLocks({ files, cwd }: World, { generated }: Paths): string[] {
  const folder = stateFolder(cwd);
  const isPlain = [join(cwd, ".claude"), folder].every((path) => files.entry(path)?.kind === "folder");
  if (!isPlain || folder === generated) return [];
  const locks = files.list(folder).filter((name) => LOCK.test(name));
  return locks.map((name) => join(folder, name)).filter((path) => files.entry(path)?.kind === "file");
}

function isAbandoned(path: string, { files, isAlive }: World): boolean {
  const pid = Number(files.readEnd(path, LONGEST_PID));
  return pid > 0 && !isAlive(pid);
}

const LONGEST_PID = 20;
