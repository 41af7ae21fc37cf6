import { join } from "node:path";
import { claudeFolder } from "../claude/paths.ts";
import { cccPaths } from "../config/paths.ts";
import type { World } from "../world.ts";
import type { UsePlaces } from "./switch.ts";

/** Where `ccc use` works. */
export function usePlaces({ env, platform, files, now }: World): UsePlaces {
  const { generated } = cccPaths(env, platform);
  return {
    files,
    now,
    settings: join(claudeFolder(env, platform), "settings.json"),
    record: join(generated, "use.json"),
    backups: join(generated, "backups"),
  };
}
