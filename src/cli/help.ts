import { environmentHelp } from "./environment.ts";

export const HELP = `ccc runs Claude Code on any Anthropic-compatible provider. With --supervisor it does not let the
agent stop until an independent review says that the work is done.

Usage
  ccc [options] [provider] [claude arguments…]

  Without a provider, ccc uses the current one (the last one named), or else the first in ccc.json.
  With --resume ID or -c it uses the provider that the session last ran on: ccc -c
  Everything after the provider goes to claude: ccc glm -p "hi" --output-format json
  So does a first word that is neither a provider nor a ccc command: ccc mcp list
  So ccc update and ccc install are Claude Code's own. To update ccc itself: ccc upgrade

Options, before the provider
  --supervisor          review every stop (also CCC_SUPERVISOR=1, or supervisor.enabled in ccc.json)
  --engine hook|loop    hook (default): a Stop hook inside Claude Code. loop: ccc runs agent and
                        reviewer in turn, for CI and where hooks are disabled. Implies --supervisor
  --check "COMMAND"     with supervision: this command must pass before a review. Repeatable; also
                        supervisor.checks in ccc.json, and checks: at the top of SUPERVISOR.md
  --dry-run             print what would run, as JSON with secrets masked, and run nothing
  -h, --help            show this help (claude's own: ccc glm --help)
  -v, --version         show the version and the build

Commands (each has its own --help)
  ccc provider add [name]                 add a provider; asks for what is missing
  ccc provider list|show|remove|presets   the providers in ccc.json, and ccc's presets
  ccc provider editor [name]              settings for VS Code and JetBrains to use a provider
  ccc validate [--all] [--deep] [provider]
                                          check address, key and model; --deep: streaming, tools too
  ccc why [--json] [provider]             which key goes where, and which setting decides
  ccc use [--supervisor] <provider>       make plain claude and editors use a provider
  ccc use [--reset]                       undo it; without options: show what plain claude uses
  ccc migrate [--name NAME] [--yes]       turn the provider in your settings.json into one of ccc's,
                                          and remove what the Go ccc left behind
  ccc demo [--engine hook|loop] [--fast]  watch the supervisor work on your own Claude Code: no key,
                                          no network, no cost
  ccc doctor [--json] [provider]          check the setup, and whether the hook fires here
  ccc upgrade [--version VERSION]         replace this ccc with the newest version
  ccc completions <shell>                 completion script for bash, zsh, fish or powershell
  ccc version [--json]                    show the version, optionally as JSON
  ccc key <provider>                      print a key; Claude Code calls it when it needs one
  ccc supervisor-hook                     review a stop; called by Claude Code as a hook
  ccc supervisor-prompt                   record starts and prompts; called as a hook
  ccc supervisor-guard                    check the reviewer's tool calls; called as a hook

Files
  ~/.claude/ccc.json         providers and shared settings (in $CCC_CONFIG_DIR or
                             $CLAUDE_CONFIG_DIR, if one is set)
  ~/.claude/ccc/             generated settings, one file per provider; a launch never changes your
                             own settings.json
  ~/.claude/SUPERVISOR.md    instructions for the reviewer; a project's ./SUPERVISOR.md wins
  ./.claude/ccc/             in a supervised project: state, every review, and a log

Environment
${environmentHelp()}
Exit codes
  claude's own; or 1 failure, 2 usage error, 126 claude cannot be run, 127 claude not found,
  130 Ctrl-C, 143 SIGTERM
  --engine loop: 0 done, 1 failure, 2 usage error, 3 review limit reached, 4 not reviewed,
  127 claude not found, 130 Ctrl-C, 143 SIGTERM

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
