#!/usr/bin/env bash
# Prepares a Debian or Ubuntu machine for `bun run test:windows`: Wine, and what Wine lacks. Everything except the
# packages goes into .cache/windows. What is already there stays.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=$PWD/.cache/windows
mkdir -p "$cache"

missing=()
for package in wine wine64 gcc-mingw-w64-x86-64; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  echo "installing ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ ! -e "$cache/prefix/ready" ]; then
  echo "creating a Windows in .cache/windows/prefix"
  rm -rf "$cache/prefix"
  # Without the overrides Wine asks for .NET and a browser.
  WINEPREFIX=$cache/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' /usr/lib/wine/wine64 wineboot --init 2>/dev/null
  # Newer versions of Wine have it.
  dll=$cache/prefix/drive_c/windows/system32/bcryptprimitives.dll
  [ -e "$dll" ] || x86_64-w64-mingw32-gcc -shared -O2 -s -o "$dll" scripts/wine/prng.c -ladvapi32
  touch "$cache/prefix/ready"
fi
