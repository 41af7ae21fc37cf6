import type { World } from "../../world.ts";
import { checkEnvironment } from "../checks/check-environment.ts";
import type { SessionChecks } from "../checks/check-session.ts";
import { providerKeys } from "../known-secrets.ts";
import { launchEnvironment } from "../record/launch-environment.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { readIdentity } from "./reviewer-program.ts";

/** The checks that a launch settled, in its environment. `settings` is the reviewer's file. */
export function sessionChecks(
  world: World,
  { checks: { commands }, environment }: LaunchRecord,
  { checks: memory }: SessionRecord,
  settings: string | undefined,
): SessionChecks {
  if (commands.length === 0) return { commands, env: {}, memory };
  const keys = providerKeys(world, settings === undefined ? [] : [readIdentity(world.files, settings)]);
  return { commands, env: checkEnvironment(launchEnvironment(environment, world.env), keys), memory };
}
