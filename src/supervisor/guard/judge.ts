import { readToolEvent, type ToolEvent, toolAnswer } from "../../claude/quick-events.ts";
import { FILES_VARIABLE, FOLDERS_VARIABLE, GIT_FOLDERS_VARIABLE, SANDBOX_VARIABLE } from "../../markers.ts";
import { type LibcFiles, readWhole } from "../../os/fast.ts";
import { parseJson } from "../../text/json.ts";
import {
  absolute,
  checkPlace,
  checkTree,
  type Disk,
  type DiskEntry,
  isWithin,
  type ReadablePlaces,
  Refusal,
} from "./places.ts";

/** Answers a PreToolUse event of the reviewer's session. If anything goes wrong, the tool is refused. */
export async function answerToolEvent(
  { env, platform }: Pick<NodeJS.Process, "env" | "platform">,
  libc: LibcFiles | undefined,
  bash: () => BashGuard,
): Promise<void> {
  let refusal: string | undefined;
  try {
    const rest = () => Bun.stdin.bytes();
    const text = await (libc === undefined ? Bun.stdin.text() : readWhole(libc.readStdin, rest));
    refusal = judgeEvent(text, env, platform, guardDisk(platform, libc), bash);
  } catch (error) {
    refusal = `ccc could not check whether this is allowed: ${error instanceof Error ? error.message : error}`;
  }
  await Bun.write(Bun.stdout, toolAnswer(refusal));
}

/** Refuses a command line by throwing. It is loaded late: the guard runs before every tool call, and most are not commands. */
export type BashGuard = Pick<typeof import("./command-line.ts"), "guardBash">;

/** Where a tool is used, and what it may read. */
export interface ToolContext {
  readonly cwd: string;
  readonly places: ReadablePlaces;
  readonly machine: Disk;
  readonly platform: NodeJS.Platform;
}

/** Why the tool call of an event is refused; undefined if it is allowed. */
export function judgeEvent(
  text: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  machine: Disk,
  bash: () => BashGuard,
): string | undefined {
  const event = readToolEvent(text);
  if (event === undefined) return "ccc does not understand this event";
  const real = (path: string) => machine.realPath(path) ?? path;
  const ifSet = (path: string | undefined) => (path ? [real(path)] : []);
  const home = real((platform === "win32" ? env.USERPROFILE : env.HOME) || "/");
  const scratch = realPaths(env[SANDBOX_VARIABLE], real);
  const places = {
    folders: [...realPaths(env[FOLDERS_VARIABLE], real), ...scratch],
    scratch,
    gitFolders: realPaths(env[GIT_FOLDERS_VARIABLE], real),
    home,
    own: [
      ...ifSet(env.CCC_CONFIG_DIR),
      ...ifSet(env.CLAUDE_CONFIG_DIR),
      ...ifSet(`${home}/.claude`),
      ...ifSet(`${home}/.claude.json`),
    ],
    slug: event.slug,
    files: realPaths(env[FILES_VARIABLE], real),
  };
  const context = { cwd: real(event.cwd), places, machine, platform };
  try {
    // In a sandbox the kernel refuses.
    checkTool(event, context, (line) => scratch.length > 0 || bash().guardBash(line, context, env));
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function realPaths(list: string | undefined, real: (path: string) => string): string[] {
  const paths = parseJson(list ?? "");
  const found: string[] = [];
  for (const path of Array.isArray(paths) ? paths : []) if (typeof path === "string") found.push(real(path));
  return found;
}

function checkTool({ tool, input }: ToolEvent, context: ToolContext, checkLine: (line: string) => unknown): void {
  const text = (name: string): string => {
    const value = input[name] ?? "";
    return typeof value === "string" ? value : refuse(`${name} is not a string`);
  };
  if (HARMLESS.includes(tool)) return;
  if (tool === "Read") readablePath(text("file_path"), context);
  else if (tool === "Grep" || tool === "LS") checkFolder(text("path") || ".", context);
  else if (tool === "Glob") {
    checkFolder(text("path") || ".", context);
    // A pattern, or an alternative in it, may start with a folder.
    if (/(^|[{,])\s*([~/\\]|[A-Za-z]:)|\.\./.test(text("pattern")))
      refuse("not part of the project: give a folder as path, and a pattern below it");
  } else if (tool === "Bash" && !input.run_in_background) checkLine(text("command") || refuse("no command"));
  else refuse(`not part of a review: ${tool}. A reviewer only reads and runs tests`);
}

/** The verdict, and the search for tools, whose calls the guard sees in turn. */
const HARMLESS = ["StructuredOutput", "ToolSearch"];

/** Resolves a path as Claude Code does. A missing one is refused: Claude Code might resolve it differently and find a file. */
function readablePath(written: string, { cwd, places, machine, platform }: ToolContext): string {
  if (written.trim() === "") refuse("no path given");
  const path = written.trim().replace(/^~(?=$|[/\\])/, places.home);
  const real = platform === "win32" && path.startsWith("/") ? undefined : machine.realPath(absolute(path, cwd));
  checkPlace(real ?? absolute(path, cwd), places);
  if (real === undefined) return refuse(`no such file: ${written}`);
  // Claude Code would wait for it until the review's time is up.
  return machine.isPipe(real) ? refuse(`${written} is a pipe, which reviewers do not read`) : real;
}

/** Claude Code's own rules keep files with names of secrets out of Grep's results. Folders with other secrets are checked here. */
function checkFolder(path: string, context: ToolContext): void {
  const { places, machine } = context;
  const folder = readablePath(path, context);
  for (const each of [places.home, ...places.own]) {
    if (isWithin(each, folder)) checkTree(folder, places, machine);
  }
}

function refuse(why: string): never {
  throw new Refusal(why);
}

/** The disk through libc where possible, otherwise through node:fs, which is loaded only when needed. */
export function guardDisk(platform: NodeJS.Platform, libc: LibcFiles | undefined): Disk {
  const disk = nodeDisk(platform);
  if (libc === undefined) return disk;
  return {
    realPath: (path) => (path === "" ? undefined : libc.realPath(path)),
    // With the slash, only folders can be opened.
    list: (folder) => (libc.realPath(`${folder}/`) === undefined ? [] : disk.list(folder)),
    read: disk.read,
    isPipe: libc.isPipe,
  };
}

function nodeDisk(platform: NodeJS.Platform): Disk {
  return {
    realPath: (path) => {
      try {
        const real = path === "" ? undefined : nodeFs().realpathSync.native(path);
        return platform === "win32" ? real?.replaceAll("\\", "/") : real;
      } catch {
        return undefined;
      }
    },
    list: (folder) => {
      try {
        const entries: DiskEntry[] = [];
        for (const entry of nodeFs().readdirSync(folder, { withFileTypes: true }))
          entries.push({ name: entry.name, isFolder: entry.isDirectory(), isLink: entry.isSymbolicLink() });
        return entries;
      } catch {
        return [];
      }
    },
    read: (path) => {
      try {
        // A pipe would never end.
        return nodeFs().statSync(path).isFile() ? nodeFs().readFileSync(path, "utf8") : undefined;
      } catch {
        return undefined;
      }
    },
    isPipe: (path) => nodeFs().statSync(path, { throwIfNoEntry: false })?.isFIFO() === true,
  };
}

function nodeFs(): typeof import("node:fs") {
  return require("node:fs");
}
