import type { Paths } from "../config/ccc-paths.ts";
import { join } from "../os/path.ts";
import type { World } from "../world.ts";
import type { Plan } from "./plan.ts";

/**
 * Whether it is still unknown that Claude Code loads the settings of a launch. For one mistake it drops the whole file, with
 * the provider's server and the command for its key, and goes on with the user's login. ccc's own part is known to load;
 * `given` is the plan with nothing else than that and what the user has written.
 */
export function needsProof(plan: Plan, given: Plan, world: World, paths: Paths): boolean {
  const { env: _, apiKeyHelper, ...rest } = given.settings.agent.content;
  if (apiKeyHelper === "" || Object.keys(rest).length === 0 || given.args[0] !== "--settings") return false;
  return !(world.files.read(proofsFile(paths)) ?? "").includes(proofOf(plan, world));
}

/** The mark of these settings and this claude, which changes with each of them. */
export function proofOf({ file, settings }: Plan, { files }: World): string {
  const program = [file, files.programSize(file), files.modified(file)];
  return `${Bun.hash(JSON.stringify([...program, settings.agent.content])).toString(36)}\n`;
}

/** Holds the marks of settings that were found to load. */
export function proofsFile({ generated }: Paths): string {
  return join(generated, "loaded");
}
