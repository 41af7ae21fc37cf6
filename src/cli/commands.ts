import { calibrateCommand } from "../commands/calibrate/command.ts";
import { completionsCommand } from "../commands/completions/command.ts";
import type { AnyCommand } from "../commands/definition.ts";
import { demoCommand } from "../commands/demo/command.ts";
import { doctorCommand } from "../commands/doctor/command.ts";
import { keyCommand } from "../commands/key/command.ts";
import { migrateCommand } from "../commands/migrate/command.ts";
import { pinCommand } from "../commands/pin/command.ts";
import { providerCommand } from "../commands/provider/command.ts";
import { reportCommand } from "../commands/report/command.ts";
import { reviewCommand } from "../commands/review/command.ts";
import { upgradeCommand } from "../commands/upgrade/command.ts";
import { usageCommand } from "../commands/usage/command.ts";
import { useCommand } from "../commands/use/command.ts";
import { validateCommand } from "../commands/validate/command.ts";
import { versionCommand } from "../commands/version/command.ts";
import { whyCommand } from "../commands/why/command.ts";
import type { CommandName } from "../config/command-names.ts";
import type { HookName } from "../marks.ts";
import type { World } from "../world.ts";

/** ccc's own commands. Hooks do not go through citty: they have to start fast. */
export const COMMANDS: Record<
  Exclude<CommandName, HookName | "statusline" | "supervisor-guard">,
  (world: World) => AnyCommand
> = {
  calibrate: calibrateCommand,
  completions: completionsCommand,
  demo: demoCommand,
  doctor: doctorCommand,
  key: keyCommand,
  migrate: migrateCommand,
  pin: pinCommand,
  provider: providerCommand,
  report: reportCommand,
  review: reviewCommand,
  upgrade: upgradeCommand,
  usage: usageCommand,
  use: useCommand,
  validate: validateCommand,
  version: versionCommand,
  why: whyCommand,
};
