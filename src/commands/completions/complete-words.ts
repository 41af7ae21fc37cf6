import { loadConfig } from "../../config/load-config.ts";
import { EXIT } from "../../errors.ts";
import { PRESET_NAMES } from "../../providers/presets.ts";
import type { World } from "../../world.ts";
import type { AnyCommand } from "../definition.ts";
import { complete } from "./complete.ts";
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
  const found = complete(words, Number(index), {
    commands: commands.filter(({ name }) => !FOR_PROGRAMS.includes(name)),
    providers: providerNames(world),
    presets: PRESET_NAMES,
  });
  const lines = found === "files" ? [":files"] : found.map(({ value, description }) => `${value}\t${description}`);
  world.stdout(lines.map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}

const FOR_PROGRAMS = ["key"];

/** An unreadable ccc.json must not interrupt someone who is typing. */
function providerNames(world: World): string[] {
  try {
    return [...loadConfig(world).providers.keys()];
  } catch {
    return [];
  }
}
