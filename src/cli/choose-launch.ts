import { resumedSession } from "../claude/arguments.ts";
import { CLAUDE_SUBCOMMANDS } from "../claude/subcommands.ts";
import type { Paths } from "../config/ccc-paths.ts";
import { chooseProvider } from "../config/choose-provider.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { LaunchPins } from "../launch/launch-pins.ts";
import type { LaunchRequest } from "../launch/launch-request.ts";
import { lazy } from "../lazy.ts";
import type { World } from "../world.ts";

/** The provider of a launch. */
export interface ChosenLaunch {
  readonly provider: string;
  /** In a few words. */
  readonly why: string;
  /** Why it was chosen, if the user should know. */
  readonly notice: string | undefined;
  readonly pins: LaunchPins;
}

/** The provider that is named, else that of the folder, else that of the session that goes on, else the current one. */
export function chooseLaunch(request: LaunchRequest, loaded: LoadedConfig, paths: Paths, world: World): ChosenLaunch {
  const args = [...(loaded.config.claude_args ?? []), ...request.args];
  const pins = loaded.config.folders ? lazy().launchPins(args, loaded, world) : NO_PINS;
  const chosen =
    request.provider === undefined ? unnamed(request, args, pins, loaded, paths, world) : named(request.provider);
  if (request.anyway) return { ...chosen, pins: { ...pins, strict: [] } };
  const problem = pins.strict.length > 0 ? lazy().otherProviderProblem(chosen.provider, pins) : undefined;
  if (problem !== undefined) throw problem;
  return { ...chosen, pins };
}

const NO_PINS: LaunchPins = { here: undefined, strict: [] };

const WORDS = { pinned: "pinned here", "last used": "last used", first: "first in ccc.json" } as const;

type Chosen = Omit<ChosenLaunch, "pins">;

function named(provider: string): Chosen {
  return { provider, why: "named", notice: undefined };
}

function unnamed(
  request: LaunchRequest,
  args: readonly string[],
  { here }: LaunchPins,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): Chosen {
  if (here === undefined && loaded.providers.size > 1 && !CLAUDE_SUBCOMMANDS.has(request.args[0] ?? "")) {
    const resumed = resumedSession(args);
    if (resumed !== undefined) {
      return { why: "for this session", ...lazy().resumedProvider(resumed, loaded, paths, world) };
    }
  }
  const { provider, why } = chooseProvider(loaded, here);
  return { provider, why: WORDS[why], notice: here && `using ${provider}, which ${here.folder} is pinned to` };
}
