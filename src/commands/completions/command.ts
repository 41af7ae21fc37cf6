import { defineCommand } from "citty";
import { usageError } from "../../errors.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";
import { SCRIPTS, type Shell } from "./scripts.ts";

const SHELLS = Object.keys(SCRIPTS) as Shell[];

const DESCRIPTION = `Print a completion script for ccc's commands, their options and your providers,
and for claude's own options and subcommands after a provider.
The first line of the script says how to install it.

Examples
  source <(ccc completions bash)
  ccc completions fish | source

More
  ${docsPage("completions.md")}`;

export function completionsCommand(world: World) {
  return defineCommand({
    meta: {
      name: "completions",
      description: DESCRIPTION,
    },
    args: { shell: { type: "positional", required: true, valueHint: SHELLS.join("|"), description: "your shell" } },
    run: ({ args }) => {
      const shell = SHELLS.find((name) => name === args.shell);
      if (shell === undefined) throw usageError(`unsupported shell "${args.shell}"`, `Supported: ${SHELLS.join(", ")}`);
      world.stdout(SCRIPTS[shell]);
    },
  });
}
