import { defineCommand } from "citty";
import type { World } from "../../world.ts";
import { addCommand } from "./add.ts";
import { editCommand } from "./edit-provider.ts";
import { editorCommand } from "./editor.ts";
import { listCommand } from "./list.ts";
import { presetsCommand } from "./list-presets.ts";
import { removeCommand } from "./remove.ts";
import { renameCommand } from "./rename.ts";
import { setKeyCommand } from "./set-key.ts";
import { showCommand } from "./show.ts";
import { updateCommand } from "./update.ts";

export function providerCommand(world: World) {
  return defineCommand({
    meta: { name: "provider", description: "Manage the providers in ccc.json." },
    subCommands: {
      add: addCommand(world),
      list: listCommand(world),
      show: showCommand(world),
      "set-key": setKeyCommand(world),
      edit: editCommand(world),
      rename: renameCommand(world),
      update: updateCommand(world),
      remove: removeCommand(world),
      presets: presetsCommand(world),
      editor: editorCommand(world),
    },
  });
}
