import { claudeFolder } from "../claude/paths.ts";
import { join } from "../os/path.ts";
import type { Env } from "../world.ts";

/** Where ccc keeps its own files. */
export interface Paths {
  readonly folder: string;
  readonly config: string;
  /** The folder of the generated settings. */
  readonly generated: string;
  /** Holds the stamp of the last ccc.json that passed the checks. */
  readonly checked: string;
}

export function cccPaths(env: Env, platform: NodeJS.Platform): Paths {
  const folder = env.CCC_CONFIG_DIR || claudeFolder(env, platform);
  const generated = join(folder, "ccc");
  return { folder, config: join(folder, "ccc.json"), generated, checked: join(generated, "checked") };
}
