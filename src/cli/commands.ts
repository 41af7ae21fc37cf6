import type { CommandDef } from "citty";
import type { World } from "../world.ts";
import type { CommandName } from "./command-names.ts";

/** ccc's own commands, each loaded only when it is called. The hook is none of citty's: it has to be quick. */
export const COMMANDS: Record<Exclude<CommandName, "supervisor-hook">, (world: World) => Promise<CommandDef>> = {
  provider: async (world) => (await import("./provider.ts")).providerCommand(world),
};
