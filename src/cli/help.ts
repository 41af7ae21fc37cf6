import { environmentHelp } from "./environment.ts";

export const HELP = `ccc runs Claude Code on any Anthropic-compatible provider, and with --supervisor does not let the
agent stop until an independent review of the session says that the work is done.

Usage
  ccc [options] [provider] [anything for claude…]

  Without a provider the current one is used (the last that was named), else the first in ccc.json.
  From the provider on, every argument is claude's: ccc glm -p "hi" --output-format json
  A first word that is neither a provider nor a command of ccc is claude's too: ccc mcp list
  So ccc update and ccc install are Claude Code's own: they update or install Claude Code, not ccc.

Options, before the provider
  --supervisor          review every stop (also CCC_SUPERVISOR=1, or supervisor.enabled in ccc.json)
  --engine hook|loop    hook (default): a Stop hook inside Claude Code. loop: ccc runs agent and
                        reviewer in turn, for CI and where hooks are forbidden. Implies --supervisor
  --dry-run             print what would be run, as JSON with secrets masked, and run nothing
  -h, --help            this text (claude's own: ccc glm --help)
  -v, --version         the version, and what this ccc was built from

Commands, each with a --help of its own
  ccc provider add [name]                 add a provider; asks for what you do not give
  ccc provider list|show|remove|presets   the providers in ccc.json, and those that ccc knows
  ccc validate [--all] [provider]         do address, key and model work? Asks one small question
  ccc why [--json] [provider]             which key goes where, and what decides that
  ccc use [--supervisor] <provider>       make plain claude and editors use a provider
  ccc use [--reset]                       take that back; alone: what is in force
  ccc migrate [--name NAME] [--yes]       make a provider of what your settings.json says, and clear
                                          away what the Go ccc left
  ccc demo [--engine hook|loop] [--fast]  the supervisor at work on your own Claude Code: no key,
                                          no network, no cost
  ccc doctor [--json] [provider]          is everything in place, and does the hook really fire here
  ccc upgrade [--version VERSION]         the newest ccc in the place of this one
  ccc completions <shell>                 the script by which bash, zsh, fish or powershell
                                          completes ccc's commands and your providers
  ccc version [--json]                    what --version says, also for programs
  ccc key <provider>                      what Claude Code calls for a key that is not in ccc.json
  ccc supervisor-hook                     what the Stop hook of a supervised session calls
  ccc supervisor-prompt                   what its hooks for the start and for prompts call
  ccc supervisor-guard                    what the reviewer's hook calls before it uses a tool

Files
  ~/.claude/ccc.json         providers and shared settings (in $CCC_CONFIG_DIR or
                             $CLAUDE_CONFIG_DIR, if one is set)
  ~/.claude/ccc/             generated settings, one file per provider; a launch never touches your
                             own settings.json
  ~/.claude/SUPERVISOR.md    what the reviewer goes by; a project's own ./SUPERVISOR.md wins
  ./.claude/ccc/             in a supervised project: state, every review as it came, and a log

Environment
${environmentHelp()}
Exit codes
  claude's own; or 1 a failure, 2 a mistake on the command line, 126 claude cannot be run,
  127 there is no claude, 130 Ctrl-C, 143 ended by TERM
  --engine loop: 0 done, 1 a failure, 2 a mistake, 3 the limit is reached, 4 could not review,
  130 Ctrl-C

Example of a ccc.json, as \`ccc provider add\` writes it
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
  The key itself, or where it is: env:NAME, file:PATH, cmd:COMMAND, keychain:NAME
`;
