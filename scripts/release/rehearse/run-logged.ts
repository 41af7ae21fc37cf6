import { appendFile } from "node:fs/promises";
import type { Run } from "./step.ts";

const TIMEOUT_MS = 15 * 60_000;

/** Runs commands for one step, and writes each with its output to a log. */
export function runLogged(log: string, root: string): Run {
  return async (command, { cwd = root, env, timeoutMs = TIMEOUT_MS, shown } = {}) => {
    const words = shown ?? command.join(" ");
    await appendFile(log, `$ ${words}\n`);
    const child = Bun.spawn([...command], {
      cwd,
      env: env ?? process.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    await appendFile(log, stdout + stderr);
    if (child.exitCode === 0) return stdout;
    const how = child.signalCode === "SIGKILL" ? `killed after ${timeoutMs / 1000} s` : `exit code ${child.exitCode}`;
    const last = (stderr.trim() || stdout.trim()).split("\n").at(-1) ?? "";
    throw new Error(`${words.slice(0, 80)}: ${how}: ${last} (log: ${log})`);
  };
}
