import { throughTmux } from "../../terminal/notification.ts";
import type { World } from "../../world.ts";
import { checkEnvironment } from "../checks/check-environment.ts";
import { providerKeys } from "../known-secrets.ts";
import { notifyUser } from "../notify/notify-user.ts";
import { supervisorOptions } from "../supervisor-options.ts";
import type { LoopLaunch } from "./loop-parts.ts";
import type { LoopResult } from "./loop-progress.ts";

/** Notifies the user of how a loop ended, unless they interrupted it themselves. */
export async function notifyOfLoopEnd(
  world: World,
  { plan, keys, loaded, paths, record }: Pick<LoopLaunch, "plan" | "keys" | "loaded" | "paths" | "record">,
  { outcome, session_id }: Pick<LoopResult, "outcome" | "session_id">,
  told: { readonly message: string; readonly seconds: number; readonly say: (message: string) => void },
): Promise<void> {
  const { notify } = supervisorOptions(loaded.config);
  if (outcome === "interrupted" || (notify === true && !world.isTerminal(2))) return;
  const { agent, reviewer } = plan.settings;
  const settings = [agent, ...(reviewer === undefined ? [] : [reviewer])].map(({ content }) => content);
  const bytes = await notifyUser(
    world,
    {
      ...{ ending: outcome, message: told.message, secondsSincePrompt: told.seconds },
      ...{ session: session_id ?? "", project: record.cwd },
    },
    {
      ...{ notify, terminal: world.env, cwd: paths.folder, say: told.say },
      commandEnv: () => checkEnvironment(world.env, [...providerKeys(world, settings), ...keys]),
    },
  );
  if (bytes !== undefined) world.stderr(throughTmux(bytes, world.env));
}
