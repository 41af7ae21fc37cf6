import { checkBash } from "./check-bash.ts";
import { LIST_KEYS, overriddenKeys, repositoryKeys } from "./git-overrides.ts";
import type { ToolContext } from "./judge.ts";
import type { Disk, Machine } from "./machine.ts";

/** Refuses a command line, by throwing, unless it only reads or runs tests. */
export function guardBash(line: string, context: ToolContext, env: NodeJS.ProcessEnv): void {
  checkBash(line, {
    ...context,
    machine: machineOf(context.machine, env),
    get overridden() {
      return overriddenKeys(env);
    },
  });
}

function machineOf(disk: Disk, env: NodeJS.ProcessEnv): Machine {
  const git = (folder: string, ...args: string[]) => {
    const { success, stdout } = Bun.spawnSync(["git", ...args], {
      cwd: folder,
      env,
      stdin: "ignore",
      stderr: "ignore",
    });
    return success ? stdout.toString() : undefined;
  };
  return {
    ...disk,
    program: (name) => disk.realPath(Bun.which(name, { PATH: env.PATH ?? "" }) ?? ""),
    gitKeys: (folder) => {
      const list = git(folder, ...LIST_KEYS);
      return list === undefined ? undefined : repositoryKeys(list);
    },
    gitTop: (folder) => disk.realPath(git(folder, "rev-parse", "--show-toplevel")?.trim() ?? ""),
  };
}
