import type { CommandName } from "../config/command-line.ts";
import { type LoadedConfig, NoProviders, readConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { CccError, EXIT, messageOf, usageError } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { isHook } from "../marks.ts";
import type { World } from "../world.ts";
import { launch } from "./launch.ts";
import { claudeWords, linkedProvider, route } from "./route.ts";

/** Runs one command line and returns its exit code. */
export async function run(world: World): Promise<number> {
  try {
    return await dispatch(world);
  } catch (error) {
    return error instanceof NoProviders ? withoutProviders(error, world) : report(error, world);
  }
}

/** At a terminal, offers to add a first provider and then runs the command line. */
async function withoutProviders(error: NoProviders, world: World): Promise<number> {
  try {
    return (await lazy().offerProvider(world)) ? await dispatch(world) : report(error, world);
  } catch (failure) {
    return report(failure, world);
  }
}

function report(error: unknown, world: World): number {
  const known = error instanceof CccError ? error : unexpected(error);
  const text = known.advice === undefined ? known.message : `${known.message}\n${known.advice}`;
  lazy().createLog(world).error(lazy().withoutKnownSecrets(text, world));
  return known.exitCode;
}

function dispatch(world: World): number | Promise<number> {
  let config: LoadedConfig | undefined;
  const load = () => {
    config ??= readConfig(world, cccPaths(world), (text, path) => lazy().checkConfig(text, path));
    return config;
  };
  const known = { providers: () => [...load().providers.keys()], presets: () => lazy().PRESET_NAMES };
  const start = {
    linked: linkedProvider(world.name),
    claudeWords: (words: readonly string[]) => claudeWords(words, world),
  };
  const wanted = route(world.argv, known, start);
  switch (wanted.kind) {
    case "launch":
      return launch(wanted.launch, load(), cccPaths(world), world);
    case "command":
      return command(wanted.name, wanted.args, world);
    case "help":
      return say(world, wanted.isWhole ? lazy().HELP + lazy().DETAILS : lazy().HELP);
    case "version":
      return say(world, lazy().versionLine(world));
    case "mistake":
      throw usageError(wanted.message, wanted.advice);
  }
}

/** A bug in ccc: one line instead of a stack trace. */
function unexpected(error: unknown): CccError {
  return new CccError(`internal error: ${messageOf(error)}`, {
    advice: "Please report it, with the command that you ran.",
  });
}

function command(name: CommandName, args: readonly string[], world: World): Promise<number> {
  if (isHook(name)) return lazy().runHook(name, args, world);
  if (name === "supervisor-guard") return Promise.resolve(say(world, lazy().GUARD_HELP));
  if (name === "statusline") return Promise.resolve(say(world, lazy().STATUS_HELP));
  if (name === "completions" && args[0] === "complete")
    return lazy().completeWords(args.slice(1), lazy().COMMANDS, world);
  return lazy().runCommand(name, args, world);
}

function say(world: World, text: string): number {
  world.stdout(text);
  return EXIT.ok;
}
