import type { CommandDef } from "citty";
import { chooseProvider } from "../../config/choose.ts";
import { loadConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { columns } from "../../io/table.ts";
import { type Summary, summarize } from "../../providers/summary.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";
import { known } from "../known.ts";

const DESCRIPTION = `Show one provider as ccc.json has it, keys masked.

JSON
  { name, current, reviewer, baseUrl, model, key, env, problem }, explained in
  ${docsPage("providers.md#adding-one")}`;

/** `ccc provider show`. */
export function showCommand(world: World): CommandDef {
  return {
    meta: { name: "show", description: DESCRIPTION },
    args: {
      name: { type: "positional", required: false, description: "a provider in ccc.json (default: the current one)" },
      json: { type: "boolean", description: "print JSON, for programs" },
    },
    run: ({ args }) => {
      const loaded = loadConfig(world.files, cccPaths(world.env, world.platform), world.version);
      const current = chooseProvider(loaded, undefined);
      const name = typeof args.name === "string" ? known(args.name, loaded) : current;
      const found = summarize(loaded, name, current, world.env);
      world.stdout(args.json ? `${JSON.stringify(found, null, 2)}\n` : text(found, loaded.path));
    },
  };
}

function text({ name, current, reviewer, baseUrl, key, env, problem }: Summary, path: string): string {
  const rows = [
    ["file", path],
    ["server", baseUrl || "(Anthropic)"],
    ["key", key || "(none: your Claude login)"],
    ...Object.entries(env).map(([variable, value]) => [variable, value]),
    ...(problem === "" ? [] : [["problem", problem]]),
  ];
  const marks = [current ? "current" : "", reviewer ? "reviewer" : ""].filter((mark) => mark !== "");
  return `${name}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}\n${columns(rows.map(([what = "", value = ""]) => [`  ${what}`, value]))}`;
}
