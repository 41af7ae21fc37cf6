import { defineCommand } from "citty";
import { usageError } from "../../errors.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";
import { SCRIPTS, type Shell } from "./scripts.ts";

const SHELLS = Object.keys(SCRIPTS) as Shell[];

const DESCRIPTION = `Print the script by which a shell completes ccc's commands, their options and your providers.
The first line of the script says where to put it.

Examples
  source <(ccc completions bash)
  ccc completions fish | source

More
  ${docsPage("completions.md")}`;

/** `ccc completions`: the script by which a shell completes ccc's command lines. */
export function completionsCommand(world: World) {
  return defineCommand({
    meta: {
      name: "completions",
      description: DESCRIPTION,
    },
    args: { shell: { type: "positional", required: true, valueHint: SHELLS.join("|"), description: "your shell" } },
    run: ({ args }) => {
      const shell = SHELLS.find((name) => name === args.shell);
      if (shell === undefined)
        throw usageError(`there is no script for "${args.shell}"`, `There are: ${SHELLS.join(", ")}`);
      world.stdout(SCRIPTS[shell]);
    },
  });
}
