import { defineCommand } from "citty";
import { hostOf } from "../../claude/clouds.ts";
import { presetEnv } from "../../providers/preset-env.ts";
import { PRESETS, type Preset } from "../../providers/presets.ts";
import { docsPage } from "../../repository.ts";
import { prettyJson } from "../../text/json.ts";
import { columns, outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";

const DESCRIPTION = `List the presets for ccc provider add.

JSON
  ${docsPage("providers.md#adding-one")}`;

export function presetsCommand(world: World) {
  return defineCommand({
    meta: { name: "presets", description: DESCRIPTION },
    args: {
      json: {
        type: "boolean",
        default: false,
        description: "print JSON for programs, with models, sources and dates",
      },
    },
    run: ({ args }) => {
      world.stdout(args.json ? prettyJson(PRESETS.map(forPrograms)) : columns(PRESETS.map(row), outputWidth(world)));
    },
  });
}

function row({ name, label, baseUrl, asksBaseUrl, extraEnv = {} }: Preset): string[] {
  return [name, label, baseUrl ?? (asksBaseUrl ? "(your own address)" : `(${hostOf(extraEnv)})`)];
}

/** A stable shape: null where there is no value. */
function forPrograms(preset: Preset) {
  const { models } = preset;
  return {
    name: preset.name,
    label: preset.label,
    base_url: preset.baseUrl ?? null,
    asks_base_url: preset.asksBaseUrl ?? false,
    token: preset.token ?? null,
    token_default: preset.tokenDefault ?? null,
    asks: preset.asks ?? [],
    models: {
      main: models?.main ?? null,
      opus: models?.opus ?? null,
      sonnet: models?.sonnet ?? null,
      haiku: models?.haiku ?? null,
      subagent: models?.subagent ?? null,
    },
    context_window: preset.contextWindow ?? null,
    env: presetEnv(preset),
    key_url: preset.keyUrl ?? null,
    source: preset.source,
    as_of: preset.asOf,
    note: preset.note ?? null,
  };
}
