import { savedSessions } from "../../claude/sessions.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { folderPin } from "../../config/folder-pin.ts";
import { loadConfig } from "../../config/load-config.ts";
import { CccError, EXIT } from "../../errors.ts";
import { claudeHelp, type ReadHelp } from "../../launch/claude-help.ts";
import { findClaude } from "../../launch/find.ts";
import { PRESET_NAMES } from "../../providers/presets.ts";
import type { World } from "../../world.ts";
import { ownCases } from "../calibrate/cases/own-cases.ts";
import type { AnyCommand } from "../definition.ts";
import { type CompletionData, complete } from "./complete.ts";
import { completeClaude } from "./complete-claude.ts";
import { readTree } from "./tree.ts";

/**
 * `ccc completions complete INDEX WORD…`, called by the completion scripts. It bypasses citty, which would parse options
 * among the words as its own.
 */
export async function completeWords(
  [index, ...words]: readonly string[],
  all: Readonly<Record<string, (world: World) => AnyCommand>>,
  world: World,
): Promise<number> {
  const commands = await Promise.all(Object.values(all).map((command) => readTree(command(world))));
  const sessions = savedSessions(world.files, world).map(({ id }) => id);
  const found = await complete(words, Number(index), {
    commands: commands.filter(({ name }) => !FOR_PROGRAMS.includes(name)),
    ...providersHere(world),
    presets: PRESET_NAMES,
    cases: () => Object.keys(ownCases()),
    sessions,
    completeClaude: (before, current) => completeClaude(before, current, helpOf(world), sessions),
  });
  const lines = found === "files" ? [":files"] : found.map(({ value, description }) => `${value}\t${description}`);
  world.stdout(lines.map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}

const FOR_PROGRAMS = ["key"];

/** Without claude there is nothing to complete; the launch will say so. */
function helpOf(world: World): ReadHelp {
  try {
    return claudeHelp(world, findClaude(world), cccPaths(world));
  } catch (error) {
    if (error instanceof CccError) return async () => undefined;
    throw error;
  }
}

/** An unreadable ccc.json must not interrupt someone who is typing. */
function providersHere(world: World): Pick<CompletionData, "providers" | "pin"> {
  try {
    const loaded = loadConfig(world);
    return { providers: [...loaded.providers.keys()], pin: folderPin(loaded, world) };
  } catch {
    return { providers: [], pin: undefined };
  }
}
