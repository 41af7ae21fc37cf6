import { CccError, EXIT, errno, reason } from "../errors.ts";
import type { Program } from "../world.ts";

/** Replaces ccc with a program: by execve on Linux and macOS, by waiting for a child on Windows. */
export async function exec({ file, args, env }: Program): Promise<number> {
  try {
    if (process.platform === "win32") return await handOver(file, args, env);
    // Bun queues a warning that execve is experimental. It is never shown, but creating the queue takes longer than
    // everything else that ccc does.
    process.nextTick = () => {};
    return process.execve?.(file, [file, ...args], { ...env } as NodeJS.ProcessEnv) ?? EXIT.cannotRun;
  } catch (error) {
    if (errno(error) === "ERR_INVALID_ARG_VALUE" && file.endsWith(".cmd")) throw unsafeForCmd(file);
    throw new CccError(`cannot run ${file}: ${reason(error)}`, { exitCode: EXIT.cannotRun });
  }
}

/** Bun passes nothing to a .cmd file that cmd.exe would take for a command. */
function unsafeForCmd(file: string): CccError {
  return new CccError(`cannot run ${file} with these arguments: cmd.exe would change them`, {
    exitCode: EXIT.cannotRun,
    advice: "Set CCC_CLAUDE to the path of claude.exe.",
  });
}

async function handOver(file: string, args: readonly string[], env: Program["env"]): Promise<number> {
  const child = Bun.spawn([file, ...args], { env: { ...env }, stdio: ["inherit", "inherit", "inherit"] });
  // The terminal sends Ctrl-C to the child, too; ccc only has to survive it.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return child.exited;
}
