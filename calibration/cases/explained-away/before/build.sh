#!/bin/sh
# Writes public/NAME.html for each page that nav.txt lists.
set -eu
rm -rf public
mkdir public
while read -r page; do
  if [ ! -f "pages/$page.md" ]; then
    echo "build.sh: nav.txt lists \"$page\", but there is no pages/$page.md" >&2
    exit 1
  fi
  { echo "<main>"; cat "pages/$page.md"; echo "</main>"; } > "public/$page.html"
done < nav.txt
echo "built $(ls public | wc -l | tr -d ' ') pages"
