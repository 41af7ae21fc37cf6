import type { CommandDef } from "citty";
import { SCRIPTS, type Shell } from "../completions/scripts.ts";
import { usageError } from "../io/errors.ts";
import type { World } from "../world.ts";

const SHELLS = Object.keys(SCRIPTS) as Shell[];

/** `ccc completions`: the script by which a shell completes ccc's command lines. */
export function completionsCommand(world: World): CommandDef {
  return {
    meta: {
      name: "completions",
      description:
        "Print the script by which a shell completes ccc's commands and your providers; its first line says how",
    },
    args: { shell: { type: "positional", required: true, valueHint: SHELLS.join("|"), description: "Your shell" } },
    run: ({ args }) => {
      const shell = SHELLS.find((name) => name === args.shell);
      if (shell === undefined) throw usageError(`there is no script for "${args.shell}"`);
      world.stdout(SCRIPTS[shell]);
    },
  };
}
