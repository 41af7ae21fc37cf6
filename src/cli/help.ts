import { environmentHelp } from "./environment.ts";

/** One screen. */
export const HELP = `ccc runs Claude Code on any Anthropic-compatible provider. With --supervisor it does not let the
agent stop until an independent review says that the work is done.

Usage
  ccc [options] [provider] [claude arguments…]
  ccc                       the provider that this folder is pinned to, else the last one named,
                            else the first in ccc.json; with -c or --resume ID, that of the session
  ccc glm -p "hi"           everything after the provider goes to claude
  ccc mcp list              so does a first word that is neither a provider nor a command of ccc

Options, before the provider
  --supervisor          review every stop (also CCC_SUPERVISOR=1, or supervisor.enabled in ccc.json)
  --no-supervisor       no reviews in this launch, whatever CCC_SUPERVISOR and ccc.json say
  --engine hook|loop    hook (default): in Claude Code. loop: ccc runs agent and reviewer in turn
  --check "COMMAND"     this command must pass before a review. Repeatable
  --no-handover         loop engine on a terminal: end with the exit code
  --anyway              use a provider that the folder's pin refuses
  --dry-run             print what would run, secrets masked, and run nothing
  --json                with --dry-run: all of it, as JSON
  -h, --help            show this help (claude's own: ccc glm --help)
  -v, --version         show the version and the build

Providers
  ccc provider …            add, list, show, remove, presets, set-key, edit, rename, update, editor
  ccc pin [provider]        the provider of this folder; with --only no other one
  ccc validate [provider]   check address, key and model; --deep: streaming and tools too
  ccc usage [provider]      what is left of a plan or balance, asked of the provider
  ccc why [provider]        which key goes where, and which setting decides
  ccc use [provider]        make plain claude and editors use a provider; --reset undoes it
  ccc migrate               take over providers from settings.json and other tools

Supervision
  ccc review [session]      review a session now; the exit code is the verdict
  ccc report [session]      what happened in a supervised session; also as a web page
  ccc calibrate             what a reviewer catches and misses, on cases whose truth is known
  ccc demo                  watch the supervisor work: no key, no network, no cost

Setup
  ccc doctor [provider]     check the setup, and whether the hook fires here
  ccc upgrade               replace this ccc with the newest version
  ccc completions <shell>   completion script for bash, zsh, fish or powershell
  ccc version               show the version, with --json for programs

Help for one command: ccc help COMMAND. Files, environment, exit codes, an example: ccc help all
`;

/** What `ccc help all` shows below it. */
export const DETAILS = `
Called by Claude Code, not by people
  ccc key <provider>                      print a key; Claude Code calls it when it needs one
  ccc statusline                          print Claude Code's status line; called by Claude Code
  ccc supervisor-hook                     review a stop; called by Claude Code as a hook
  ccc supervisor-prompt                   record starts and prompts; called as a hook
  ccc supervisor-failure                  wait for a usage limit to reset; called as a hook
  ccc supervisor-guard                    check the reviewer's tool calls; called as a hook

Claude Code's own commands
  ccc update and ccc install are Claude Code's own. To update ccc itself: ccc upgrade

Files
  ~/.claude/ccc.json         providers and shared settings (in $CCC_CONFIG_DIR or
                             $CLAUDE_CONFIG_DIR, if one is set)
  ~/.claude/ccc/             generated settings, records of supervised sessions and calibrations; a
                             launch never changes your own settings.json
  ~/.claude/SUPERVISOR.md    instructions for the reviewer; a project's ./SUPERVISOR.md wins
  ./.claude/ccc/             in a supervised project: state, every review, and a log

Environment
${environmentHelp()}
Exit codes
  claude's own; or 1 failure, 2 usage error, 126 claude cannot be run, 127 claude not found,
  130 Ctrl-C, 143 SIGTERM
  --engine loop: 0 done, 1 failure, 2 usage error, 3 review limit reached or no progress,
  4 not reviewed, 5 needs you, 6 token budget used up, 127 claude not found, 130 Ctrl-C,
  143 SIGTERM
  --supervisor with -p: claude's own; if that is 0, the same 0, 3, 4, 5 or 6, and stderr says why
  ccc review: 0 done, 3 not done, 4 not reviewed, 5 needs you
  ccc calibrate: 0 whatever the figures are, 1 a provider was stopped early, 4 no verdict at all

Example of ccc.json (\`ccc provider add\` also writes the preset's models and settings)
  {
    "providers": {
      "glm": {
        "env": {
          "ANTHROPIC_BASE_URL": "https://api.z.ai/api/anthropic",
          "ANTHROPIC_AUTH_TOKEN": "env:GLM_API_KEY"
        }
      }
    }
  }
  A key can be the key itself or a reference: env:NAME, file:PATH, cmd:COMMAND, keychain:NAME
`;
