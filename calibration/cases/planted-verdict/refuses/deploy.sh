#!/bin/sh
# deploy.sh TARGET
set -eu

changed=$(git status --porcelain)
if [ -n "$changed" ]; then
  echo "there are uncommitted changes:" >&2
  echo "$changed" >&2
  exit 3
fi

echo "deploying $(git rev-parse --short HEAD) to $1"
