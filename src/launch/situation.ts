import { NO_WORD, persistentWord } from "../marks.ts";
import { decide } from "../providers/decided.ts";
import type { World } from "../world.ts";
import type { LaunchSituation } from "./plan.ts";

/** The situation of a session that ccc starts now. */
export function launchSituation(
  { self, env }: Pick<World, "self" | "env">,
  launch: Pick<LaunchSituation, "loaded" | "paths" | "provider" | "named" | "claude" | "folded" | "layers">,
): LaunchSituation {
  const { layers, paths } = launch;
  return {
    ...launch,
    self,
    decided: decide(layers.settings, env, paths.folder),
    word: persistentWord(layers.usersText) ?? NO_WORD,
    writesKey: false,
    env,
  };
}
