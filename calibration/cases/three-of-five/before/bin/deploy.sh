#!/bin/sh
set -eu
echo "deploying to ${TARGET:?}"
