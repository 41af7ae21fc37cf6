# shellcheck shell=bash
# Shared by the scripts of this action. The runner treats output lines that start with :: as commands. Output of agents,
# checks and installers must not be able to, so commands are off until the script ends.

stop_commands() {
  command_token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$command_token"
  trap resume_commands EXIT
}

resume_commands() {
  [ -z "${command_token:-}" ] || echo "::$command_token::"
  command_token=''
}

# Ends the step with an error on the job's page. Only for the scripts' own text.
fail() {
  resume_commands
  echo "::error title=ccc::$1"
  exit 2
}

# Writes an output of the step. All values have one line.
output() {
  case $2 in
    *$'\n'* | *$'\r'*) fail "the output $1 has more than one line" ;;
  esac
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}
