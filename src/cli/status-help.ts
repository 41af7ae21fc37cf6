/** `ccc statusline` itself is answered in main.ts, before anything else is loaded. */
export const STATUS_HELP = `Print one line about a session: provider, model, how much of the context is used, what ccc usage
last found out, and what the supervisor does or last said. It does not use the network.
Claude Code calls this as its status line, with the session on stdin. ccc sets it up in every
session that it starts in a terminal, unless you have a status line of your own; to call it from
yours, pass on what Claude Code gave you on stdin.

Usage
  ccc statusline [--provider NAME] [--config-dir FOLDER] [--supervisor | --no-supervisor]

Options
  --provider NAME       the provider to show (default: that of the session's record, if it has one)
  --config-dir FOLDER   the folder of ccc.json, where the session's record is
  --supervisor          the session was started with supervision (default: as its record says)
  --no-supervisor       it was started without
  -h, --help            show this help

NO_COLOR=1 switches colors off. The exit code is always 0.
`;
