import { defineCommand } from "citty";
import { cloudOf, hostOf } from "../../claude/clouds.ts";
import { readUsersSettings } from "../../claude/layers.ts";
import { chooseProvider } from "../../config/choose-provider.ts";
import { folderPin } from "../../config/folder-pin.ts";
import { loadConfig } from "../../config/load-config.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { requireProvider } from "../../providers/require-provider.ts";
import { type Summary, shownMarks, summarize } from "../../providers/summary.ts";
import { KEYS } from "../../providers/variables.ts";
import { docsPage } from "../../repository.ts";
import { prettyJson } from "../../text/json.ts";
import { columns, outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG, PROVIDER_OR_CURRENT } from "../shared-arguments.ts";

const DESCRIPTION = `Show one provider of ccc.json, with keys masked, and what a launch sets beside it, with the reason.

JSON
  { name, current, pinned, reviewer, base_url, model, key, env, reasons, defaults, problem },
  explained in
  ${docsPage("providers.md#adding-one")}`;

export function showCommand(world: World) {
  return defineCommand({
    meta: { name: "show", description: DESCRIPTION },
    args: {
      name: PROVIDER_OR_CURRENT,
      json: JSON_FLAG,
    },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const current = chooseProvider(loaded, folderPin(loaded, world));
      const name = args.name === undefined ? current.provider : requireProvider(args.name, loaded);
      const elsewhere = { settings: readUsersSettings(world.files, world), env: world.env };
      const found = summarize(currentLaunch(world, loaded, name), loaded, current, elsewhere);
      world.stdout(args.json ? prettyJson(found) : text(found, loaded.path, outputWidth(world)));
    },
  });
}

function text(summary: Summary, path: string, width: number): string {
  const { name, base_url, key, env, reasons, defaults, problem } = summary;
  const variable = KEYS.find((each) => env[each]);
  const rest = Object.entries(env).filter(([each]) => each !== "ANTHROPIC_BASE_URL" && each !== variable);
  const login = cloudOf(env) === undefined ? "(none: your Claude login)" : "(none: the cloud's own)";
  const none = problem === null ? login : "(none)";
  const rows = [
    ["file", path],
    ["server", base_url ?? `(${hostOf(env)})`],
    ["key", key === null ? none : `${key}${variable === undefined ? "" : ` (${variable})`}`],
    ...rest.map(([each, value]) => [each, reasons[each] === undefined ? value : `${value} (${reasons[each]})`]),
    ...defaults.map((each) => [each.name, `${each.value} (${whoDecides(each)})`]),
    ...(problem === null ? [] : [["problem", problem]]),
  ];
  const table = rows.map(([what = "", value = ""]) => [`  ${what}`, value]);
  return `${name}${shownMarks(summary)}\n${columns(table, width)}`;
}

function whoDecides({ reason, decided_by }: Summary["defaults"][number]): string {
  if (decided_by === null) return `set by ccc: ${reason}`;
  return `your own value, from ${decided_by === "shell" ? "your shell" : decided_by}`;
}
