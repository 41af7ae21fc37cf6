import type { Paths } from "../../config/ccc-paths.ts";
import { findClaude } from "../../launch/find.ts";
import { prettyJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { knownChecks } from "../checks/known-checks.ts";
import { rememberEnvironment } from "../record/launch-environment.ts";
import { findLaunch, findUse, heard, type LaunchRecord, markHeard, readLaunch } from "../record/launch-record.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { checkSource, readInstructions } from "../review/instructions.ts";
import { readOptions } from "../supervisor-options.ts";

/**
 * The launch that a session belongs to. It is decided at the session's first event, before the agent can have done
 * anything, and read from the session's own record from then on.
 */
export function bindLaunch(
  world: World,
  paths: Paths,
  record: SessionRecord,
  session: { readonly project: string; readonly isPersistent: boolean; readonly isNew: boolean },
  write: (action: () => void) => void,
): LaunchRecord {
  const bound = session.isNew ? undefined : readLaunch(world.files, record.launch);
  if (bound !== undefined) return bound;
  const launched = session.isPersistent ? undefined : findLaunch(world.files, paths, session.project);
  const launch = launched === undefined ? startedElsewhere(world, paths, session.project) : heard(launched);
  write(() => world.files.writePrivate(record.launch, prettyJson(launch)));
  if (launched !== undefined) write(() => markHeard(world.files, paths, launched));
  return launch;
}

/** For a session that ccc did not launch: the claude that `ccc use` found, and the current instructions and checks. */
function startedElsewhere(world: World, paths: Paths, project: string): LaunchRecord {
  const instructions = readInstructions(world.files, project, paths.folder, () => {});
  const { checks: own } = readOptions({ ...world, env: { ...world.env, CCC_CONFIG_DIR: paths.folder } }, () => {});
  const checks = knownChecks(world, paths, project, { own, ...checkSource(instructions, paths.folder) });
  const use = findUse(world.files, paths);
  if (use !== undefined) return { ...use, cwd: project, instructions, checks };
  const environment = rememberEnvironment(world.env);
  const found = {
    cwd: project,
    claude: findClaude(world),
    version: null,
    same_model: false,
    reviewer: "",
    fallback: [],
  };
  return { ...found, environment, instructions, checks };
}

/** The claude of the launch or, if it has been removed since, the one that a launch would find now. */
export function claudeOf(world: World, { claude }: LaunchRecord): string {
  return world.files.programSize(claude) === undefined ? findClaude(world) : claude;
}
