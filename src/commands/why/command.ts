import { defineCommand } from "citty";
import { readLayers } from "../../claude/layers.ts";
import { readLogins } from "../../claude/logins.ts";
import type { Settings } from "../../claude/settings.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { expandEnv } from "../../config/expand.ts";
import { folderPin } from "../../config/folder-pin.ts";
import { type LoadedConfig, NoProviders } from "../../config/load.ts";
import { loadConfig } from "../../config/load-config.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { launchPins, otherProviderProblem } from "../../launch/launch-pins.ts";
import type { ProviderLaunch } from "../../providers/provider-launch.ts";
import { providerHere } from "../../providers/require-provider.ts";
import { docsPage } from "../../repository.ts";
import { sessionProviders } from "../../supervisor/record/resumed-provider.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { pinSentence } from "../pin/show-pins.ts";
import { JSON_FLAG, PROVIDER_OR_CURRENT } from "../shared-arguments.ts";
import { type Block, collectSettings, type SettingPlaces } from "./collect-settings.ts";
import { type Explanation, explain } from "./explain.ts";
import { renderExplanation } from "./render.ts";
import { writtenByUse } from "./written-by-use.ts";

const DESCRIPTION = `Show which key goes where, with ccc and with plain claude, and which file or variable decides it. It
sends nothing, changes nothing, and shows at most the end of a key.

JSON
  ${docsPage("providers.md#ccc-why")}`;

export function whyCommand(world: World) {
  return defineCommand({
    meta: {
      name: "why",
      description: DESCRIPTION,
    },
    args: {
      json: JSON_FLAG,
      provider: PROVIDER_OR_CURRENT,
    },
    run: ({ args }) => {
      const loaded = load(world, args.provider);
      const found = why(loaded, loaded && providerHere(args.provider, loaded, world), world);
      const pin = loaded && (folderPin(loaded, world) ?? null);
      const sentence = pin ? `${wrap(pinSentence(pin), outputWidth(world))}\n\n` : "";
      const text = args.json ? prettyJson({ ...found, pin }) : sentence + renderExplanation(found, outputWidth(world));
      world.stdout(`${text.trimEnd()}\n`);
      const elsewhere =
        loaded && args.provider === undefined && !pin ? continuedElsewhere(loaded, found.provider, world) : "";
      if (elsewhere) createLog(world).info(elsewhere);
    },
  });
}

/** Says so if `ccc -c` would use another provider than the current one, because the last session here ran on it. */
function continuedElsewhere(loaded: LoadedConfig, current: string | null, world: World): string {
  const [provider, ...others] = sessionProviders({ session: undefined }, loaded, cccPaths(world), world).providers;
  if (provider === undefined || provider === current || others.length > 0) return "";
  return `\`ccc -c\` uses ${provider} here, which the last session in this folder ran on. See ccc why ${provider}.`;
}

/** Without a provider, `ccc why` still explains plain claude. */
function load(world: World, named: string | undefined): LoadedConfig | null {
  try {
    return loadConfig(world);
  } catch (error) {
    if (error instanceof NoProviders && named === undefined) return null;
    throw error;
  }
}

function why(loaded: LoadedConfig | null, provider: string | null, world: World): Explanation {
  const own = loaded?.providers.get(provider ?? "") ?? {};
  const places: SettingPlaces = {
    env: world.env,
    layers: readLayers(world.files, world),
    logins: readLogins(world.files, world),
    ccc: {
      path: loaded?.path ?? "",
      shared: block(loaded?.config.settings ?? {}, world),
      own: block(own, world),
    },
    use: writtenByUse(world),
  };
  const launch = loaded && provider !== null ? currentLaunch(world, loaded, provider) : null;
  return explain(collectSettings(places), loaded && launch && withPins(launch, loaded, world));
}

function withPins(launch: ProviderLaunch, loaded: LoadedConfig, world: World): ProviderLaunch {
  const pins = launchPins(loaded.config.claude_args ?? [], loaded, world);
  return { ...launch, problem: launch.problem ?? otherProviderProblem(launch.provider, pins) };
}

/** Expands ${NAME} one variable at a time: what cannot be expanded stays as written. */
function block({ env, apiKeyHelper }: Settings, world: World): Block {
  const expanded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(env ?? {})) {
    try {
      Object.assign(expanded, expandEnv({ [name]: value }, world.env, ""));
    } catch {
      expanded[name] = value;
    }
  }
  return { env: expanded, apiKeyHelper };
}
