import { isTerminalSession } from "../../claude/session-env.ts";
import { canDo } from "../../claude/version-facts.ts";
import type { Env, World } from "../../world.ts";
import { checkEnvironment } from "../checks/check-environment.ts";
import type { HookOptions } from "../hook-options.ts";
import { providerKeys } from "../known-secrets.ts";
import { endingName } from "../notify/ending.ts";
import { notifyUser } from "../notify/notify-user.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import type { RecordedPrompt } from "../record/prompt-record.ts";
import { readIdentity } from "../review/reviewer-program.ts";
import type { HookSession, ReadyStop } from "./ready-stop.ts";

/** Notifies the user of how a recorded stop ended. `world` has the environment of the launch. */
export function stopNotifier(
  world: World,
  { id, project, log }: HookSession,
  about: {
    readonly hook: Pick<HookOptions, "settings" | "isPersistent">;
    readonly hookEnv: Env;
    readonly launch: LaunchRecord;
    readonly recorded: readonly RecordedPrompt[] | undefined;
    readonly notify: boolean | string;
    readonly folder: string;
  },
): ReadyStop["notify"] {
  const { hook, hookEnv, launch, recorded, notify, folder } = about;
  // An answer with a field that this Claude Code does not know could be refused as a whole.
  const hasTerminal = isTerminalSession(hookEnv) && !hook.isPersistent && canDo(launch.version, "hookNotifications");
  return async (outcome, message) => {
    const ending = endingName(outcome);
    if (ending === undefined || (notify === true && !hasTerminal)) return undefined;
    const promptedAt = Date.parse(recorded?.findLast((prompt) => prompt.by_user)?.at ?? "");
    const seconds = (world.now().getTime() - promptedAt) / 1000;
    const end = { ending, message, secondsSincePrompt: Number.isNaN(seconds) ? 0 : seconds, session: id, project };
    const keys = () =>
      providerKeys(world, hook.settings === undefined ? [] : [readIdentity(world.files, hook.settings)]);
    const commandEnv = () => checkEnvironment(world.env, keys());
    return notifyUser(world, end, { notify, terminal: hookEnv, commandEnv, cwd: folder, say: log.say });
  };
}
