import { supervisorSettings } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { launchPins, otherProviderProblem } from "../../config/pins.ts";
import { CccError } from "../../errors.ts";
import { assumedVersion, proveSettings } from "../../launch/ask-claude.ts";
import { type DecidedLaunch, decideLaunch, PLAIN_LAUNCH } from "../../launch/decide.ts";
import { fileText } from "../../launch/launch.ts";
import { type Plan, settingsProof } from "../../launch/plan.ts";
import { join } from "../../os/path.ts";
import { resolveKeys, withResolvedEnv } from "../../providers/references.ts";
import { LATE_LAUNCH } from "../../supervisor/launch.ts";
import type { World } from "../../world.ts";

/** Why `ccc NAME`, or `ccc --supervisor NAME`, would fail now; undefined if it would start. */
export type LaunchProbe = (provider: string, isSupervised: boolean) => Promise<CccError | undefined>;

/** Goes through a launch up to the point where it would write files and start claude. Fetches each key once. */
export function launchProbe(world: World, loaded: LoadedConfig): LaunchProbe {
  const paths = cccPaths(world);
  const fetched = new Map<string, Promise<unknown>>();
  const fetchKeys = async ({ references }: Plan) => {
    for (const each of references) {
      const key = `${each.field} ${each.reference}`;
      if (!fetched.has(key)) fetched.set(key, resolveKeys([each], world));
      await fetched.get(key);
    }
  };
  const attempt = async (provider: string, isSupervised: boolean) => {
    const decided = decideLaunch(
      { provider, why: "named", notice: undefined, pins: pinsFor(provider, loaded, world) },
      { ...PLAIN_LAUNCH, provider, supervisor: isSupervised },
      await withResolvedEnv(loaded, [provider, ...reviewerNames(loaded)], world),
      paths,
      world,
      () => LATE_LAUNCH,
    );
    const plan = decided.planFor(assumedVersion(world, decided.claude, paths));
    await fetchKeys(plan);
    // The settings that supervision adds are known to load.
    if (!isSupervised) await proveElsewhere(plan, decided, world);
    decided.supervised?.check();
    for (const { path, content } of plan.files)
      if (world.files.read(path) !== fileText(content)) world.files.refuseWrite(path);
  };
  return async (provider, isSupervised) => {
    try {
      await attempt(provider, isSupervised);
      return undefined;
    } catch (error) {
      if (error instanceof CccError) return error;
      throw error;
    }
  };
}

/** Without the pin of this folder to another provider, which does not prevent a launch elsewhere. */
function pinsFor(provider: string, loaded: LoadedConfig, world: World) {
  const pins = launchPins(loaded.config.claude_args ?? [], loaded, world);
  return otherProviderProblem(provider, pins) === undefined ? pins : { ...pins, strict: [] };
}

function reviewerNames({ config }: LoadedConfig): string[] {
  const { provider, fallback } = supervisorSettings(config);
  const others = fallback.map((reviewer) => reviewer.provider);
  return provider === undefined ? others : [provider, ...others];
}

/** Asks Claude Code whether it loads the settings, using a copy of them. */
async function proveElsewhere(plan: Plan, { plain }: DecidedLaunch, world: World): Promise<void> {
  const paths = cccPaths(world);
  if (!settingsProof(plan, world, paths).isNeeded(plain)) return;
  const scratch = world.scratch();
  try {
    const agent = { ...plan.settings.agent, path: join(scratch.path, "settings.json") };
    const copy = { ...plan, settings: { ...plan.settings, agent } };
    // Whatever it is asked, Claude Code writes into its configuration folder.
    const elsewhere = { ...world, env: { ...world.env, CLAUDE_CONFIG_DIR: scratch.path } };
    await proveSettings(copy, elsewhere, { ...paths, generated: scratch.path });
  } finally {
    scratch.remove();
  }
}
