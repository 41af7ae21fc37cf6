import { readLayers } from "../claude/layers.ts";
import type { Paths } from "../config/paths.ts";
import { CccError } from "../errors.ts";
import { claudeVersion } from "../launch/claude-version.ts";
import type { World } from "../world.ts";
import { DEFAULT_INSTRUCTIONS, instructionPaths, ownInstructionsPath, readInstructions } from "./instructions.ts";
import { rememberEnvironment } from "./launch-environment.ts";
import { type LaunchRecord, launchesFolder, saveLaunch, saveUse } from "./launch-record.ts";
import { sessionsFolder } from "./record.ts";
import type { Supervision } from "./supervised-settings.ts";
import { banner, versionWarning } from "./supervision.ts";

/** What a supervised launch says and prepares before claude starts: all that its reviews go by is settled here. */
export async function prepareSupervision(
  world: World,
  paths: Paths,
  launch: { provider: string; claude: string; supervision: Supervision; isPersistent: boolean },
): Promise<LaunchRecord> {
  const say = (message: string) => world.stderr(`ccc: ${message}\n`);
  const warning = versionWarning(await claudeVersion(world, launch.claude, paths));
  if (warning !== undefined) say(warning);
  const instructions = readInstructions(world.files, world.cwd, paths.folder, say);
  if (instructions.path === null) createInstructions(world, paths, say, launch.supervision);
  const environment = rememberEnvironment({ ...world.env, ...usersVariables(world) });
  const record = { cwd: world.cwd, claude: launch.claude, environment, instructions };
  keepLaunch(world, paths, record, launch.isPersistent);
  say(banner(launch.provider, launch.supervision));
  return record;
}

/** Variables in the user's own settings.json: Claude Code sets them, and they are the user's like the shell's. */
function usersVariables(world: World): Record<string, string> {
  const own = readLayers(world.files, world).settings.filter(({ scope }) => scope === "user");
  return Object.fromEntries(
    own.flatMap(({ env }) => Object.entries(env).map(([name, value]) => [name, String(value)])),
  );
}

const KEPT_MS = 90 * 24 * 3600 * 1000;

/** Leaves the record for the hooks, and clears away those of long ago. */
function keepLaunch(world: World, paths: Paths, record: LaunchRecord, isPersistent: boolean): void {
  if (isPersistent) saveUse(world.files, paths, record);
  else saveLaunch(world.files, paths, record);
  world.files.removeOld(launchesFolder(paths), (name) => name !== "use.json", KEPT_MS);
  world.files.removeOldFolders(sessionsFolder(paths), KEPT_MS);
}

/** Puts the default SUPERVISOR.md where the user can find and change it, unless there is one. */
function createInstructions(world: World, paths: Paths, say: (message: string) => void, { engine }: Supervision): void {
  const own = ownInstructionsPath(paths.folder);
  if (world.files.identify(own) !== undefined) return;
  try {
    world.files.create(own, DEFAULT_INSTRUCTIONS);
    say(`created ${own}, the reviewer's instructions; change them as you like`);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    if (engine === "loop") {
      throw new CccError(`there is no SUPERVISOR.md, and none could be created: ${error.message}`, {
        advice: `Create ${instructionPaths(world.cwd, paths.folder).join(" or ")}: what the reviewer goes by.`,
      });
    }
    say(`${error.message}; the reviewer works by the built-in instructions`);
  }
}
