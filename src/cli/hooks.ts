import { EXIT, messageOf } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { PERSISTENT_FLAG } from "../marks.ts";
import { HOOK_DEFAULTS, type HookOptions, STATE_FOLDER } from "../supervisor/hook-options.ts";
import type { World } from "../world.ts";

/** The commands that Claude Code calls as hooks. */
export type HookName = keyof typeof HOOKS;

export function isHook(name: string): name is HookName {
  return Object.hasOwn(HOOKS, name);
}

/** Runs a hook. Always exits with 0: a failing supervisor must not break the session. */
export async function runHook(name: HookName, args: readonly string[], world: World): Promise<number> {
  const { usage, run } = HOOKS[name];
  if (args.some((word) => word === "--help" || word === "-h")) {
    world.stdout(usage);
    return EXIT.ok;
  }
  // A closed pipe or a full disk must not break the supervised session.
  const quiet = { ...world, stdout: quietly(world.stdout), stderr: quietly(world.stderr) };
  // Not the log of commands: a hook is called by its own name in Claude Code's output, and nothing is wrapped.
  const say = (message: string) => quiet.stderr(`ccc ${name}: ${message}\n`);
  try {
    await run(quiet, parseOptions(args, say));
  } catch (error) {
    say(messageOf(error));
  }
  return EXIT.ok;
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
stdin. It prints nothing if the agent may stop, {"decision":"block","reason":…} if it must continue.
The exit code is always 0.

Usage
  ccc supervisor-hook [--settings FILE] [--state-dir FOLDER] [--config-dir FOLDER] [--announce]
                      [--persistent]

Options
  --settings FILE       the reviewer's settings
  --state-dir FOLDER    folder for state and output, in the project (default: ${STATE_FOLDER})
  --config-dir FOLDER   the folder of ccc.json. The session record there is authoritative; the files
                        in the project are copies
  --announce            also tell the user about each review
  --persistent          do nothing in sessions that ccc started: they have a hook of their own, or
                        need none
  -h, --help            show this help
`;

const PROMPT_USAGE = `Record the start of a session, the user's prompts, and the files of a git repository before the
agent starts, for its reviews. Claude Code calls this as a SessionStart and UserPromptSubmit hook,
with the event on stdin. It prints nothing, or a message for the user if the previous answer was not
reviewed. The exit code is always 0.

Usage
  ccc supervisor-prompt --config-dir FOLDER [--persistent]

Options
  --config-dir FOLDER   the folder of ccc.json, where the session record is kept
  --persistent          do nothing in sessions that ccc started
  -h, --help            show this help
`;

const HOOKS = {
  "supervisor-hook": {
    usage: STOP_USAGE,
    run: (world: World, options: HookOptions) => lazy().superviseStop(world, options),
  },
  "supervisor-prompt": {
    usage: PROMPT_USAGE,
    run: (world: World, options: HookOptions) => lazy().recordPrompt(world, options),
  },
};

/** An unknown option must not prevent the review: it is reported, and the other options still apply. */
function parseOptions(args: readonly string[], say: (message: string) => void): HookOptions {
  let options = HOOK_DEFAULTS;
  for (let index = 0; index < args.length; index++) {
    const [name = "", inline] = split(args[index] ?? "");
    const value = () => inline ?? args[++index];
    if (name === PERSISTENT_FLAG) options = { ...options, isPersistent: true };
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
