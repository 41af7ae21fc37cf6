#!/bin/sh
# Installs ccc, or removes it: sh install.sh --help
#
# Everything stands in functions that the last line calls: a download of this script that broke off runs nothing.

main() {
  set -eu
  umask 022
  LC_ALL=C
  export LC_ALL
  prefix='' version='' uninstall='' upgrade_from=''
  work='' new='' new_receipt='' made='' child=''
  read_options "$@"
  trap clear_up EXIT
  trap 'stop 129' HUP
  trap 'stop 130' INT
  trap 'stop 143' TERM
  if [ -n "$uninstall" ]; then remove_ccc; else install_ccc; fi
}

help() {
  cat <<'END'
Installs ccc to <prefix>/bin/ccc, after its checksum was found right and it was seen to run here.

Usage
  sh install.sh [--version X] [--prefix P]
  sh install.sh --uninstall [--prefix P]

Options
  --version X    this version, 0.1.0 for instance, instead of the newest
  --prefix P     the folder to install below; else /usr/local if you may write there, else ~/.local
  --uninstall    remove what this script installed; your settings stay
  --help         this text

Environment
  CCC_DOWNLOAD_BASE    where releases are, instead of https://github.com/ccc-cli/ccc/releases

What it changes: <prefix>/bin/ccc and <prefix>/share/ccc/receipt, nothing else. No start-up file of a shell is edited.
END
}

# --upgrade-from is for `ccc upgrade` alone: the version that runs.
read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --version) [ -n "${2:-}" ] || mistake "$1 needs a value" ;;
      --prefix= | --version=) mistake "${1%=} needs a value" ;;
    esac
    case $1 in
      --prefix) prefix=$2 && shift ;;
      --prefix=*) prefix=${1#*=} ;;
      --version) version=$2 && shift ;;
      --version=*) version=${1#*=} ;;
      --uninstall) uninstall=yes ;;
      --upgrade-from) upgrade_from=${2:-} && shift ;;
      -h | --help) help && exit 0 ;;
      *) mistake "unknown option $1" ;;
    esac
    shift
  done
  version=${version#v}
  case $version in
    [!0-9]* | *[!0-9A-Za-z.+-]*) mistake "\"$version\" is no version" ;;
  esac
  case $prefix in
    *'
