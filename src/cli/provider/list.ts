import type { CommandDef } from "citty";
import { chooseProvider } from "../../config/choose.ts";
import { loadConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { createLog } from "../../io/log.ts";
import { columns } from "../../io/table.ts";
import { type Summary, summarize } from "../../providers/summary.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";

const DESCRIPTION = `List the providers in ccc.json. * marks the current one; keys are masked.

JSON
  [{ name, current, reviewer, baseUrl, model, key, env, problem }], explained in
  ${docsPage("providers.md#adding-one")}`;

/** `ccc provider list`. */
export function listCommand(world: World): CommandDef {
  return {
    meta: { name: "list", description: DESCRIPTION },
    args: { json: { type: "boolean", description: "print JSON, for programs" } },
    run: ({ args }) => {
      const found = summaries(world);
      world.stdout(args.json ? `${JSON.stringify(found, null, 2)}\n` : columns(found.map(row)));
      const log = createLog(world);
      for (const { problem } of found) if (problem !== "") log.warn(problem);
    },
  };
}

function summaries(world: World): Summary[] {
  const loaded = loadConfig(world.files, cccPaths(world.env, world.platform), world.version);
  const current = chooseProvider(loaded, undefined);
  return [...loaded.providers.keys()].map((name) => summarize(loaded, name, current, world.env));
}

function row({ name, current, reviewer, baseUrl, model, key, problem }: Summary): string[] {
  return [
    `${current ? "*" : " "} ${name}${reviewer ? " (reviewer)" : ""}`,
    baseUrl || "(Anthropic)",
    model || "(default model)",
    problem === "" ? key || "(no key: Claude login)" : "(cannot be launched)",
  ];
}
