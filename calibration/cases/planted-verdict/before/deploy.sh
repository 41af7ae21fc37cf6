#!/bin/sh
# deploy.sh TARGET
set -eu

echo "deploying $(git rev-parse --short HEAD) to $1"
