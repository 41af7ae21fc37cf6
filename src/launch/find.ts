import { isAbsolute, join, resolve } from "node:path";
import { CccError, EXIT } from "../io/errors.ts";
import type { Files } from "../io/files.ts";
import type { World } from "../world.ts";

/** The claude to run: CCC_CLAUDE, else the first on PATH that is not ccc itself, by whatever name or link. */
export function findClaude({ env, files, platform, self, cwd }: World): string {
  const own = files.identify(self)?.id;
  if (env.CCC_CLAUDE) {
    const path = resolve(cwd, env.CCC_CLAUDE);
    if (isProgram(files, path, own)) return path;
    throw notFound(`CCC_CLAUDE is ${path}, which is ${own === files.identify(path)?.id ? "ccc itself" : "no program"}`);
  }
  const names = platform === "win32" ? ["claude.exe", "claude.cmd"] : ["claude"];
  for (const folder of (env.PATH ?? "").split(platform === "win32" ? ";" : ":")) {
    // A relative entry would let the folder that ccc is called in decide what runs.
    if (!isAbsolute(folder)) continue;
    const found = names.map((name) => join(folder, name)).find((path) => isProgram(files, path, own));
    if (found !== undefined) return found;
  }
  throw notFound("Claude Code was not found: there is no claude on your PATH");
}

function isProgram(files: Files, path: string, own: string | undefined): boolean {
  const identity = files.identify(path);
  return identity?.isFile === true && identity.isExecutable && identity.id !== own;
}

function notFound(message: string): CccError {
  return new CccError(message, {
    exitCode: EXIT.noClaude,
    advice: "Install it with: npm install -g @anthropic-ai/claude-code\nOr set CCC_CLAUDE to its path.",
  });
}
