#!/usr/bin/env bash
# Installs a release of ccc with the installer of this commit, which verifies its checksum.
set -euo pipefail
# shellcheck source=.github/actions/supervise/commands.sh
. "$GITHUB_ACTION_PATH/commands.sh"
stop_commands

[ "${RUNNER_OS:-}" != Windows ] || fail 'this action runs on Linux and macOS, not on Windows'
[[ $VERSION =~ ^v?[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$ ]] || fail 'version must be an exact version of ccc, such as 0.1.0'

prefix=$RUNNER_TEMP/ccc-${VERSION#v}
sh "$GITHUB_ACTION_PATH/../../../install.sh" --version "$VERSION" --prefix "$prefix"
# Later steps of the job can call ccc too.
printf '%s\n' "$prefix/bin" >>"$GITHUB_PATH"
output program "$prefix/bin/ccc"
