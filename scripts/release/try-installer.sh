#!/bin/sh
# sh scripts/release/try-installer.sh <folder with a release> <version>: install.sh installs that release from a server on this
# machine, and the installed ccc runs. Needs python3, which every runner has.
set -eu
assets=$(cd "$1" && pwd)
version=$2
work=$(mktemp -d)
mkdir -p "$work/latest"
ln -s "$assets" "$work/latest/download"
python3 -u -m http.server --bind 127.0.0.1 --directory "$work" 0 >"$work/log" 2>&1 &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
until port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/log") && [ -n "$port" ]; do sleep 0.1; done
CCC_DOWNLOAD_BASE=http://127.0.0.1:$port sh "$assets/install.sh" --prefix "$work/prefix"
case $("$work/prefix/bin/ccc" --version) in
  "ccc $version "*) echo "install.sh installed ccc $version" ;;
  *) echo "what install.sh installed is not ccc $version" >&2; exit 1 ;;
esac
