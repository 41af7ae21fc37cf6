import type { CommandDef } from "citty";
import { hasStoredKey, type Layers, readLayers } from "../claude/layers.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { EXIT, usageError } from "../io/errors.ts";
import { asObject } from "../io/json.ts";
import { createLog } from "../io/log.ts";
import { findClaude } from "../launch/find.ts";
import { planLaunch } from "../launch/plan.ts";
import { persistentSupervision, type Supervision } from "../launch/supervise.ts";
import { planSupervision, refuseWithoutHooks } from "../launch/supervision.ts";
import { usePlaces } from "../use/places.ts";
import { pathName, useStatus } from "../use/status.ts";
import { reset, use } from "../use/switch.ts";
import { wantedSettings, winningVariables } from "../use/wanted.ts";
import type { World } from "../world.ts";
import { nearest } from "./near.ts";
import { prepareSupervision } from "./supervise.ts";

/** `ccc use`: the persistent switch, in Claude Code's own settings.json. */
export function useCommand(world: World): CommandDef {
  return {
    meta: {
      name: "use",
      description:
        "Make plain claude, editors and other tools use a provider, by Claude Code's own settings.json. Alone: what is in force",
    },
    args: {
      supervisor: { type: "boolean", description: "Review every stop there, too" },
      reset: { type: "boolean", description: "Take back what ccc changed, and nothing else" },
      json: { type: "boolean", description: "What is in force, as JSON" },
      provider: { type: "positional", required: false, description: "A provider in ccc.json" },
    },
    run: ({ args }) => {
      const provider = typeof args.provider === "string" ? args.provider : undefined;
      const supervisor = args.supervisor === true;
      if (args.reset) {
        if (provider !== undefined || supervisor || args.json) throw usageError("--reset stands alone");
        return takeBack(world);
      }
      if (provider !== undefined) {
        if (args.json) throw usageError("--json goes with no provider");
        return switchTo(world, provider, supervisor);
      }
      if (supervisor) throw usageError("--supervisor needs a provider");
      return tell(world, args.json === true);
    },
  };
}

async function switchTo(world: World, provider: string, supervisor: boolean): Promise<number> {
  const paths = cccPaths(world.env, world.platform);
  const loaded = loadConfig(world.files, paths, world.version);
  if (!loaded.providers.has(provider)) throw unknownProvider(loaded, provider);
  const layers = readLayers(world.files, world);
  const supervision = supervisor ? planSupervision(loaded, world.self, "hook") : undefined;
  if (supervision !== undefined) refuseWithoutHooks([], world.env, layers.managed);
  const claude = supervision === undefined ? "claude" : findClaude(world);
  const plan = (supervised: Supervision | undefined) =>
    planLaunch({
      loaded,
      paths,
      provider,
      named: false,
      claude,
      folded: { args: [], settings: undefined },
      // What the other settings files say is for each launch to find out; this holds for all of them.
      layers: { settings: [], managed: layers.managed },
      hasStoredKey: hasStoredKey(world.files, world),
      env: world.env,
      supervision: supervised,
    });
  const log = createLog(world);
  const plain = plan(undefined);
  const reviewer = supervision && plan(supervision).files[1];
  if (supervision !== undefined && reviewer !== undefined) {
    world.files.writePrivate(reviewer.path, `${JSON.stringify(reviewer.content, null, 2)}\n`);
    await prepareSupervision(world, paths, { provider, claude, supervision });
  }
  const places = usePlaces(world);
  const sources = {
    launch: asObject(plain.files[0]?.content),
    supervision: supervision && reviewer && persistentSupervision(supervision, reviewer.path),
    shell: world.env,
  };
  const { changed, backup } = use(places, { provider, supervised: supervisor }, (base) =>
    wantedSettings({ ...sources, base }),
  );
  for (const notice of [...plain.notices, ...expansions(loaded, provider), ...winners(layers, places.settings)]) {
    log.warn(notice);
  }
  if (backup !== undefined) log.info(`a copy of the file as it was: ${backup}`);
  const what = `plain claude and your editors use ${provider}${supervisor ? ", supervised" : ""}`;
  world.stdout(
    changed
      ? `From now on ${what} (${places.settings}). To undo that: ccc use --reset\n`
      : `As before, ${what} (${places.settings}).\n`,
  );
  return EXIT.ok;
}

function unknownProvider({ path, providers }: LoadedConfig, provider: string) {
  const names = [...providers.keys()];
  const meant = nearest(provider, names);
  const hint = meant === undefined ? `There are: ${names.join(", ")}` : `Did you mean "${meant}"?`;
  return usageError(`${path} has no provider "${provider}". ${hint}`);
}

/** settings.json knows no ${NAME}: the value itself is written, and stays what it was today. */
function expansions({ config, providers }: LoadedConfig, provider: string): string[] {
  const blocks = [config.settings?.env, providers.get(provider)?.env];
  const text = blocks.flatMap((block) => Object.values(block ?? {}).map(String)).join("\n");
  const names = [...new Set([...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name]) => name))];
  return names.map(
    (name) =>
      `the value that ${name} has now was written into the file; when it changes, run \`ccc use ${provider}\` again`,
  );
}

/** A project's settings win over the user's own, which is what this changes. */
function winners({ settings }: Layers, own: string): string[] {
  return settings.flatMap(({ path, env, apiKeyHelper }) => {
    const names = [...winningVariables(env), ...(apiKeyHelper ? ["apiKeyHelper"] : [])];
    if (path === own || names.length === 0) return [];
    return [
      `${path} sets ${names.join(", ")}, and wins for plain claude in this folder (a launch with ccc is not affected)`,
    ];
  });
}

function takeBack(world: World): number {
  const log = createLog(world);
  const done = reset(usePlaces(world));
  if (done === undefined) {
    world.stdout("There is nothing to take back: no provider is in use by `ccc use`.\n");
    return EXIT.ok;
  }
  const { record, outcome, kept } = done;
  for (const path of kept) log.warn(`${pathName(path)} was changed since by somebody else, and stays as it is`);
  world.stdout(`${OUTCOMES[outcome](record.settings)} ${record.provider} is no longer in use.\n`);
  return EXIT.ok;
}

const OUTCOMES = {
  restored: (path: string) => `${path} is as it was before, to the byte.`,
  reverted: (path: string) => `What ccc changed in ${path} is gone; what was edited there since stays.`,
  removed: (path: string) => `${path} is gone: there was none before.`,
  gone: (path: string) => `${path} is not there any more, so there was nothing to take back.`,
} as const;

function tell(world: World, asJson: boolean): number {
  const places = usePlaces(world);
  const status = useStatus(places);
  if (asJson) {
    world.stdout(`${JSON.stringify(status ?? { provider: null, settings: places.settings }, null, 2)}\n`);
  } else if (status === undefined) {
    world.stdout("None: plain claude goes by its own settings. To change that: ccc use <provider>\n");
  } else {
    const { provider, supervised, since, settings, changed } = status;
    world.stdout(`${provider}${supervised ? ", supervised" : ""}, since ${since}, in ${settings}\n`);
    if (changed.length > 0) {
      createLog(world).warn(
        `that file no longer says so: ${changed.join(", ")} changed since. To set it right: ccc use ${supervised ? "--supervisor " : ""}${provider}`,
      );
    }
  }
  return EXIT.ok;
}
