import type { CommandDef } from "citty";
import type { CommandName } from "../config/command-names.ts";
import type { World } from "../world.ts";
import { completionsCommand } from "./completions.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import type { HookName } from "./hooks.ts";
import { keyCommand } from "./key.ts";
import { migrateCommand } from "./migrate.ts";
import { providerCommand } from "./provider/command.ts";
import { upgradeCommand } from "./upgrade.ts";
import { useCommand } from "./use/command.ts";
import { validateCommand } from "./validate.ts";
import { versionCommand } from "./version.ts";
import { whyCommand } from "./why.ts";

/** ccc's own commands. The hooks are none of citty's: they have to be quick. */
export const COMMANDS: Record<Exclude<CommandName, HookName>, (world: World) => CommandDef> = {
  completions: completionsCommand,
  demo: demoCommand,
  doctor: doctorCommand,
  key: keyCommand,
  migrate: migrateCommand,
  provider: providerCommand,
  upgrade: upgradeCommand,
  use: useCommand,
  validate: validateCommand,
  version: versionCommand,
  why: whyCommand,
};
