#!/bin/sh
# Unpacks a release archive as a user would, and runs what is in it: smoke.sh <archive> <version>
# Runs in the sh of Alpine, macOS and Git for Windows.
set -eu
archive=$1
version=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "$archive: $1" >&2
  exit 1
}

sum_of() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi <"$1" | cut -d ' ' -f 1
}

expected=$(awk -v name="${archive##*/}" '$2 == name { print $1 }' "$(dirname "$archive")/SHA256SUMS")
[ "$(sum_of "$archive")" = "$expected" ] || fail "is not what SHA256SUMS says"

case $archive in
*.zip) unzip -q "$archive" -d "$folder" ;;
*) tar -xzf "$archive" -C "$folder" ;;
esac
for name in LICENSE README.md; do [ -s "$folder/$name" ] || fail "there is no $name in it"; done

case $archive in
*windows*) ccc=$folder/ccc.exe ;;
*) ccc=$folder/ccc ;;
esac
said=$("$ccc" --version | tr -d '\r')
case "$said " in
"ccc $version "*) ;;
*) fail "--version says \"$said\", not \"ccc $version\"" ;;
esac

mkdir "$folder/config"
echo '{ "providers": { "smoke": {} } }' >"$folder/config/ccc.json"
CCC_CONFIG_DIR="$folder/config" "$ccc" provider list | grep -q smoke || fail "does not read its ccc.json"
echo "$archive: $said, runs here"
