import { readLayers } from "../../claude/layers.ts";
import { isCommandName } from "../../config/command-names.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { findPreset } from "../../providers/new-provider.ts";
import { kindOf } from "../../providers/variables.ts";
import { canAsk } from "../../terminal/ask.ts";
import type { World } from "../../world.ts";
import { addProvider } from "./add.ts";

/** Offers to add a first provider to somebody who wants to launch one. Whether there is one now. */
export async function offerProvider(world: World): Promise<boolean> {
  const [first = ""] = world.argv;
  if (!canAsk(world) || isCommandName(first)) return false;
  // Without a claude all answers would be for nothing.
  findClaude(world);
  const { config } = cccPaths(world);
  world.stderr(`ccc: unknown provider in ${config} yet\n`);
  if (hasProviderInSettings(world)) {
    world.stderr("Your settings.json names a provider already. To make it one of ccc's: ccc migrate\n");
  }
  // `ccc kimi` on a new machine says already which one.
  const wanted = findPreset(world.argv.find((word) => !word.startsWith("-")) ?? "");
  const question = wanted === undefined ? "Add one now?" : `Set up ${wanted.name}, ${wanted.label}, now?`;
  if (!(await world.ask.confirm(question, true))) {
    throw new CccError("nothing was changed", { advice: "To add a provider later: ccc provider add" });
  }
  const given = wanted === undefined ? {} : { name: wanted.name };
  const name = await addProvider(given, { store: undefined, replace: false }, world);
  world.stderr(`Starting it. Next time: ccc ${name}\n`);
  return true;
}

function hasProviderInSettings(world: World): boolean {
  const [user] = readLayers(world.files, world).settings;
  return Object.entries(user?.env ?? {}).some(([name, value]) => value && kindOf(name) && kindOf(name) !== "model");
}
