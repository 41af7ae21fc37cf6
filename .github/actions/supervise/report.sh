#!/usr/bin/env bash
# Collects the report in one folder, also after a failure. outcome.json is always there.
set -euo pipefail
# shellcheck source=.github/actions/supervise/commands.sh
. "$GITHUB_ACTION_PATH/commands.sh"
stop_commands

[ -n "$FOLDER" ] || FOLDER=$(umask 077 && mktemp -d "$RUNNER_TEMP/ccc-supervise.XXXXXX")
export CCC_CONFIG_DIR=$FOLDER/config CCC_KEYCHAIN=0
report=$FOLDER/report
mkdir -p "$report"

case $EXIT_CODE in
  0) outcome=done ;;
  3) outcome='not done' ;;
  4) outcome='not reviewed' ;;
  5) outcome='needs you' ;;
  6) outcome='over budget' ;;
  130 | 143) outcome=interrupted ;;
  *) outcome=failed ;;
esac
if [ -z "$EXIT_CODE" ] && [ "$ENDED" = cancelled ]; then outcome=interrupted; fi
printf '{"outcome":"%s","exit_code":%s}\n' "$outcome" "${EXIT_CODE:-null}" >"$report/outcome.json"

session=''
if [ -n "$CCC" ] && "$CCC" report --json >"$report/report.json"; then
  session=$(sed -n 's/^  "session": "\([0-9A-Za-z-]*\)".*/\1/p' "$report/report.json")
else
  rm -f "$report/report.json"
fi
output outcome "$outcome"
output session "$session"
output folder "$report"
[ -z "$session" ] || "$CCC" report --html "$report/report.html"
