#!/usr/bin/env bash
# Installs one version of Claude Code from npm, which verifies the download, beside any that the machine has.
set -euo pipefail
# shellcheck source=.github/actions/supervise/commands.sh
. "$GITHUB_ACTION_PATH/commands.sh"
stop_commands

if [ -z "$VERSION" ]; then
  program=$(command -v claude) || fail 'claude was not found: install it in a step before, or set claude-version'
  output program "$program"
  exit
fi
[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.-]*$ ]] || fail 'claude-version must be an exact version, such as 2.1.325'
command -v npm >/dev/null || fail 'npm was not found: add actions/setup-node before this action'

prefix=$RUNNER_TEMP/claude-code-$VERSION
npm install --prefix "$prefix" --no-save --no-audit --no-fund --loglevel=error "@anthropic-ai/claude-code@$VERSION"
output program "$prefix/node_modules/.bin/claude"