'*) mistake 'a prefix of more than one line' ;;
    '' | /*) ;;
    # A shell leaves the ~ of --prefix=~/x as it is.
    \~ | \~/*) prefix=$(home)${prefix#?} ;;
    *) prefix=$PWD/$prefix ;;
  esac
}

install_ccc() {
  base=${CCC_DOWNLOAD_BASE:-https://github.com/ccc-cli/ccc/releases}
  base=${base%/}
  protocol=$(protocol_of "$base")
  need_tools
  asset=$(platform_asset)
  [ -n "$prefix" ] || prefix=$(default_prefix)
  use_prefix
  check_target

  work=$(mktemp -d "${TMPDIR:-/tmp}/ccc-install.XXXXXX") || die "cannot make a folder in ${TMPDIR:-/tmp}"
  fetch SHA256SUMS
  if is_current; then
    say "$bin/ccc is this version already."
    return
  fi
  fetch "$asset.tar.gz"
  verify "$asset.tar.gz"
  unpack
  try_out
  if [ -n "$upgrade_from" ] && [ -z "$version" ] && is_before "$says" "$upgrade_from"; then
    say "This ccc ($upgrade_from) is newer than the newest release ($says). To go back: ccc upgrade --version $says"
    return
  fi
  put_in_place
  report
}

# What is wrong is said before anything is downloaded.

protocol_of() {
  case $1 in
    https://*)
      echo https
      return
      ;;
    http://*) ;;
    *) die "CCC_DOWNLOAD_BASE is no address that begins with https://: $1" ;;
  esac
  host=${1#http://}
  host=${host%%[/?#]*}
  # What stands before an @ is no host.
  case $host in
    *[@\\]*) ;;
    127.0.0.1 | 127.0.0.1:* | localhost | localhost:* | '[::1]' | '[::1]':*)
      echo http
      return
      ;;
  esac
  die "CCC_DOWNLOAD_BASE must begin with https:// unless it is on this machine: $1"
}

need_tools() {
  have curl || have wget || die 'neither curl nor wget was found' 'Install one of them and try again.'
  have tar || die 'tar was not found' 'Install it and try again.'
  have sha256sum || have shasum || have openssl ||
    die 'nothing was found to check a download with' 'Install sha256sum, shasum or openssl and try again.'
}

platform_asset() {
  system=$(uname -s)
  machine=$(uname -m)
  libc=''
  case $system in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN*) die "this script does not install on $system" 'Run install.ps1 in PowerShell instead.' ;;
    *) die "there is no ccc for $system" 'There is one for Linux, macOS and Windows.' ;;
  esac
  case $machine in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) die "there is no ccc for a processor of the kind $machine" 'There is one for x64 and arm64.' ;;
  esac
  # A shell for x64 on Apple silicon.
  if [ $os-$arch = darwin-x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then arch=arm64; fi
  if [ $os = linux ] && is_musl; then libc=-musl; fi
  echo "ccc-$os-$arch$libc"
}

is_musl() {
  if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then return 1; fi
  case $(ldd --version 2>&1) in
    *musl*) return 0 ;;
    *GNU* | *GLIBC*) return 1 ;;
  esac
  # A machine of glibc may have the other for its developers.
  for loader in /lib/ld-linux* /lib64/ld-linux*; do [ ! -e "$loader" ] || return 1; done
  for loader in /lib/ld-musl-*; do [ ! -e "$loader" ] || return 0; done
  return 1
}

default_prefix() {
  if may_write /usr/local/bin && may_write /usr/local/share/ccc; then echo /usr/local; else echo "$(home)/.local"; fi
}

home() {
  [ -n "${HOME:-}" ] || die 'HOME is not set' 'Say where to install: --prefix <folder>'
  echo "$HOME"
}

use_prefix() {
  [ "$prefix" = / ] || prefix=${prefix%/}
  bin=${prefix%/}/bin
  share=${prefix%/}/share/ccc
  receipt=$share/receipt
}

check_target() {
  for folder in "$bin" "$share"; do
    may_write "$folder" || die "cannot write to $folder" \
      'Run this as somebody who may, or choose a folder of your own: --prefix <folder>'
  done
  for file in "$bin/ccc" "$receipt"; do [ ! -d "$file" ] || die "$file is a folder"; done
  [ ! -L "$bin/ccc" ] || die "$bin/ccc is a symbolic link, so another installer's" \
    'Upgrade or remove it the way it was installed, or choose another folder: --prefix <folder>'
}

# Whether a file can be made in a folder, which may have to be made itself.
may_write() {
  if [ -e "$1" ]; then
    [ -d "$1" ] && [ -w "$1" ] && [ -x "$1" ]
  else
    may_write "$(dirname "$1")"
  fi
}

# Downloads one file of the release. In the background, because a signal has to wait for what runs in the foreground.
fetch() {
  if [ -n "$version" ]; then url=$base/download/v$version/$1; else url=$base/latest/download/$1; fi
  say "Downloading $url"
  if have curl; then
    curl -fgsSL --retry 2 --connect-timeout 30 --speed-limit 1 --speed-time 60 --proto "=$protocol" \
      -o "$work/$1" "$url" >"$work/log" 2>&1 &
  elif wget --version >/dev/null 2>&1; then
    wget --tries=2 --timeout=60 -O "$work/$1" "$url" >"$work/log" 2>&1 &
  else
    wget -O "$work/$1" "$url" >"$work/log" 2>&1 &
  fi
  child=$!
  status=0
  wait "$child" || status=$?
  child=''
  [ "$status" -ne 0 ] || return 0
  if grep -qi 'error.* 404' "$work/log"; then
    die "there is no $url" 'Either there is no such release, or it has nothing for this platform.'
  fi
  die "cannot download $url" "$(grep . "$work/log" | tail -n 1)"
}

# The checksum that the release gives for a file; nothing if it gives none.
listed_sum() {
  while read -r sum name || [ -n "$sum" ]; do
    [ "${name#\*}" != "$1" ] || printf '%s\n' "$sum"
  done <"$work/SHA256SUMS" | head -n 1 | tr A-F a-f
}

sum_of() {
  if have sha256sum; then
    sum=$(sha256sum <"$1")
  elif have shasum; then
    sum=$(shasum -a 256 <"$1")
  else
    sum=$(openssl dgst -sha256 <"$1")
    sum=${sum##* }
  fi
  printf '%s\n' "${sum%% *}"
}

# The release also has the program itself as a file, so its checksum tells whether there is anything to do.
is_current() {
  [ -f "$receipt" ] && [ -x "$bin/ccc" ] && [ "$(sum_of "$bin/ccc")" = "$(listed_sum "$asset")" ]
}

verify() {
  wanted=$(listed_sum "$1")
  [ -n "$wanted" ] || die "SHA256SUMS of this release does not list $1" 'So it cannot be checked.'
  found=$(sum_of "$work/$1")
  [ "$found" = "$wanted" ] || die "$1 is not what the release says: its checksum is wrong" \
    "  should be  $wanted
  but is     $found
The download may be damaged: try again. If it stays so, do not trust it, and please report it."
}

unpack() {
  mkdir "$work/unpacked"
  tar -xzf "$work/$asset.tar.gz" -C "$work/unpacked" 2>"$work/log" ||
    die "cannot unpack $asset.tar.gz" "$(tail -n 1 "$work/log")"
  if [ ! -f "$work/unpacked/ccc" ] || [ -L "$work/unpacked/ccc" ]; then die "there is no ccc in $asset.tar.gz"; fi
}

# Runs the new program where it will be: programs in a temporary folder may be forbidden to run.
try_out() {
  make_folder "$bin"
  new=$(mktemp "$bin/.ccc.XXXXXX") || die "cannot write to $bin"
  cp "$work/unpacked/ccc" "$new" || die "cannot write to $bin"
  chmod 755 "$new"
  status=0
  "$new" --version </dev/null >"$work/says" 2>"$work/log" || status=$?
  if [ "$status" -ne 0 ]; then
    case $asset in
      *-musl) advice='On Alpine it needs: apk add libstdc++ libgcc' ;;
      *) advice="It is the one for $asset." ;;
    esac
    die "the program does not run here (exit code $status)" "$(tail -n 1 "$work/log")
$advice"
  fi
  says=$(head -n 1 "$work/says")
  case $says in
    'ccc '[0-9]*) ;;
    *) die "the program does not tell its version, but: $says" ;;
  esac
  # What it was built from may follow.
  says=${says#ccc }
  says=${says%% *}
  [ -z "$version" ] || [ "$says" = "$version" ] || die "the program is ccc $says, not ccc $version"
}

# Whether one version comes before another, as semver.org orders them.
is_before() {
  left=${1%%+*} right=${2%%+*}
  if [ "${left%%-*}" != "${right%%-*}" ]; then
    are_before "${left%%-*}" "${right%%-*}"
    return
  fi
  # What is to become a release comes before it.
  case $left/$right in
    *-*/*-*) are_before "${left#*-}" "${right#*-}" ;;
    *-*/*) ;;
    *) return 1 ;;
  esac
}

# The same for words with dots between them. Where one list ends, the other goes on and comes later.
are_before() {
  left=$1. right=$2.
  while [ "$left" != "$right" ]; do
    [ -n "$left" ] || return 0
    [ -n "$right" ] || return 1
    one=${left%%.*} other=${right%%.*}
    left=${left#*.} right=${right#*.}
    [ "$one" != "$other" ] || continue
    case $one/$other in
      *[!0-9]*/*[!0-9]*) expr "x$one" \< "x$other" >/dev/null ;;
      *[!0-9]*/*) return 1 ;;
      */*[!0-9]*) ;;
      *) [ "$one" -lt "$other" ] ;;
    esac
    return
  done
  return 1
}

