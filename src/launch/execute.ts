import type { Paths } from "../config/paths.ts";
import { CccError } from "../io/errors.ts";
import type { World } from "../world.ts";
import type { Plan } from "./plan.ts";

/** Holds the process id while claude starts: a "claude" that turns out to be ccc again finds its own id there. */
export const EXEC_MARK = "CCC_EXEC";

/** Does what a plan says. It decides nothing. */
export function execute(plan: Plan, world: World, paths: Paths): Promise<number> {
  for (const notice of plan.notices) world.stderr(`ccc: ${notice}\n`);
  for (const { path, content } of plan.files) world.files.writePrivate(path, asText(content));
  if (plan.remember) remember(plan, world, paths);
  const env: Record<string, string | undefined> = { ...world.env, [EXEC_MARK]: String(world.pid) };
  for (const name of plan.unset) delete env[name];
  return world.exec({ file: plan.file, args: plan.args, env });
}

/** A ccc.json that cannot be written, in a read-only home for instance, does not stand in the way of a launch. */
function remember(plan: Plan, world: World, paths: Paths): void {
  try {
    editing().rememberProvider(world.files, paths.config, plan.provider);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    world.stderr(`ccc: "${plan.provider}" is not remembered as the current provider: ${error.message}\n`);
  }
}

/** Loaded late: most launches stay with the provider of the last. */
function editing(): typeof import("../config/remember.ts") {
  return require("../config/remember.ts");
}

function asText(content: Plan["files"][number]["content"]): string {
  return typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
}
