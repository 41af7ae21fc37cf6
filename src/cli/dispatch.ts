import type { checkConfig } from "../config/check.ts";
import { type LoadedConfig, NoProviders, readConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { usageError } from "../errors.ts";
import { type LateLaunch, launch } from "../launch/launch.ts";
import type { World } from "../world.ts";
import { claudeWords, linkedProvider, type Route, route } from "./route.ts";

/** What a plain launch does not need. It is handed in and loaded on first use. */
export interface LateProgram extends LateLaunch {
  readonly checkConfig: typeof checkConfig;
  readonly presetNames: () => readonly string[];
  /** Runs whatever is neither a launch nor a mistake, and returns the exit code. */
  readonly runRoute: (route: OtherRoute, world: World) => number | Promise<number>;
  /** Offers to add a first provider. Returns false if it cannot, or if the user declines. */
  readonly offerProvider: (world: World) => Promise<boolean>;
  /** Reports an error and returns its exit code. */
  readonly reportError: (error: unknown, world: World) => number;
}

export type OtherRoute = Exclude<Route, { kind: "launch" | "mistake" }>;

/** Runs one command line and returns its exit code. */
export async function dispatch(world: World, late: () => LateProgram): Promise<number> {
  try {
    return await runLine(world, late);
  } catch (error) {
    return error instanceof NoProviders ? withoutProviders(error, world, late()) : late().reportError(error, world);
  }
}

/** At a terminal, offers to add a first provider and then runs the command line. */
async function withoutProviders(error: NoProviders, world: World, late: LateProgram): Promise<number> {
  try {
    return (await late.offerProvider(world)) ? await runLine(world, () => late) : late.reportError(error, world);
  } catch (failure) {
    return late.reportError(failure, world);
  }
}

function runLine(world: World, late: () => LateProgram): number | Promise<number> {
  let config: LoadedConfig | undefined;
  const load = () => {
    config ??= readConfig(world, cccPaths(world), (text, path) => late().checkConfig(text, path));
    return config;
  };
  const known = { providers: () => [...load().providers.keys()], presets: () => late().presetNames() };
  const start = {
    linked: linkedProvider(world.name),
    claudeWords: (words: readonly string[]) => claudeWords(words, world),
  };
  const wanted = route(world.argv, known, start);
  if (wanted.kind === "launch") return launch(wanted.launch, load(), cccPaths(world), world, late);
  if (wanted.kind === "mistake") throw usageError(wanted.message, wanted.advice);
  return late().runRoute(wanted, world);
}
