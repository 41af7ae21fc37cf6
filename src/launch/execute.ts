import { RESUME_COMMAND } from "../claude/arguments.ts";
import { isLaunchSettings, type Paths } from "../config/paths.ts";
import { CccError, EXIT, errno, reason } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { EXEC_MARK } from "../marks.ts";
import { onSignal } from "../os/process.ts";
import { prettyJson } from "../text/json.ts";
import type { Env, Program, ProgramEnd, World } from "../world.ts";
import { nextMark } from "./decide.ts";
import type { Plan } from "./plan.ts";

/** Replaces ccc with a program: by execve on Linux and macOS, by waiting for a child on Windows. */
export async function exec(program: Program): Promise<number> {
  if (process.platform === "win32") return (await handOver(program)).exitCode;
  const { file, args, env } = program;
  try {
    // Bun queues a warning that execve is experimental. It is never shown, but creating the queue takes longer than
    // everything else that ccc does.
    process.nextTick = () => {};
    return process.execve?.(file, [file, ...args], { ...env } as NodeJS.ProcessEnv) ?? EXIT.cannotRun;
  } catch (error) {
    throw cannotRun(file, error);
  }
}

/** Runs a program on ccc's own stdin, stdout and stderr, in its process group, and waits for its end. */
export async function handOver({ file, args, env }: Program): Promise<ProgramEnd> {
  let child: Bun.Subprocess | undefined;
  let isInterrupted = false;
  // Before the start: a signal that comes with it must not end ccc alone.
  const stopListening = onSignal((signal) => {
    if (signal === "SIGINT") isInterrupted = true;
    if (signal !== "SIGINT" || !isAtTerminal()) child?.kill(signal);
  });
  try {
    child = Bun.spawn([file, ...args], { env: { ...env }, stdio: ["inherit", "inherit", "inherit"] });
    return { exitCode: await child.exited, signal: signalName(child), isInterrupted };
  } catch (error) {
    throw cannotRun(file, error);
  } finally {
    stopListening();
  }
}

function signalName({ signalCode }: Bun.Subprocess): string | null {
  return signalCode === null ? null : String(signalCode);
}

/** Then the terminal sends Ctrl-C to the child, too. On Windows the console always does. */
function isAtTerminal(): boolean {
  return process.platform === "win32" || [0, 1, 2].some((fd) => lazy().isatty(fd));
}

function cannotRun(file: string, error: unknown): CccError {
  if (errno(error) === "ERR_INVALID_ARG_VALUE" && file.endsWith(".cmd")) return unsafeForCmd(file);
  return new CccError(`cannot run ${file}: ${reason(error)}`, { exitCode: EXIT.cannotRun });
}

/** Bun passes nothing to a .cmd file that cmd.exe would take for a command. */
function unsafeForCmd(file: string): CccError {
  return new CccError(`cannot run ${file} with these arguments: cmd.exe would change them`, {
    exitCode: EXIT.cannotRun,
    advice: "Set CCC_CLAUDE to the path of claude.exe.",
  });
}

/** Carries out a plan. It decides nothing. */
export function execute(plan: Plan, world: World, paths: Paths): Promise<number> {
  const env = prepare(plan, world, paths);
  return world.exec({ file: plan.file, args: plan.args, env });
}

/** Prepares the launch of claude and returns its environment. */
export function prepare(plan: Plan, world: World, paths: Paths): Env {
  for (const notice of plan.notices) lazy().createLog(world).info(notice);
  const stale = plan.files.filter(({ path }) => isLaunchSettings(path) && isStale(path, world));
  for (const { path, content } of plan.files) world.files.writePrivate(path, fileText(content));
  if (stale.length > 0) {
    for (const { path } of stale) world.files.touch(path);
    world.files.removeOld(paths.generated, isLaunchSettings, KEPT_MS);
  }
  if (plan.remember) remember(plan, world, paths);
  const shell: Record<string, string | undefined> = { ...world.env };
  for (const name of plan.unset) delete shell[name];
  // Plain claude would resume the session on another server, where its model is unknown.
  return { [RESUME_COMMAND]: "ccc", ...shell, ...plan.set, [EXEC_MARK]: nextMark(world) };
}

const DAY_MS = 24 * 3600 * 1000;
/** Settings of a single launch hold keys and are never reused, but a session may use them for a long time. */
const KEPT_MS = 30 * DAY_MS;

/** New, or not used for a day: so most launches neither touch nor clean up files. */
function isStale(path: string, { files, now }: World): boolean {
  return now().getTime() - (files.modified(path) ?? 0) > DAY_MS;
}

/** A launch must not fail if ccc.json is not writable, for example in a read-only home. */
function remember(plan: Plan, world: World, paths: Paths): void {
  try {
    lazy().rememberProvider(world.files, paths.config, plan.provider);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    lazy().createLog(world).warn(`"${plan.provider}" is not remembered as the current provider: ${error.message}`);
  }
}

export function fileText(content: Plan["files"][number]["content"]): string {
  return typeof content === "string" ? content : prettyJson(content);
}
