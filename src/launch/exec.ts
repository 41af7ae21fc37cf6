import { CccError, EXIT, reason } from "../errors.ts";
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
    throw new CccError(`cannot run ${file}: ${reason(error)}`, { exitCode: EXIT.cannotRun });
  }
}

async function handOver(file: string, args: readonly string[], env: Program["env"]): Promise<number> {
  const child = Bun.spawn([file, ...args], { env: { ...env }, stdio: ["inherit", "inherit", "inherit"] });
  // The terminal sends Ctrl-C to the child, too; ccc only has to survive it.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return child.exited;
}
