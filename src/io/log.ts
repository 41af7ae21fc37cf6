import { type ConsolaInstance, createConsola } from "consola/core";
import type { World } from "../world.ts";

/** What ccc's own commands have to say beside their result: all of it on stderr, stdout is for the result. */
export function createLog(world: World): ConsolaInstance {
  return createConsola({
    reporters: [{ log: ({ type, args }) => world.stderr(`ccc: ${LABELS[type] ?? ""}${args.join(" ")}\n`) }],
  });
}

const LABELS: Partial<Record<string, string>> = { warn: "warning: ", error: "error: " };
