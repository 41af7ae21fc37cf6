import { join } from "node:path";
import { claudeFolder } from "../../claude/claude-paths.ts";
import { settingsPaths } from "../../claude/layers.ts";
import type { Files } from "../../os/files.ts";
import type { World } from "../../world.ts";

export interface UsePlaces {
  readonly files: Files;
  readonly now: () => Date;
  /** Claude Code's settings.json. */
  readonly settings: string;
  readonly record: string;
  readonly backups: string;
}

export function usePlaces(world: World): UsePlaces {
  const { env, platform, files, now } = world;
  // Beside settings.json: it has one record, whichever ccc.json the provider comes from.
  const folder = claudeFolder(env, platform);
  return {
    files,
    now,
    settings: settingsPaths(world).user,
    record: join(folder, "ccc/use.json"),
    backups: join(folder, "ccc/backups"),
  };
}
