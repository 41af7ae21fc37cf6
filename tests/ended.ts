/** Whether a process runs. One that has ended may still have an entry until its parent has asked. */
export function isRunning(pid: number | string): boolean {
  return !/^(Z.*)?$/s.test(Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]).stdout.toString());
}

/** Waits until processes that were killed have ended: on a busy machine they may still have to run for that. */
export async function haveEnded(...pids: readonly (number | string)[]): Promise<true> {
  while (pids.some(isRunning)) await Bun.sleep(5);
  return true;
}
