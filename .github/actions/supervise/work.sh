#!/usr/bin/env bash
# Runs the task with ccc's loop engine. The step ends with ccc's exit code.
set -euo pipefail
# shellcheck source=.github/actions/supervise/commands.sh
. "$GITHUB_ACTION_PATH/commands.sh"

[[ $CCC_ACTION_KEY =~ ^[!-~]+$ ]] || fail 'key is empty or has spaces or line breaks: is the secret set?'
echo "::add-mask::${CCC_ACTION_KEY//%/%25}"
stop_commands
# The agent inherits the environment, so remove the inputs and the files that control later steps.
export -n CCC PROVIDER BASE_URL MODEL PROMPT PROMPT_FILE CHECKS CLAUDE_ARGS MAX_REVIEWS BUDGET_TOKENS AGENT_TIMEOUT \
  REVIEW_TIMEOUT CHECK_TIMEOUT LIMIT_WAIT ATTEMPTS RETRY_WAIT GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE

main() {
  check_inputs
  folder=$(umask 077 && mktemp -d "$RUNNER_TEMP/ccc-supervise.XXXXXX")
  output folder "$folder"
  export CCC_CONFIG_DIR=$folder/config CCC_KEYCHAIN=0
  configure
  read_arguments
  save_prompt

  session=''
  for ((attempt = 1; ; attempt++)); do
    run_ccc
    session=$(report_field session)
    if [ "$attempt" -ge "$ATTEMPTS" ] || ! may_try_again; then break; fi
    echo "Attempt $attempt of $ATTEMPTS ended with exit code $code. The next one starts in $RETRY_WAIT s."
    sleep "$RETRY_WAIT"
  done
  finish
}

finish() {
  output exit-code "$code"
  exit "$code"
}

check_inputs() {
  whole max-reviews "$MAX_REVIEWS" 1
  whole budget-tokens "$BUDGET_TOKENS" 0
  whole agent-timeout-seconds "$AGENT_TIMEOUT" 0
  whole review-timeout-seconds "$REVIEW_TIMEOUT" 1
  whole check-timeout-seconds "$CHECK_TIMEOUT" 1
  whole limit-wait-seconds "$LIMIT_WAIT" 0
  whole attempts "$ATTEMPTS" 1
  whole retry-wait-seconds "$RETRY_WAIT" 0
  [[ $PROVIDER =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] ||
    fail 'provider must be a name of letters, digits, dots and dashes: a preset, or any name with base-url'
  if [ -n "$PROMPT" ] && [ -n "$PROMPT_FILE" ]; then fail 'give prompt or prompt-file, not both'; fi
  if [ -z "$PROMPT" ] && [ -z "$PROMPT_FILE" ]; then fail 'there is no task: give prompt or prompt-file'; fi
  if [ -n "$PROMPT_FILE" ] && [ ! -f "$PROMPT_FILE" ]; then fail 'there is no file as prompt-file names it'; fi
}

whole() {
  if [[ ! $2 =~ ^(0|[1-9][0-9]{0,11})$ ]] || [ "$2" -lt "$3" ]; then fail "$1 must be a whole number, $3 or more"; fi
}

# The key is not in the file: ccc reads it from the environment when needed.
configure() {
  mkdir -m 700 "$CCC_CONFIG_DIR"
  printf '{"supervisor":{"max_iterations":%s,"budget_tokens":%s,"agent_timeout_seconds":%s,"timeout_seconds":%s,"check_timeout_seconds":%s,"limit_wait_seconds":%s}}\n' \
    "$MAX_REVIEWS" "$BUDGET_TOKENS" "$AGENT_TIMEOUT" "$REVIEW_TIMEOUT" "$CHECK_TIMEOUT" "$LIMIT_WAIT" >"$CCC_CONFIG_DIR/ccc.json"
  local options=(--token-ref env:CCC_ACTION_KEY)
  [ -z "$BASE_URL" ] || options+=("--base-url=$BASE_URL")
  [ -z "$MODEL" ] || options+=("--model=$MODEL")
  code=0
  "$CCC" provider add "$PROVIDER" "${options[@]}" </dev/null || code=$?
  [ "$code" -eq 0 ] || finish
}

# Each line is one argument, taken literally: nothing is split or expanded.
read_arguments() {
  local line
  launch=(--supervisor --engine loop --no-handover)
  while IFS= read -r line || [ -n "$line" ]; do
    [[ $line =~ ^[[:space:]]*$ ]] || launch+=(--check "$line")
  done <<<"$CHECKS"
  launch+=("$PROVIDER")
  while IFS= read -r line || [ -n "$line" ]; do
    [ -z "$line" ] || launch+=("$line")
  done <<<"$CLAUDE_ARGS"
}

# On stdin, so that no part of a task is treated as an option.
save_prompt() {
  prompt=$folder/prompt
  if [ -n "$PROMPT_FILE" ]; then
    cat -- "$PROMPT_FILE" >"$prompt"
  else
    printf '%s' "$PROMPT" >"$prompt"
  fi
}

# Another attempt continues the session of the previous one. ccc runs in the background, so that a cancelled job ends it at
# once and it can still report how far it got.
run_ccc() {
  code=127
  local resume=()
  if [ -n "$session" ]; then
    resume=(--resume "$session")
    printf 'Continue where you left off.' >"$prompt"
  fi
  "$CCC" "${launch[@]}" ${resume[@]+"${resume[@]}"} <"$prompt" &
  local child=$! signalled=yes status
  trap 'signalled=yes; kill -TERM "$child" 2>/dev/null' INT TERM
  # A signal ends the wait, not ccc.
  while [ -n "$signalled" ]; do
    signalled='' status=0
    wait "$child" || status=$?
    # It ended during the previous wait.
    [ "$status" -eq 127 ] || code=$status
  done
  trap - INT TERM
}

may_try_again() {
  [ "$code" -eq 4 ] || { [ "$code" -eq 1 ] && [ "$(report_field usage_limit)" = '{' ]; }
}

# How the value of a top-level field of the report starts; empty if there is no report.
report_field() {
  { "$CCC" report --json 2>/dev/null || :; } | sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p"
}

main
