import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { usageError } from "../../errors.ts";
import type { World } from "../../world.ts";

const DESCRIPTION = `Print a completion script for ccc's commands, their options and your providers,
and for claude's own options and subcommands after a provider.
The first line of the script says how to install it.

Examples
  source <(ccc completions bash)
  ccc completions fish | source

More
  ${docsPage("completions.md")}`;

export function completionsCommand(world: World) {
  return defineCommand({
    meta: {
      name: "completions",
      description: DESCRIPTION,
    },
    args: { shell: { type: "positional", required: true, valueHint: SHELLS.join("|"), description: "your shell" } },
    run: ({ args }) => {
      const shell = SHELLS.find((name) => name === args.shell);
      if (shell === undefined) throw usageError(`unsupported shell "${args.shell}"`, `Supported: ${SHELLS.join(", ")}`);
      world.stdout(SCRIPTS[shell]);
    },
  });
}

/**
 * The completion script of each shell. Words are passed to ccc as they are: nothing typed is ever evaluated. A script
 * calls the ccc that was typed, if it was typed as a path, or else the one on PATH. ccc answers with one line per candidate,
 * "value<tab>description", or with `:files`.
 */
export const SCRIPTS = {
  bash: `# ccc: completion for bash. Put this into ~/.bashrc:  source <(ccc completions bash)
_ccc() {
  local ccc=\${COMP_WORDS[0]//[\\\\\\"\\']/} line
  ccc=\${ccc/#\\~/$HOME}
  [[ $ccc == */* ]] || ccc=ccc
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :files ]] && return
    [[ -n $line ]] && COMPREPLY+=("\${line%%$'\\t'*}")
  done <<< "$(command "$ccc" completions complete $((COMP_CWORD - 1)) "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  # No files where ccc itself knows what may come; old versions of bash offer them anyway.
  compopt +o default 2>/dev/null
  return 0
}
# Of a path in quotation marks the shell looks up the end, with the mark.
complete -o default -F _ccc ccc "ccc'" 'ccc"'
`,
  zsh: `#compdef ccc
# ccc: completion for zsh. Put this into ~/.zshrc, after compinit:  source <(ccc completions zsh)
_ccc() {
  local ccc=\${(Q)words[1]} line
  local -a candidates
  ccc=\${ccc/#\\~/$HOME}
  [[ $ccc == */* ]] || ccc=ccc
  for line in \${(f)"$(command $ccc completions complete $((CURRENT - 2)) "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    candidates+=("\${\${\${line//:/\\\\:}/$'\\t'/:}%:}")
  done
  _describe ccc candidates
}
if [[ $funcstack[1] == _ccc ]]; then _ccc "$@"; else compdef _ccc ccc "ccc'" 'ccc"'; fi
`,
  fish: `# ccc: completion for fish. Put this into ~/.config/fish/config.fish:  ccc completions fish | source
function __ccc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l ccc (string replace -r '^~/' "$HOME/" -- $words[1])
    string match -q '*/*' -- $ccc; or set ccc ccc
    set -e words[1]
    set -l candidates (command $ccc completions complete (count $words) $words "$current" 2>/dev/null)
    if contains -- :files $candidates
        __fish_complete_path "$current"
    else if set -q candidates[1]
        printf '%s\\n' $candidates
    end
end
complete -c ccc -f -a '(__ccc_complete)'
`,
  powershell: `# ccc: completion for PowerShell. Put this into $PROFILE:  ccc completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ccc, ccc.exe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() }
    })
    $ccc = if ($words[0] -match '[/\\\\]') { $words[0] } else { 'ccc' }
    # Without a word at the cursor the one to complete is yet to come.
    $index = if ($wordToComplete) { $words.Count - 2 } else { $words.Count - 1 }
    $rest = @($words | Select-Object -Skip 1)
    $candidates = @(& $ccc completions complete $index @rest 2>$null)
    if ($candidates -contains ':files') { return }
    foreach ($candidate in $candidates) {
        $value, $description = $candidate -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`,
} as const;

export type Shell = keyof typeof SCRIPTS;

const SHELLS = Object.keys(SCRIPTS) as Shell[];
