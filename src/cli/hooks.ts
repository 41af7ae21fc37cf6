import { readInput } from "../claude/events.ts";
import { EXIT, messageOf } from "../errors.ts";
import { type HookName, IDLE_FLAG, LAUNCH_FLAG, PERSISTENT_FLAG } from "../markers.ts";
import type { HookOptions } from "../supervisor/hooks/stop.ts";
import { STATE_FOLDER } from "../supervisor/project.ts";
import type { World } from "../world.ts";

/** Handles the event that `input` reads. Resolves to the exit code if it is not 0. */
export type HookAction = (world: World, options: HookOptions, input: () => unknown) => Promise<number> | Promise<void>;

/** Runs a hook. Exits with 0, or to wake the session: a failing supervisor must not break it. */
export async function runHook(
  name: HookName,
  args: readonly string[],
  world: World,
  act: HookAction,
  input: () => unknown = () => readInput(world),
): Promise<number> {
  if (args.some((word) => word === "--help" || word === "-h")) {
    world.stdout(USAGE[name]);
    return EXIT.ok;
  }
  // A closed pipe or a full disk must not break the supervised session.
  const quiet = { ...world, stdout: quietly(world.stdout), stderr: quietly(world.stderr) };
  // Not createLog: Claude Code shows these lines itself, so they name the hook and are not wrapped.
  const say = (message: string) => quiet.stderr(`ccc ${name}: ${message}\n`);
  try {
    return (await act(quiet, parseOptions(args, say), input)) ?? EXIT.ok;
  } catch (error) {
    say(messageOf(error));
    return EXIT.ok;
  }
}

function quietly(write: (text: string) => void): (text: string) => void {
  return (text) => {
    try {
      write(text);
    } catch {
      // Nobody is reading.
    }
  };
}

const STOP_USAGE = `Review a session that is about to stop. Claude Code calls this as a Stop hook, with the event on
stdin. It prints nothing if the agent may stop, and feedback as JSON if it must continue:
{"hookSpecificOutput":…} in sessions that ccc started, if Claude Code supports it, else
{"decision":"block","reason":…}. The exit code is always 0.

Usage
  ccc supervisor-hook [--settings FILE] [--state-dir FOLDER] [--config-dir FOLDER] [--announce]
                      [--launch=ID | --persistent | --idle]

Options
  --settings FILE       the reviewer's settings
  --state-dir FOLDER    folder for state and output, in the project (default: ${STATE_FOLDER})
  --config-dir FOLDER   the folder of ccc.json. The session record there is authoritative; the files
                        in the project are copies
  --launch=ID           the supervised launch that the session belongs to. If its record is gone,
                        every check that is known for the folder has to pass
  --announce            also tell the user about each review
  --persistent          do nothing in sessions that ccc started: they have a hook of their own, or
                        need none
  --idle                do nothing unless the user has switched supervision on in the session, with
                        /ccc:supervisor on
  -h, --help            show this help
`;

const PROMPT_USAGE = `Record the start of a session, the user's prompts, and the files of a git repository before the
agent starts, for its reviews. Answers /ccc:supervisor. Claude Code calls this as a SessionStart and
UserPromptSubmit hook, with the event on stdin. It prints nothing, or a message for the user. The exit
code is always 0.

Usage
  ccc supervisor-prompt --config-dir FOLDER [--launch=ID | --persistent]
  ccc supervisor-prompt --config-dir FOLDER --idle --provider NAME --agent-settings FILE
                        [--add-dir FOLDER]…

Options
  --config-dir FOLDER   the folder of ccc.json, where the session record is kept
  --launch=ID           the supervised launch that the session belongs to
  --persistent          do nothing in sessions that ccc started
  --idle                record nothing but the session's start, unless the user has switched
                        supervision on in the session
  --provider NAME       the agent's provider
  --agent-settings FILE the settings that the agent was started with
  --add-dir FOLDER      a folder that the agent, and so a reviewer, may use
  -h, --help            show this help
`;

const FAILURE_USAGE = `Wait until a usage limit of a session in a terminal resets, at most supervisor.limit_wait_seconds, and
wake the session. Claude Code calls this in the background as a StopFailure hook, with the event on
stdin. The exit code is 2 to wake the session, else 0.

Usage
  ccc supervisor-failure --config-dir FOLDER [--launch=ID]

Options
  --config-dir FOLDER   the folder of ccc.json, where the session record is kept
  --launch=ID           the supervised launch that the session belongs to
  -h, --help            show this help
`;

const USAGE: Readonly<Record<HookName, string>> = {
  "supervisor-hook": STOP_USAGE,
  "supervisor-prompt": PROMPT_USAGE,
  "supervisor-failure": FAILURE_USAGE,
};

export const HOOK_DEFAULTS: HookOptions = {
  settings: undefined,
  stateDir: STATE_FOLDER,
  announce: false,
  configDir: undefined,
  launch: undefined,
  isPersistent: false,
  isIdle: false,
  provider: undefined,
  agentSettings: undefined,
  folders: [],
};

/** An unknown option must not prevent the review: it is reported, and the other options still apply. */
function parseOptions(args: readonly string[], say: (message: string) => void): HookOptions {
  let options = HOOK_DEFAULTS;
  for (let index = 0; index < args.length; index++) {
    const [name = "", inline] = split(args[index] ?? "");
    const value = () => inline ?? args[++index];
    if (name === PERSISTENT_FLAG) options = { ...options, isPersistent: true };
    else if (name === IDLE_FLAG) options = { ...options, isIdle: true };
    else if (name === LAUNCH_FLAG) options = { ...options, launch: value() };
    else if (name === "--provider") options = { ...options, provider: value() };
    else if (name === "--agent-settings") options = { ...options, agentSettings: value() };
    else if (name === "--add-dir") options = { ...options, folders: [...options.folders, value() ?? ""] };
    else if (name === "--announce") options = { ...options, announce: true };
    else if (name === "--settings") options = { ...options, settings: value() };
    else if (name === "--config-dir") options = { ...options, configDir: value() };
    else if (name === "--state-dir") options = { ...options, stateDir: value() ?? options.stateDir };
    else say(`unknown argument "${name}"`);
  }
  return options;
}

function split(word: string): [string, string?] {
  const at = word.indexOf("=");
  return word.startsWith("--") && at !== -1 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}
