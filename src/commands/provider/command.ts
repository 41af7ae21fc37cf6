import { defineCommand } from "citty";
import type { World } from "../../world.ts";
import { addCommand } from "./add.ts";
import { listCommand } from "./list.ts";
import { presetsCommand } from "./presets.ts";
import { removeCommand } from "./remove.ts";
import { showCommand } from "./show.ts";

/** `ccc provider …`: the providers in ccc.json. */
export function providerCommand(world: World) {
  return defineCommand({
    meta: { name: "provider", description: "The providers in ccc.json, and those that ccc knows." },
    subCommands: {
      add: addCommand(world),
      list: listCommand(world),
      show: showCommand(world),
      remove: removeCommand(world),
      presets: presetsCommand(world),
    },
  });
}
