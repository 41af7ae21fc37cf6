import { EXIT } from "../io/errors.ts";
import { late } from "../late.ts";
import { STATE_FOLDER } from "../supervisor/folder.ts";
import { PERSISTENT_FLAG } from "../supervisor/guard.ts";
import type { HookOptions } from "../supervisor/hook.ts";
import type { World } from "../world.ts";

/** `ccc supervisor-hook`: what the Stop hook in the generated settings calls. Its exit code is always 0. */
export async function supervisorHook(args: readonly string[], world: World): Promise<number> {
  if (args.some((word) => word === "--help" || word === "-h")) {
    world.stdout(USAGE);
    return EXIT.ok;
  }
  // Neither a reader that is gone nor a full disk may break the session that is supervised.
  const deaf = { ...world, stdout: quietly(world.stdout), stderr: quietly(world.stderr) };
  await late().superviseStop(deaf, parseOptions(args, deaf));
  return EXIT.ok;
}

function quietly(write: (text: string) => void): (text: string) => void {
  return (text) => {
    try {
      write(text);
    } catch {
      // Nobody listens.
    }
  };
}

const USAGE = `Review a session that wants to stop. Claude Code calls this as a Stop hook, with the event on stdin.
It prints nothing when the agent may stop, {"decision":"block","reason":…} when it has to go on. The
exit code is always 0.

Usage
  ccc supervisor-hook [--settings FILE] [--state-dir FOLDER] [--announce] [--persistent]

Options
  --settings FILE       the reviewer's settings
  --state-dir FOLDER    where state and output are kept, in the project (default: ${STATE_FOLDER})
  --announce            tell the user about each review, too
  --persistent          do nothing in sessions that ccc itself started: those have a hook of their
                        own, or want none
  -h, --help            this text
`;

/** A mistake in the hook's own command line must not cost the review: it is told, and the rest is heeded. */
function parseOptions(args: readonly string[], world: World): HookOptions {
  let options: HookOptions = { settings: undefined, stateDir: STATE_FOLDER, announce: false };
  for (let index = 0; index < args.length; index++) {
    const [name = "", inline] = split(args[index] ?? "");
    // It has been heeded by the guard, before anything else.
    if (name === PERSISTENT_FLAG) continue;
    if (name === "--announce") options = { ...options, announce: true };
    else if (name === "--settings") options = { ...options, settings: inline ?? args[++index] };
    else if (name === "--state-dir") options = { ...options, stateDir: inline ?? args[++index] ?? options.stateDir };
    else world.stderr(`ccc supervisor-hook: unknown argument "${name}"\n`);
  }
  return options;
}

function split(word: string): [string, string?] {
  const at = word.indexOf("=");
  return word.startsWith("--") && at !== -1 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}
