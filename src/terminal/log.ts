import { type ConsolaInstance, createConsola } from "consola/core";
import { wrap } from "../text/table.ts";
import type { World } from "../world.ts";

/** What ccc's own commands have to say beside their result: all of it on stderr, stdout is for the result. */
export function createLog(world: World): ConsolaInstance {
  const isOnScreen = world.isTerminal(1) && world.isTerminal(2);
  const width = isOnScreen ? world.columns() : Number.POSITIVE_INFINITY;
  const say = (label: string, text: string) => world.stderr(`${wrap(`ccc: ${label}${text}`, width)}\n`);
  return createConsola({ reporters: [{ log: ({ type, args }) => say(LABELS[type] ?? "", args.join(" ")) }] });
}

const LABELS: Partial<Record<string, string>> = { warn: "warning: ", error: "error: " };
