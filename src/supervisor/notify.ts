import { messageOf } from "../errors.ts";
import { notification, notificationText } from "../terminal/notification.ts";
import type { Env, World } from "../world.ts";
import { shellProgram } from "./checks/run.ts";
import { type EndingName, isWorthTelling } from "./outcome.ts";

export interface RunEnd {
  readonly ending: EndingName;
  /** Without secrets. */
  readonly message: string;
  readonly secondsSincePrompt: number;
  readonly session: string;
  readonly project: string;
}

export interface NotifyWays {
  /** `supervisor.notify`: by the terminal, not at all, or by a command. */
  readonly notify: boolean | string;
  /** The terminal's environment, which tells what kind it is. */
  readonly terminal: Env;
  /** The command's environment, without keys. */
  readonly commandEnv: () => Env;
  /** Not the project: on Windows a program there would be found before the one that is meant. */
  readonly cwd: string;
  readonly say: (message: string) => void;
}

/** Runs the user's command, or returns what the terminal gets. Whatever goes wrong is only logged. */
export async function notifyUser(
  world: Pick<World, "run" | "platform">,
  end: RunEnd,
  { notify, terminal, commandEnv, cwd, say }: NotifyWays,
): Promise<string | undefined> {
  if (notify === false || !isWorthTelling(end.ending, end.secondsSincePrompt)) return undefined;
  if (notify === true) return notification("ccc", end.message, terminal);
  const told = {
    CCC_OUTCOME: end.ending,
    CCC_MESSAGE: notificationText(end.message),
    CCC_SESSION: end.session,
    CCC_FOLDER: end.project,
  };
  try {
    const program = shellProgram(notify, { ...commandEnv(), ...told }, world.platform);
    const { ending, exitCode } = await world.run({
      program,
      cwd,
      stdin: "",
      timeoutMs: LONGEST_SECONDS * 1000,
      onLine: () => false,
    });
    if (ending === "timeout") say(`supervisor.notify did not end within ${LONGEST_SECONDS} seconds`);
    else if (exitCode !== 0) say(`supervisor.notify failed: exit code ${exitCode}`);
  } catch (error) {
    say(`supervisor.notify failed: ${messageOf(error)}`);
  }
  return undefined;
}

/** The session waits for it. */
const LONGEST_SECONDS = 10;
