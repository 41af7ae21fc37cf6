import { readLayers } from "../../claude/layers.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { isCommandName } from "../../config/command-names.ts";
import { CccError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { findPreset } from "../../providers/new-provider.ts";
import { kindOf } from "../../providers/variables.ts";
import { canAsk } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { addProvider } from "./add.ts";

/** Offers to add a first provider. Returns whether one was added. */
export async function offerProvider(world: World): Promise<boolean> {
  const [first = ""] = world.argv;
  if (!canAsk(world) || isCommandName(first)) return false;
  // Fail before asking anything if claude is missing.
  findClaude(world);
  const { config } = cccPaths(world);
  const log = createLog(world);
  log.info(`${config} has no provider yet`);
  if (hasProviderInSettings(world)) {
    log.info("your settings.json already has a provider; to use it with ccc: ccc migrate");
  }
  // `ccc kimi` on a new machine already says which one.
  const wanted = findPreset(world.argv.find((word) => !word.startsWith("-")) ?? "");
  const question = wanted === undefined ? "Add one now?" : `Set up ${wanted.name} (${wanted.label}) now?`;
  if (!(await world.ask.confirm(question, true))) {
    throw new CccError("nothing was changed", { advice: "To add a provider later: ccc provider add" });
  }
  const given = wanted === undefined ? {} : { name: wanted.name };
  const name = await addProvider(given, { store: undefined, replace: false }, world);
  log.info(`starting ${name}; next time: ccc ${name}`);
  return true;
}

function hasProviderInSettings(world: World): boolean {
  const [user] = readLayers(world.files, world).settings;
  return Object.entries(user?.env ?? {}).some(([name, value]) => value && kindOf(name) && kindOf(name) !== "model");
}
