import { completeWords } from "../commands/completions/complete.ts";
import { offerProvider } from "../commands/provider/add.ts";
import { versionLine } from "../commands/upgrade.ts";
import { checkConfig } from "../config/check.ts";
import type { CommandName } from "../config/command-line.ts";
import { CccError, EXIT, messageOf } from "../errors.ts";
import { isHook } from "../markers.ts";
import { PRESET_NAMES } from "../providers/preset-list.ts";
import { LATE_LAUNCH } from "../supervisor/launch.ts";
import { withoutKnownSecrets } from "../supervisor/secrets.ts";
import { createLog } from "../terminal/log.ts";
import type { World } from "../world.ts";
import { dispatch, type LateProgram, type OtherRoute } from "./dispatch.ts";
import { DETAILS, GUARD_HELP, HELP, STATUS_HELP } from "./help.ts";
import { runHook } from "./hooks.ts";
import { COMMANDS, runCommand } from "./run-command.ts";

/** Runs one command line and returns its exit code, with all of ccc loaded. */
export function run(world: World): Promise<number> {
  return dispatch(world, () => LATE_PROGRAM);
}

/** All that a plain launch does without. */
const LATE_PROGRAM: LateProgram = {
  ...LATE_LAUNCH,
  checkConfig,
  presetNames: () => PRESET_NAMES,
  offerProvider,
  reportError,
  runRoute,
};

function runRoute(wanted: OtherRoute, world: World): number | Promise<number> {
  switch (wanted.kind) {
    case "command":
      return runNamed(wanted.name, wanted.args, world);
    case "help":
      return print(world, wanted.isWhole ? HELP + DETAILS : HELP);
    case "version":
      return print(world, versionLine(world));
  }
}

function runNamed(name: CommandName, args: readonly string[], world: World): number | Promise<number> {
  if (isHook(name)) return runHook(name, args, world);
  if (name === "supervisor-guard") return print(world, GUARD_HELP);
  if (name === "statusline") return print(world, STATUS_HELP);
  if (name === "completions" && args[0] === "complete") return completeWords(args.slice(1), COMMANDS, world);
  return runCommand(name, args, world);
}

function print(world: World, text: string): number {
  world.stdout(text);
  return EXIT.ok;
}

function reportError(error: unknown, world: World): number {
  const known = error instanceof CccError ? error : unexpected(error);
  const text = known.advice === undefined ? known.message : `${known.message}\n${known.advice}`;
  createLog(world).error(withoutKnownSecrets(text, world));
  return known.exitCode;
}

/** A bug in ccc: one line instead of a stack trace. */
function unexpected(error: unknown): CccError {
  return new CccError(`internal error: ${messageOf(error)}`, {
    advice: "Please report it, with the command that you ran.",
  });
}
