import { join, programFolders } from "../os/path.ts";
import type { World } from "../world.ts";

/** A path of ccc that survives upgrades: the link on PATH if there is one, not its target. */
export function lastingPath({ env, files, self, platform }: World): string {
  const own = files.identify(self)?.id;
  const folders = platform === "win32" ? [] : programFolders(env, platform);
  return folders.map((folder) => join(folder, "ccc")).find((path) => files.identify(path)?.id === own) ?? self;
}
