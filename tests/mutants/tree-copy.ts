import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { killWithin } from "../attack/processes.ts";

/** A temporary folder with copies of the project to break. */
export interface Copies extends Disposable {
  readonly trees: readonly string[];
}

/** Copies tracked files and untracked ones that git does not ignore. Leaves nothing behind, even after Ctrl-C. */
export function copyProject(project: string, count: number): Copies {
  const files = filesOf(project);
  // Short, because the tests create sockets in it.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "mutants-")));
  const clear = () => {
    for (const signal of SIGNALS) process.off(signal, abort);
    killWithin(root);
    rmSync(root, { recursive: true, force: true });
  };
  const abort = () => {
    clear();
    process.exit(130);
  };
  for (const signal of SIGNALS) process.on(signal, abort);
  const trees = Array.from({ length: count }, (_, index) => join(root, String(index)));
  for (const tree of trees) {
    for (const file of files) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      copyFileSync(join(project, file), join(tree, file));
    }
    symlinkSync(join(project, "node_modules"), join(tree, "node_modules"));
    mkdirSync(join(tree, TEMPORARY));
  }
  return { trees, [Symbol.dispose]: clear };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The folder for the temporary files of a tree's tests. */
export const TEMPORARY = ".t";

function filesOf(project: string): string[] {
  const listed = Bun.spawnSync(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: project,
    // In a git hook these name another repository or index.
    env: { ...process.env, GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined },
  });
  if (!listed.success) throw new Error(`git cannot list the files of ${project}: ${listed.stderr}`);
  return listed.stdout
    .toString()
    .split("\0")
    .filter((file) => file !== "");
}
