import { CccError, EXIT } from "../errors.ts";
import { EXEC_MARKER } from "../markers.ts";
import { isAbsolute, join } from "../os/path.ts";
import { programFolders, type World } from "../world.ts";

/** The claude to run: CCC_CLAUDE, or else the first on PATH that is not ccc itself. */
export function findClaude({ env, files, platform, self, cwd }: World): string {
  const own = files.programSize(self);
  if (env.CCC_CLAUDE?.includes("/") || env.CCC_CLAUDE?.includes("\\")) {
    const path = isAbsolute(env.CCC_CLAUDE) ? env.CCC_CLAUDE : join(cwd, env.CCC_CLAUDE);
    const size = files.programSize(path);
    if (size === undefined) throw notFound(`CCC_CLAUDE is ${path}, which is not a program`, CORRECT);
    if (size === own) throw notFound(`CCC_CLAUDE is ${path}, which is ccc itself`, CORRECT);
    return path;
  }
  const name = env.CCC_CLAUDE || "claude";
  const names = platform === "win32" ? [`${name}.exe`, ...(name === "claude" ? [OF_NPM] : []), `${name}.cmd`] : [name];
  for (const folder of programFolders(env, platform)) {
    for (const file of names) {
      const path = join(folder, file);
      const size = files.programSize(path);
      // The same size means ccc itself or a copy: two programs of a hundred megabytes never match by chance.
      if (size !== undefined && size !== own) return path;
    }
  }
  throw notFound(`Claude Code was not found: no ${name} on your PATH`);
}

/**
 * The program that npm's claude.cmd starts. Run through claude.cmd, cmd.exe would change quotes and percent signs in the
 * arguments.
 */
const OF_NPM = "node_modules/@anthropic-ai/claude-code/bin/claude.exe";

/** Claude Code as a program: its file, and what comes before its own arguments. */
interface ClaudeProgram {
  readonly file: string;
  readonly before: readonly string[];
}

/** The Claude Code that an editor passes to ccc, or else the one that ccc finds. */
export function claudeProgram([file, ...before]: readonly string[], world: World): ClaudeProgram {
  if (file === undefined) return { file: findClaude(world), before };
  if (!isAbsolute(file)) return { file: onPath(file, world), before };
  if (world.files.programSize(file) === world.files.programSize(world.self))
    throw notFound(`${file} is ccc itself, not Claude Code`);
  return { file, before };
}

function onPath(name: string, { env, files, platform }: World): string {
  const file = platform === "win32" ? `${name}.exe` : name;
  const paths = programFolders(env, platform).map((folder) => join(folder, file));
  const found = paths.find((path) => files.programSize(path) !== undefined);
  if (found === undefined) throw notFound(`no ${name} on your PATH`);
  return found;
}

function notFound(message: string, advice = INSTALL): CccError {
  return new CccError(message, { exitCode: EXIT.noClaude, advice });
}

const INSTALL = "Install it with: npm install -g @anthropic-ai/claude-code\nOr set CCC_CLAUDE to its path.";
const CORRECT = "Set it to the path of Claude Code. To have ccc find it on your PATH: unset CCC_CLAUDE";

/** A path of ccc that survives upgrades: the link on PATH if there is one, not its target. */
export function lastingPath({ env, files, self, platform }: World): string {
  const own = files.identify(self)?.id;
  const folders = platform === "win32" ? [] : programFolders(env, platform);
  return folders.map((folder) => join(folder, "ccc")).find((path) => files.identify(path)?.id === own) ?? self;
}

/**
 * Refuses a claude that runs ccc again, such as a wrapper script: it would loop forever. The sign is the marker of this
 * launch, or what claude wrote to stderr when ccc asked it something.
 */
export function refuseLoop(claude: string, sign: World | string): void {
  if (typeof sign === "string" ? !sign.includes(RUNS_CCC) : !isWithinItself(sign)) return;
  throw new CccError(`${RUNS_CCC}; it is now about to run ${claude}`, {
    exitCode: EXIT.noClaude,
    advice: "Set CCC_CLAUDE to the path of Claude Code.",
  });
}

/** The marker of a claude that this ccc starts. One that is only asked for its version or its help never runs ccc. */
export function nextMarker(world: World, isAsked = false): string {
  return `${world.pid}.${depth(world) + 1}${isAsked ? `.${ASKED}` : ""}`;
}

function isWithinItself(world: World): boolean {
  const [pid, , asked] = world.env[EXEC_MARKER]?.split(".") ?? [];
  return pid === String(world.pid) || asked === ASKED || depth(world) >= DEEPEST;
}

const RUNS_CCC = "the claude that ccc found runs ccc again";
const ASKED = "asked";

/** An agent may run ccc itself, but not endlessly. */
const DEEPEST = 8;

function depth({ env }: World): number {
  return Number(env[EXEC_MARKER]?.split(".")[1] ?? 0) || 0;
}
