import { claudeFolder } from "../claude/claude-paths.ts";
import { join } from "../os/path.ts";
import type { Env } from "../world.ts";

/** ccc's own files. */
export interface Paths {
  readonly folder: string;
  readonly config: string;
  /** The folder of the generated settings. */
  readonly generated: string;
  /** Holds the stamp of the last ccc.json that was found valid. */
  readonly checked: string;
}

export function cccPaths({ env, platform }: { readonly env: Env; readonly platform: NodeJS.Platform }): Paths {
  const folder = env.CCC_CONFIG_DIR || claudeFolder(env, platform);
  const generated = join(folder, "ccc");
  return { folder, config: join(folder, "ccc.json"), generated, checked: join(generated, "checked") };
}
