import type { CommandDef } from "citty";
import type { World } from "../world.ts";
import type { CommandName } from "./command-names.ts";

/** ccc's own commands, each loaded only when it is called. */
export const COMMANDS: Record<CommandName, (world: World) => Promise<CommandDef>> = {
  provider: async (world) => (await import("./provider.ts")).providerCommand(world),
};
