#!/bin/sh
# Deletes old logs in a folder: rotate.sh FOLDER
set -eu
ls "$1"/*.log | sort -r | tail -n +6 | while read -r log; do
  rm "$log"
done
