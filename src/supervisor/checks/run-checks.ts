import type { ChildRequest, ChildResult } from "../../os/child.ts";
import type { Env, World } from "../../world.ts";
import type { CheckResult } from "./describe-checks.ts";
import { lastLines } from "./last-lines.ts";

export interface CheckRun {
  readonly commands: readonly string[];
  readonly cwd: string;
  readonly env: Env;
  readonly timeoutSeconds: number;
  /** Masks the secrets of the session. */
  readonly clean: (text: string) => string;
  /** Gets each command before it runs. */
  readonly onCheck: (command: string) => void;
}

/** Runs checks in order, until one fails. Undefined if ccc was asked to end meanwhile. */
export async function runChecks(
  world: Pick<World, "run" | "now" | "platform">,
  { commands, cwd, env, timeoutSeconds, clean, onCheck }: CheckRun,
): Promise<CheckResult[] | undefined> {
  const results: CheckResult[] = [];
  for (const command of commands) {
    onCheck(command);
    const startedAt = world.now().getTime();
    const output = lastLines();
    const ended = await world.run({
      program: shellProgram(command, env, world.platform),
      cwd,
      stdin: "",
      timeoutMs: timeoutSeconds * 1000,
      onLine: (line) => {
        output.add(line);
        return false;
      },
    });
    if (ended.ending === "interrupted") return undefined;
    const isPassed = ended.ending === "exited" && ended.exitCode === 0;
    const seconds = Math.round((world.now().getTime() - startedAt) / 1000);
    results.push({
      command,
      ending: describeEnding(ended, timeoutSeconds),
      isPassed,
      seconds,
      output: output.text(clean),
    });
    if (!isPassed) break;
  }
  return results;
}

/** stdout and stderr as one stream, in the order of their lines. */
export function shellProgram(command: string, env: Env, platform: NodeJS.Platform): ChildRequest["program"] {
  if (platform === "win32")
    return { file: env.COMSPEC || "cmd.exe", args: ["/d", "/s", "/c", `(${command}) 2>&1`], env };
  return { file: "/bin/sh", args: ["-c", 'exec /bin/sh -c "$1" 2>&1', "sh", command], env };
}

function describeEnding({ ending, exitCode }: ChildResult, timeoutSeconds: number): string {
  if (ending === "timeout") return `timed out after ${timeoutSeconds} ${timeoutSeconds === 1 ? "second" : "seconds"}`;
  return exitCode === null ? "killed by a signal" : `exit ${exitCode}`;
}
