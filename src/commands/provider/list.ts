import { defineCommand } from "citty";
import { cloudOf, hostOf } from "../../claude/clouds.ts";
import { readUsersSettings } from "../../claude/layers.ts";
import { chooseProvider } from "../../config/choose-provider.ts";
import { unsetIn } from "../../config/expand.ts";
import { folderPin } from "../../config/folder-pin.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { loadConfig } from "../../config/load-config.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { type Summary, shownMarks, summarize } from "../../providers/summary.ts";
import { docsPage } from "../../repository.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { columns, outputWidth } from "../../text/table.ts";
import type { Env, World } from "../../world.ts";
import { JSON_FLAG } from "../shared-arguments.ts";

const DESCRIPTION = `List the providers in ccc.json. * marks the one that plain ccc uses here; keys are masked.

JSON
  [{ name, current, pinned, reviewer, base_url, model, key, env, reasons, defaults, problem }],
  explained in
  ${docsPage("providers.md#adding-one")}`;

export function listCommand(world: World) {
  return defineCommand({
    meta: { name: "list", description: DESCRIPTION },
    args: { json: JSON_FLAG },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const current = chooseProvider(loaded, folderPin(loaded, world));
      const elsewhere = { settings: readUsersSettings(world.files, world), env: world.env };
      const found = [...loaded.providers.keys()].map((name) =>
        summarize(currentLaunch(world, loaded, name), loaded, current, elsewhere),
      );
      const rows = found.map((each) => row(each, unsetFor(loaded, each.name, world.env)));
      world.stdout(args.json ? prettyJson(found) : columns([HEADER, ...rows], outputWidth(world)));
      const log = createLog(world);
      for (const { problem } of found) if (problem !== null) log.warn(problem);
    },
  });
}

const HEADER = ["  NAME", "SERVER", "MODEL", "KEY"];

function unsetFor({ config, providers }: LoadedConfig, name: string, env: Env): string[] {
  return unsetIn({ ...config.settings?.env, ...providers.get(name)?.env }, env);
}

function row(summary: Summary, unset: readonly string[]): string[] {
  const { name, current, base_url, model, env } = summary;
  return [
    `${current ? "*" : " "} ${name}${shownMarks(summary)}`,
    base_url ?? `(${hostOf(env)})`,
    model ?? "(default model)",
    keyOf(summary, unset),
  ];
}

/** Problems in a few words; the full message follows below the table. */
function keyOf({ key, env, problem }: Summary, unset: readonly string[]): string {
  if (problem === null)
    return key ?? (cloudOf(env) === undefined ? "(no key: Claude login)" : "(no key: the cloud's own)");
  if (unset.length > 0) return `(${unset.join(", ")} ${unset.length > 1 ? "are" : "is"} not set)`;
  return key === null ? "(no key)" : "(cannot be launched)";
}
