import { isAbsolute, join, resolve } from "node:path";
import { CccError, EXIT } from "../io/errors.ts";
import type { FileIdentity } from "../io/files.ts";
import type { World } from "../world.ts";

/** The claude to run: CCC_CLAUDE, else the first on PATH that is not ccc itself, by whatever name or link. */
export function findClaude({ env, files, platform, self, cwd }: World): string {
  const own = files.identify(self);
  if (env.CCC_CLAUDE?.includes("/") || env.CCC_CLAUDE?.includes("\\")) {
    const path = resolve(cwd, env.CCC_CLAUDE);
    const found = files.identify(path);
    if (!isProgram(found)) throw notFound(`CCC_CLAUDE is ${path}, where there is no program`);
    if (isSame(found, own)) throw notFound(`CCC_CLAUDE is ${path}, which is ccc itself`);
    return path;
  }
  const name = env.CCC_CLAUDE || "claude";
  const names = platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
  for (const folder of (env.PATH ?? "").split(platform === "win32" ? ";" : ":")) {
    // A relative entry would let the folder that ccc is called in decide what runs.
    if (!isAbsolute(folder)) continue;
    for (const file of names) {
      const found = files.identify(join(folder, file));
      if (isProgram(found) && !isSame(found, own)) return join(folder, file);
    }
  }
  throw notFound(`Claude Code was not found: there is no ${name} on your PATH`);
}

function isProgram(found: FileIdentity | undefined): found is FileIdentity {
  return found?.isFile === true && found.isExecutable;
}

/** The same file, or a copy: no two programs of a hundred megabytes have the same size by chance. */
function isSame(found: FileIdentity, own: FileIdentity | undefined): boolean {
  return found.id === own?.id || found.size === own?.size;
}

function notFound(message: string): CccError {
  return new CccError(message, {
    exitCode: EXIT.noClaude,
    advice: "Install it with: npm install -g @anthropic-ai/claude-code\nOr set CCC_CLAUDE to its path.",
  });
}
