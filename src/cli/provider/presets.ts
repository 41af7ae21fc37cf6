import type { CommandDef } from "citty";
import { columns } from "../../io/table.ts";
import { presetEnv } from "../../providers/preset-env.ts";
import { PRESETS } from "../../providers/presets.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";

const DESCRIPTION = `List the providers that ccc knows, for ccc provider add.

JSON
  ${docsPage("providers.md#adding-one")}`;

/** `ccc provider presets`. */
export function presetsCommand(world: World): CommandDef {
  return {
    meta: { name: "presets", description: DESCRIPTION },
    args: { json: { type: "boolean", description: "print JSON, for programs, with models, sources and dates" } },
    run: ({ args }) => {
      if (args.json)
        world.stdout(
          `${JSON.stringify(
            PRESETS.map((each) => ({ ...each, env: presetEnv(each) })),
            null,
            2,
          )}\n`,
        );
      else
        world.stdout(
          columns(
            PRESETS.map(({ name, label, baseUrl, asksBaseUrl }) => [
              name,
              label,
              baseUrl ?? (asksBaseUrl ? "(your own address)" : ""),
            ]),
          ),
        );
    },
  };
}
