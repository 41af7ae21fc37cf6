# shellcheck shell=bash
# What the scripts of this action share. The runner takes lines of output that begin with :: for commands: output of
# agents, checks and installers must not give any, so they are switched off until a script ends.

stop_commands() {
  command_token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$command_token"
  trap resume_commands EXIT
}

resume_commands() {
  [ -z "${command_token:-}" ] || echo "::$command_token::"
  command_token=''
}

# Ends the step with an error that the job's page shows. Only for text of these scripts.
fail() {
  resume_commands
  echo "::error title=ccc::$1"
  exit 2
}

# One line "name=value" for the runner. No value of this action has more than one line.
output() {
  case $2 in
    *$'\n'* | *$'\r'*) fail "the output $1 has more than one line" ;;
  esac
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}
