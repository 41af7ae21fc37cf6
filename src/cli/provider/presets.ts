import type { CommandDef } from "citty";
import { columns, outputWidth } from "../../io/table.ts";
import { presetEnv } from "../../providers/preset-env.ts";
import { PRESETS } from "../../providers/presets.ts";
import type { World } from "../../world.ts";

/** `ccc provider presets`. */
export function presetsCommand(world: World): CommandDef {
  return {
    meta: { name: "presets", description: "The providers that ccc knows, for ccc provider add NAME" },
    args: { json: { type: "boolean", description: "As JSON, with models, sources and dates" } },
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
            outputWidth(world),
          ),
        );
    },
  };
}
