import type { Paths } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import { lastingPath } from "../../launch/find.ts";
import { NAME_FLAG } from "../../markers.ts";
import { temporaryWriter } from "../../os/locks.ts";
import { join, programName } from "../../os/path.ts";
import { stateFolder } from "../../supervisor/project.ts";
import { launchRecords } from "../../supervisor/record/launch.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";

/**
 * What `ccc doctor --fix` can fix: files that others can read, files that processes left behind, and programs for editors
 * that earlier versions made as links.
 */
interface FixableFiles {
  readonly links: readonly string[];
  readonly open: readonly string[];
  readonly locks: readonly string[];
  readonly temporary: readonly string[];
}

export function fixableFiles(world: World, paths: Paths): FixableFiles {
  return {
    links: editorLinks(world, paths),
    open: openToOthers(world, paths),
    locks: [...ownFiles(world, paths, isLock), ...projectLocks(world, paths)].filter((path) =>
      isAbandoned(path, world),
    ),
    temporary: ownFiles(world, paths, (path) => isLeft(temporaryWriter(path), world)),
  };
}

/** What `ccc doctor --fix` did to one file, or why it could not. */
export interface Fix {
  readonly detail: string;
  readonly isFixed: boolean;
}

/** Fixes what is safe to fix. Nothing that the user wrote is changed. */
export function fixFiles(world: World, paths: Paths): Fix[] {
  const { files } = world;
  const { links, open, locks, temporary } = fixableFiles(world, paths);
  const fixes = [
    ...links.map((path) => attempt(`${path} is now a program of its own`, () => replaceLink(path, world))),
    ...open.map((path) => attempt(`${path} is now readable by you only`, () => files.makePrivate(path))),
    ...locks.map((path) => attempt(`removed the lock ${path}`, () => files.removeStaleLock(path))),
    ...temporary.map((path) => attempt(`removed ${path}, which a killed process left`, () => files.remove(path))),
  ];
  const old = launchRecords(files, paths).removeOld(world.cwd);
  if (old === 0) return fixes;
  const detail = `removed ${counted(old, "record")} of launches and sessions that are too old to matter`;
  return [...fixes, { detail, isFixed: true }];
}

function attempt(detail: string, fix: () => void): Fix {
  try {
    fix();
    return { detail, isFixed: true };
  } catch (error) {
    return { detail: messageOf(error), isFixed: false };
  }
}

function isLock(path: string): boolean {
  return path.endsWith(".lock");
}

function isLeft(writer: number | undefined, { isAlive }: World): boolean {
  return writer !== undefined && !isAlive(writer);
}

/** Files of ccc in the folder of Claude Code. */
const BESIDE = /^(ccc\.json|settings\.json|SUPERVISOR\.md)\./;

/** An editor that resolves such a link starts plain ccc, and so the current provider. */
function editorLinks({ files }: World, { generated }: Paths): string[] {
  const folder = join(generated, "bin");
  const programs = files.list(folder).filter((name) => name.startsWith(EDITOR_PROGRAM));
  return programs.map((name) => join(folder, name)).filter((path) => files.entry(path)?.kind === "link");
}

const EDITOR_PROGRAM = "ccc-";

function replaceLink(path: string, world: World): void {
  const provider = programName(path).slice(EDITOR_PROGRAM.length);
  world.files.wrapProgram(path, lastingPath(world), [`${NAME_FLAG}${provider}`]);
}

/** ccc.json and the files generated from it contain keys. */
function openToOthers({ files, platform }: World, { config, generated }: Paths): string[] {
  // Windows has no modes, and Bun reports every file there as readable by all.
  if (platform === "win32") return [];
  return [config, generated].filter((path) => ((files.identify(path)?.mode ?? 0) & 0o077) !== 0);
}

function ownFiles({ files }: World, { folder, generated }: Paths, isWanted: (path: string) => boolean): string[] {
  const inside = (path: string) => files.list(path).map((each) => join(path, each));
  const kindOf = (path: string) => files.entry(path)?.kind;
  const beside = files.list(folder).filter((each) => BESIDE.test(each));
  const below = inside(generated).flatMap((path) => (kindOf(path) === "folder" ? inside(path) : [path]));
  return [...beside.map((each) => join(folder, each)), ...below].filter(
    (path) => isWanted(path) && kindOf(path) === "file",
  );
}

/** In the project, links are not followed: they may lead anywhere. */
function projectLocks({ files, cwd }: World, { generated }: Paths): string[] {
  const folder = stateFolder(cwd);
  const isPlain = [join(cwd, ".claude"), folder].every((path) => files.entry(path)?.kind === "folder");
  if (!isPlain || folder === generated) return [];
  const locks = files.list(folder).filter(isLock);
  return locks.map((name) => join(folder, name)).filter((path) => files.entry(path)?.kind === "file");
}

function isAbandoned(path: string, { files, isAlive }: World): boolean {
  const pid = Number(files.readEnd(path, LONGEST_PID));
  return pid > 0 && !isAlive(pid);
}

const LONGEST_PID = 20;
