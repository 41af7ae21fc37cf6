import type { Paths } from "../config/paths.ts";
import { CccError } from "../io/errors.ts";
import { claudeVersion } from "../launch/claude-version.ts";
import type { Supervision } from "../launch/supervised-settings.ts";
import { banner, versionWarning } from "../launch/supervision.ts";
import { DEFAULT_INSTRUCTIONS, instructionPaths } from "../supervisor/instructions.ts";
import type { World } from "../world.ts";

/** What a supervised launch says and prepares before claude starts. */
export async function prepareSupervision(
  world: World,
  paths: Paths,
  launch: { provider: string; claude: string; supervision: Supervision },
): Promise<void> {
  const say = (message: string) => world.stderr(`ccc: ${message}\n`);
  const warning = versionWarning(await claudeVersion(world, launch.claude, paths));
  if (warning !== undefined) say(warning);
  createInstructions(world, paths, say, launch.supervision);
  say(banner(launch.provider, launch.supervision));
}

/** Puts the default SUPERVISOR.md where the user can find and change it, unless there is one. */
function createInstructions(world: World, paths: Paths, say: (message: string) => void, { engine }: Supervision): void {
  const candidates = instructionPaths(world.cwd, paths.folder);
  const own = candidates.at(-1);
  if (own === undefined || candidates.some((path) => world.files.identify(path) !== undefined)) return;
  try {
    world.files.create(own, DEFAULT_INSTRUCTIONS);
    say(`created ${own}, the reviewer's instructions; change them as you like`);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    if (engine === "loop") {
      throw new CccError(`there is no SUPERVISOR.md, and none could be created: ${error.message}`, {
        advice: `Create ${candidates.join(" or ")}: what the reviewer goes by.`,
      });
    }
    say(`${error.message}; the reviewer works by the built-in instructions`);
  }
}
