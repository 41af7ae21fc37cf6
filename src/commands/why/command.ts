import type { CommandDef } from "citty";
import { readLayers } from "../../claude/layers.ts";
import { readLogins } from "../../claude/logins.ts";
import type { Settings } from "../../claude/settings.ts";
import { expandEnv } from "../../config/expand.ts";
import { chooseProvider, type LoadedConfig, NoProviders } from "../../config/load.ts";
import { loadConfig } from "../../config/own.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { known } from "../../providers/known-provider.ts";
import { docsPage } from "../../repository.ts";
import { prettyJson } from "../../text/json.ts";
import { outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG, PROVIDER_OR_CURRENT } from "../shared-arguments.ts";
import { type Explanation, explain } from "./explain.ts";
import { renderExplanation } from "./render.ts";
import { type Block, collectSettings, type Places } from "./settings.ts";
import { writtenByUse } from "./use.ts";

const DESCRIPTION = `Which key goes where, through ccc and with plain claude, and which file or variable decides it. It
asks nobody, changes nothing, and shows no more than the end of a key.

JSON
  ${docsPage("providers.md#ccc-why")}`;

/** `ccc why`: which key goes where, and who decides that. */
export function whyCommand(world: World): CommandDef {
  return {
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
      const found = why(loaded, loaded && provider(loaded, args.provider), world);
      const text = args.json === true ? prettyJson(found) : renderExplanation(found, outputWidth(world));
      world.stdout(`${text.trimEnd()}\n`);
    },
  };
}

/** Plain claude has its answer without any provider, too. */
function load(world: World, named: unknown): LoadedConfig | null {
  try {
    return loadConfig(world);
  } catch (error) {
    if (error instanceof NoProviders && named === undefined) return null;
    throw error;
  }
}

function why(loaded: LoadedConfig | null, provider: string | null, world: World): Explanation {
  const own = loaded?.providers.get(provider ?? "") ?? {};
  const places: Places = {
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
  return explain(collectSettings(places), launch);
}

/** With ${NAME} replaced, variable by variable: one that cannot be is shown as it is written. */
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

function provider(loaded: LoadedConfig, named: unknown): string {
  return typeof named === "string" ? known(named, loaded) : chooseProvider(loaded, undefined);
}
