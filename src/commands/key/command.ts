import type { CommandDef } from "citty";
import { loadConfig } from "../../config/own.ts";
import { CccError, usageError } from "../../errors.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { resolvedIdentity } from "../../providers/credentials.ts";
import { known } from "../../providers/known-provider.ts";
import { TOKENS } from "../../providers/variables.ts";
import type { World } from "../../world.ts";

/** `ccc key`: what Claude Code calls as its apiKeyHelper where a key is in no file. */
export function keyCommand(world: World): CommandDef {
  return {
    meta: {
      name: "key",
      description:
        "Print a provider's key. Claude Code calls this where the key in ccc.json is a reference (env:, file:, cmd:, " +
        "keychain:). On a terminal it prints nothing: to see whether a key works, there is ccc validate.",
    },
    args: {
      provider: { type: "positional", required: true, description: "a provider in ccc.json" },
      "config-dir": {
        type: "string",
        valueHint: "FOLDER",
        description: "the folder of ccc.json, instead of $CCC_CONFIG_DIR",
      },
    },
    run: async ({ args }) => {
      if (world.isTerminal(1)) {
        throw usageError(
          "a key is not for a screen: ccc key is what Claude Code calls",
          "To see whether the key is there: ccc validate",
        );
      }
      const folder = args["config-dir"];
      const placed = typeof folder === "string" ? { ...world, env: { ...world.env, CCC_CONFIG_DIR: folder } } : world;
      world.stdout(`${await keyOf(String(args.provider), placed)}\n`);
    },
  };
}

async function keyOf(provider: string, world: World): Promise<string> {
  const loaded = loadConfig(world);
  const { env } = await resolvedIdentity(currentLaunch(world, loaded, known(provider, loaded)), world);
  const key = TOKENS.map((name) => env[name]).find((value) => value);
  if (key === undefined) throw new CccError(`providers.${provider} has no key`);
  return key;
}
