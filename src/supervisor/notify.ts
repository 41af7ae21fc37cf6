import { messageOf } from "../errors.ts";
import { oneLine } from "../text/shown.ts";
import type { Env, World } from "../world.ts";
import { shellProgram } from "./checks/run.ts";
import type { EndingName } from "./outcome.ts";

export interface RunEnd {
  readonly ending: EndingName;
  /** Without secrets. */
  readonly message: string;
  readonly secondsSincePrompt: number;
  readonly session: string;
  readonly project: string;
}

interface NotifyWays {
  /** `supervisor.notify`: by the terminal, not at all, or by a command. */
  readonly notify: boolean | string;
  /** The terminal's environment, which shows what kind it is. */
  readonly terminal: Env;
  /** The command's environment, without keys. */
  readonly commandEnv: () => Env;
  /** Not the project: on Windows, a program there would be found before others of the same name. */
  readonly cwd: string;
  readonly say: (message: string) => void;
}

/** Runs the user's command, or returns the bytes for the terminal. Failures are only logged. */
export async function notifyUser(
  world: Pick<World, "run" | "platform">,
  end: RunEnd,
  { notify, terminal, commandEnv, cwd, say }: NotifyWays,
): Promise<string | undefined> {
  if (notify === false || !isWorthTelling(end)) return undefined;
  if (notify === true) return notification("ccc", end.message, terminal);
  const variables = {
    CCC_OUTCOME: end.ending,
    CCC_MESSAGE: notificationText(end.message),
    CCC_SESSION: end.session,
    CCC_FOLDER: end.project,
  };
  try {
    const program = shellProgram(notify, { ...commandEnv(), ...variables }, world.platform);
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

/** For a terminal inside tmux, which passes it on if `allow-passthrough` is on. */
export function throughTmux(bytes: string, { TMUX }: Env): string {
  return TMUX ? `${ESC}Ptmux;${bytes.replaceAll(ESC, ESC + ESC)}${ESC}\\` : bytes;
}

/** Whether the user is probably doing something else by now. A question is always worth a notification. */
function isWorthTelling({ ending, secondsSincePrompt }: RunEnd): boolean {
  return ending === "needs you" || secondsSincePrompt > AWAY_SECONDS;
}

const AWAY_SECONDS = 60;

/** Claude Code waits for the command. */
const LONGEST_SECONDS = 10;

/**
 * The bytes that make a terminal show a desktop notification. There are two dialects: a terminal that understands both
 * would show it twice, so it gets OSC 9 alone; an unknown one gets both and ignores what it does not understand.
 */
function notification(title: string, text: string, { TERM = "", TERM_PROGRAM = "", VTE_VERSION }: Env): string {
  const line = notificationText(`${title}: ${text}`);
  const osc9 = `${OSC}9;${line}${BEL}`;
  const osc777 = `${OSC}777;notify;${notificationText(title).replaceAll(";", ",")};${notificationText(text)}${BEL}`;
  if (BOTH.test(TERM_PROGRAM) || /kitty|ghostty/.test(TERM)) return osc9;
  if (VTE_VERSION !== undefined || /^(foot|rxvt)/.test(TERM)) return osc777;
  return osc9 + osc777;
}

const ESC = "\u001b";
const OSC = `${ESC}]`;
const BEL = "\u0007";
const BOTH = /^(iTerm\.app|WezTerm|ghostty|WarpTerminal)$/;

/** Nothing in it can end the sequence or begin another. */
function notificationText(text: string): string {
  return oneLine(text, LONGEST_TEXT);
}

/** Claude Code accepts 4,096 bytes for all of it. */
const LONGEST_TEXT = 300;
