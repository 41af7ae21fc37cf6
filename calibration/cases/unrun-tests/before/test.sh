#!/bin/sh
# Seven logs before, the five newest after.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for day in 01 02 03 04 05 06 07; do echo "$day" > "$folder/2024-05-$day.log"; done
sh bin/rotate.sh "$folder"
left=$(ls "$folder" | tr '\n' ' ')
wanted="2024-05-03.log 2024-05-04.log 2024-05-05.log 2024-05-06.log 2024-05-07.log "
if [ "$left" != "$wanted" ]; then
  echo "FAILED: left are $left"
  exit 1
fi
echo "ok"
