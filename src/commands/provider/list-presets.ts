import { defineCommand } from "citty";
import { hostOf } from "../../claude/clouds.ts";
import { EXIT } from "../../errors.ts";
import { presetEnv } from "../../providers/preset-env.ts";
import { type Preset, searchPresets } from "../../providers/presets.ts";
import { docsPage } from "../../repository.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { columns, outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";

const DESCRIPTION = `List the presets for ccc provider add, all or those that a search finds.

Examples
  ccc provider presets kimi
  ccc provider presets 智谱

JSON
  ${docsPage("providers.md#adding-one")}`;

export function presetsCommand(world: World) {
  return defineCommand({
    meta: { name: "presets", description: DESCRIPTION },
    args: {
      search: {
        type: "positional",
        required: false,
        description: "a part of a name, an address or a company, in English or Chinese",
      },
      json: {
        type: "boolean",
        default: false,
        description: "print JSON for programs, with models, sources and dates",
      },
    },
    run: ({ args }) => {
      const found = searchPresets(args.search ?? "");
      world.stdout(args.json ? prettyJson(found.map(forPrograms)) : columns(table(found), outputWidth(world)));
      if (found.length > 0) return EXIT.ok;
      createLog(world).warn("no preset found; for any other server: ccc provider add NAME --base-url URL");
      return EXIT.failure;
    },
  });
}

function table(presets: readonly Preset[]): string[][] {
  return presets.length === 0 ? [] : [["NAME", "PROVIDER", "SERVER", "MODELS"], ...presets.map(row)];
}

function row({
  name,
  label,
  baseUrl,
  asksBaseUrl,
  baseUrlForm,
  extraEnv = {},
  models = {},
  asks = [],
}: Preset): string[] {
  const server = baseUrl ?? baseUrlForm ?? (asksBaseUrl ? "(your own address)" : `(${hostOf(extraEnv)})`);
  const { main, opus, sonnet, haiku } = models;
  const used = [main, opus, sonnet, haiku].filter((model) => model !== undefined);
  const none = asksBaseUrl || asks.includes("ANTHROPIC_MODEL") ? "(your own)" : "(Claude Code's default)";
  return [name, label, server, used.length === 0 ? none : [...new Set(used)].join(", ")];
}

/** A stable shape: null where there is no value. */
function forPrograms(preset: Preset) {
  const { models } = preset;
  return {
    name: preset.name,
    label: preset.label,
    aliases: preset.aliases ?? [],
    base_url: preset.baseUrl ?? null,
    asks_base_url: preset.asksBaseUrl ?? false,
    base_url_form: preset.baseUrlForm ?? null,
    token: preset.token ?? null,
    token_default: preset.tokenDefault ?? null,
    asks: preset.asks ?? [],
    models: {
      main: models?.main ?? null,
      opus: models?.opus ?? null,
      sonnet: models?.sonnet ?? null,
      haiku: models?.haiku ?? null,
      fable: models?.fable ?? models?.opus ?? null,
      subagent: models?.subagent ?? null,
    },
    context_window: preset.contextWindow ?? null,
    compact_window: preset.compactWindow ?? null,
    env: presetEnv(preset),
    key_url: preset.keyUrl ?? null,
    source: preset.source,
    as_of: preset.asOf,
    note: preset.note ?? null,
  };
}
