#!/bin/sh
# Every docs/NAME.md that a page mentions must exist.
set -eu
missing=0
for page in docs/*.md; do
  for target in $(grep -o '[a-z-]*\.md' "$page"); do
    if [ ! -f "docs/$target" ]; then
      echo "$page: $target does not exist"
      missing=1
    fi
  done
done
exit "$missing"
