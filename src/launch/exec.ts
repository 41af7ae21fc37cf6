import { CccError, EXIT, reason } from "../errors.ts";
import type { Program } from "../world.ts";

/** Runs a program in ccc's place: on Linux and macOS by becoming it, on Windows by waiting for it. */
export async function exec({ file, args, env }: Program): Promise<number> {
  try {
    if (process.platform === "win32") return await handOver(file, args, env);
    // Bun queues a warning first, that execve is experimental. Nobody lives to read it, and to make the queue takes longer
    // than all that ccc does; with no queue there is no warning.
    process.nextTick = () => {};
    return process.execve?.(file, [file, ...args], { ...env } as NodeJS.ProcessEnv) ?? EXIT.cannotRun;
  } catch (error) {
    throw new CccError(`cannot run ${file}: ${reason(error)}`, { exitCode: EXIT.cannotRun });
  }
}

async function handOver(file: string, args: readonly string[], env: Program["env"]): Promise<number> {
  const child = Bun.spawn([file, ...args], { env: { ...env }, stdio: ["inherit", "inherit", "inherit"] });
  // Ctrl-C reaches the child from the terminal itself; ccc only has to outlive it.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return child.exited;
}
