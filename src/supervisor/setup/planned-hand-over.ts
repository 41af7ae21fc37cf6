import type { Layers } from "../../claude/layers.ts";
import { CccError } from "../../errors.ts";
import type { Plan } from "../../launch/plan.ts";
import type { World } from "../../world.ts";
import { refuseWithoutHooks } from "./plan-supervision.ts";

/** Whether the user gets the session of a loop at its end, and who supervises it from then on. */
export type HandOver =
  | { readonly kind: "none" }
  | { readonly kind: "supervised" }
  | { readonly kind: "unsupervised"; readonly why: string };

/** Only a user at a terminal can go on with a session. The hook engine supervises it then, where hooks can run. */
export function plannedHandOver(
  isWanted: boolean,
  args: readonly string[],
  { env, isTerminal }: Pick<World, "env" | "isTerminal">,
  layers: Layers,
): HandOver {
  if (!isWanted || !isTerminal(0) || !isTerminal(1)) return { kind: "none" };
  try {
    refuseWithoutHooks(args, env, layers);
    return { kind: "supervised" };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return { kind: "unsupervised", why: error.message };
  }
}

/** The plan of a loop, with what the session needs once Claude Code runs it by the plan `later`. */
export function withHandOver(plan: Plan, later: Plan): Plan {
  const paths = new Set(plan.files.map(({ path }) => path));
  return {
    ...plan,
    files: [...plan.files, ...later.files.filter(({ path }) => !paths.has(path))],
    settings: { ...plan.settings, handOver: later.settings.agent },
  };
}