put_in_place() {
  make_folder "$share"
  new_receipt=$(mktemp "$share/.receipt.XXXXXX") || die "cannot write to $share"
  printf 'channel script\nversion %s\n' "$says" >"$new_receipt" || die "cannot write to $share"
  chmod 644 "$new_receipt"
  # From here on it is both or none.
  trap '' HUP INT TERM
  mv -f "$new" "$bin/ccc" || die "cannot write to $bin"
  new='' made=''
  mv -f "$new_receipt" "$receipt"
  new_receipt=''
}

report() {
  say "Installed ccc $says: $bin/ccc"
  case :$PATH: in
    *":$bin:"*)
      first=$(command -v ccc)
      [ "$first" = "$bin/ccc" ] || say "But another ccc comes first on your PATH: $first"
      ;;
    *)
      say "$bin is not on your PATH. For this shell, and for good in your shell's start-up file:"
      case ${SHELL:-} in
        */fish) say "  fish_add_path \"$bin\"" ;;
        *) say "  export PATH=\"$bin:\$PATH\"" ;;
      esac
      ;;
  esac
  say 'Next: ccc --help'
}

remove_ccc() {
  if [ -z "$prefix" ]; then
    prefix=$(home)/.local
    [ -f "$prefix/share/ccc/receipt" ] || prefix=/usr/local
  fi
  use_prefix
  [ -f "$receipt" ] || die "there is no $receipt, so this script did not install ccc there" \
    'If it is elsewhere, say where: --uninstall --prefix <folder>'
  for folder in "$bin" "$share"; do may_write "$folder" || die "cannot write to $folder"; done
  if [ -L "$bin/ccc" ]; then
    say "$bin/ccc is a symbolic link, so another installer's: it stays."
  else
    rm -f "$bin/ccc"
    say "Removed $bin/ccc"
  fi
  rm -f "$receipt"
  rmdir "$share" 2>/dev/null || :
  say "Your settings stay, in ${CCC_CONFIG_DIR:-${CLAUDE_CONFIG_DIR:-~/.claude}}: ccc.json and the folder ccc."
}

# Makes a folder and what is missing above it, and remembers it: after a failure nothing new may be left.
make_folder() {
  [ ! -d "$1" ] || return 0
  make_folder "$(dirname "$1")"
  made="$1
$made"
  mkdir "$1" || die "cannot make the folder $1"
}

# A second signal must not end the clearing up.
stop() {
  trap '' HUP INT TERM
  exit "$1"
}

clear_up() {
  trap '' HUP INT TERM
  if [ -n "$child" ]; then
    kill "$child" 2>/dev/null || :
    wait "$child" || :
  fi
  for file in "$new" "$new_receipt"; do [ -z "$file" ] || rm -f "$file"; done
  [ -z "$work" ] || rm -rf "$work"
  printf '%s' "$made" | while IFS= read -r folder; do rmdir "$folder" 2>/dev/null || :; done
}

have() { command -v "$1" >/dev/null 2>&1; }

say() { printf '%s\n' "$1"; }

mistake() {
  printf 'ccc install: %s\nSee --help.\n' "$1" >&2
  exit 2
}

die() {
  printf 'ccc install: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf '%s\n' "$2" >&2
  echo 'Nothing was changed.' >&2
  exit 1
}

{ main "$@"; }
