import { readLayers } from "../../claude/layers.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { findClaude } from "../../launch/find.ts";
import type { Env, World } from "../../world.ts";
import { knownChecks } from "../checks/known-checks.ts";
import type { HookOptions } from "../hook-options.ts";
import { rememberEnvironment } from "../record/launch-environment.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { checkSource, readInstructions } from "../review/instructions.ts";
import { readOptions } from "../supervisor-options.ts";

/**
 * For a session in a terminal that is not supervised: what a later supervision relies on, as it is before the agent does
 * anything.
 */
export function launchAtStart(
  world: World,
  paths: Paths,
  project: string,
  { provider }: Pick<HookOptions, "provider">,
): LaunchRecord {
  const env = withoutFoldersVariables(world, project);
  const own: World = { ...world, env: { ...env, CCC_CONFIG_DIR: paths.folder } };
  const instructions = readInstructions(world.files, project, paths.folder, () => {});
  const { checks } = readOptions(own, () => {});
  const unknown = { version: null, same_model: false, reviewer: "", fallback: [] };
  return {
    ...unknown,
    cwd: project,
    ...(provider === undefined ? {} : { provider }),
    claude: findClaude(own),
    environment: rememberEnvironment(env),
    instructions,
    checks: knownChecks(own, paths, project, { own: checks, ...checkSource(instructions, paths.folder) }),
  };
}

/**
 * Without variables that the settings of the folder name: they must not decide what runs in a review. What the shell had
 * in their place is not known here.
 */
function withoutFoldersVariables(world: World, project: string): Env {
  const layers = readLayers(world.files, { ...world, cwd: project }).settings.filter(({ scope }) => scope !== "user");
  const named = new Set(layers.flatMap((layer) => Object.keys(layer.env)));
  return Object.fromEntries(Object.entries(world.env).filter(([name]) => !named.has(name)));
}
