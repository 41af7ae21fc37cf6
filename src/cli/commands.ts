import type { CommandDef } from "citty";
import type { World } from "../world.ts";
import type { CommandName } from "./command-names.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { providerCommand } from "./provider.ts";
import { useCommand } from "./use.ts";

/** ccc's own commands. The hook is none of citty's: it has to be quick. */
export const COMMANDS: Record<Exclude<CommandName, "supervisor-hook">, (world: World) => CommandDef> = {
  demo: demoCommand,
  doctor: doctorCommand,
  provider: providerCommand,
  use: useCommand,
};
