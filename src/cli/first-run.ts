import { cccPaths } from "../config/paths.ts";
import { canAsk } from "../io/ask.ts";
import { findPreset } from "../providers/new-provider.ts";
import type { World } from "../world.ts";
import { isCommandName } from "./command-names.ts";
import { addProvider } from "./provider/add.ts";

/** Offers to add a first provider to somebody who wants to launch one. Whether there is one now. */
export async function offerProvider(world: World): Promise<boolean> {
  const [first = ""] = world.argv;
  if (!canAsk(world) || isCommandName(first)) return false;
  const { config } = cccPaths(world.env, world.platform);
  world.stderr(`ccc: there is no provider in ${config} yet\n`);
  if (!(await world.ask.confirm("Add one now?", true))) return false;
  // `ccc kimi` on a new machine says already which one.
  const wanted = world.argv.find((word) => !word.startsWith("-")) ?? "";
  await addProvider(
    findPreset(wanted) === undefined ? {} : { name: wanted },
    { store: undefined, replace: false },
    world,
  );
  return true;
}
