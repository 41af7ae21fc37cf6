#!/bin/sh
# Installs ccc, or removes it: sh install.sh --help
#
# Everything is in functions that the last line calls, so a truncated download of this script runs nothing.

main() {
  set -eu
  umask 022
  LC_ALL=C
  export LC_ALL
  prefix='' version='' uninstall='' force='' upgrade_from=''
  work='' new='' old='' new_receipt='' made='' child='' held='' ended_by=''
  read_options "$@"
  trap clear_up EXIT
  trap 'stop 129' HUP
  trap 'stop 130' INT
  trap 'stop 131' QUIT
  trap 'stop 141' PIPE
  trap 'stop 143' TERM
  make_work
  if [ -n "$uninstall" ]; then remove_ccc; else install_ccc; fi
}

help() {
  cat <<'END'
Installs ccc to <prefix>/bin/ccc, after verifying its checksum and running it once.

Usage
  sh install.sh [--version X] [--prefix P] [--force]
  sh install.sh --uninstall [--prefix P] [--force]

Options
  --version X    this version, such as 0.1.0, instead of the newest
  --prefix P     the folder to install to; default: /usr/local if you can write there, else ~/.local
  --uninstall    remove what this script installed; your settings stay
  --force        replace or remove a bin/ccc that is not ccc, or does not run
  --help         show this help

Environment
  CCC_DOWNLOAD_BASE    where to download from, instead of https://github.com/ccc-cli/ccc/releases

It changes only <prefix>/bin/ccc and <prefix>/share/ccc/receipt. It edits no shell start-up file.
END
}

# --upgrade-from is only for `ccc upgrade`: the running version.
read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --version | --upgrade-from) [ -n "${2:-}" ] || mistake "$1 needs a value" ;;
      --prefix= | --version=) mistake "${1%=} needs a value" ;;
    esac
    case $1 in
      --prefix) prefix=$2 && shift ;;
      --prefix=*) prefix=${1#*=} ;;
      --version) version=$2 && shift ;;
      --version=*) version=${1#*=} ;;
      --uninstall) uninstall=yes ;;
      --force) force=yes ;;
      --upgrade-from) upgrade_from=$2 && shift ;;
      -h | --help) help && exit 0 ;;
      *) mistake "unknown option $1" ;;
    esac
    shift
  done
  [ "$version" != v ] || mistake '"v" is not a version'
  version=${version#v}
  case $version in
    [!0-9]* | *[!0-9A-Za-z.+-]*) mistake "\"$version\" is not a version" ;;
  esac
  case $prefix in
    '' | /*) ;;
    # The shell does not expand the ~ in --prefix=~/x.
    \~ | \~/) prefix=$(below_home '') ;;
    \~/*) prefix=$(below_home "${prefix#??}") ;;
    \~* | -*) mistake "\"$prefix\" is not a valid prefix" ;;
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

  fetch SHA256SUMS 2000
  if is_current; then
    say "$bin/ccc is already this version."
    return
  fi
  fetch "$asset.tar.gz" 2000000
  verify "$asset.tar.gz"
  unpack
  try_out
  if [ -n "$upgrade_from" ] && [ -z "$version" ] && is_before "$says" "$upgrade_from"; then
    say "This ccc ($upgrade_from) is newer than the newest release ($says). To downgrade: ccc upgrade --version $says"
    return
  fi
  put_in_place
  # It is installed, even if stdout is already closed.
  report || :
}

# Names of temporary files are set before the files are made, so that a signal in between can remove them.

make_work() {
  work=${TMPDIR:-/tmp}/ccc-install.$$
  mkdir -m 700 "$work" 2>/dev/null && return
  not_ours=$work work=''
  [ ! -e "$not_ours" ] || die "$not_ours already exists" 'Remove it and try again.'
  die "cannot make the folder $not_ours"
}

# Makes an empty file, which must not exist yet.
make_file() { [ ! -L "$1" ] && (set -C && : >"$1") 2>/dev/null; }

not_made() { die "cannot make the file $1" 'If it already exists, remove it and try again.'; }

# Removes what a killed installation left.
clear_leftovers() {
  for file in "$bin"/.ccc.* "$share"/.receipt.*; do
    id=${file##*/.*.}
    id=${id%-old}
    case $id in
      '' | *[!0-9]*) continue ;;
    esac
    # kill also fails for another user's process, which is alive too.
    if kill -0 "$id" 2>/dev/null || [ -d "/proc/$id" ]; then continue; fi
    rm -f "$file"
  done
}

# Reports mistakes before anything is downloaded.

protocol_of() {
  case $1 in
    # It would be visible here and in the list of processes.
    *@*) die 'CCC_DOWNLOAD_BASE must not contain a user name or password: it has an @' ;;
    https://*)
      echo https
      return
      ;;
    http://*) ;;
    *) die "CCC_DOWNLOAD_BASE is not an https:// address: $1" ;;
  esac
  host=${1#http://}
  host=${host%%[/?#]*}
  case $host in
    *\\*) ;;
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
    die 'no program to verify checksums was found' 'Install sha256sum, shasum or openssl and try again.'
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
    *) die "there is no ccc for the processor $machine" 'There is one for x64 and arm64.' ;;
  esac
  # An x64 shell on Apple silicon.
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
  # A glibc machine may also have musl, for developers.
  for loader in /lib/ld-linux* /lib64/ld-linux*; do [ ! -e "$loader" ] || return 1; done
  for loader in /lib/ld-musl-*; do [ ! -e "$loader" ] || return 0; done
  return 1
}

default_prefix() {
  if may_write /usr/local/bin && may_write /usr/local/share/ccc; then echo /usr/local; else below_home .local; fi
}

below_home() {
  [ -n "${HOME:-}" ] || die 'HOME is not set' 'Say where: --prefix <folder>'
  printf '%s\n' "${HOME%/}/$1"
}

use_prefix() {
  case $prefix in
    *'
'*) mistake 'the prefix has more than one line' ;;
  esac
  [ "$prefix" = / ] || prefix=${prefix%/}
  bin=${prefix%/}/bin
  share=${prefix%/}/share/ccc
  receipt=$share/receipt
}

check_target() {
  for folder in "$bin" "$share"; do
    may_write "$folder" || die "cannot write to $folder" "$(advice_for_writing)"
  done
  for file in "$bin/ccc" "$receipt"; do [ ! -d "$file" ] || die "$file is a folder"; done
  [ ! -L "$bin/ccc" ] || die "$bin/ccc is a symbolic link, which this script did not make" \
    'Upgrade or remove it the way it was installed, or choose another folder: --prefix <folder>'
  if [ -n "$force" ] || [ ! -e "$bin/ccc" ] || [ -f "$receipt" ] || is_ccc "$bin/ccc"; then return; fi
  die "$bin/ccc is another program: this script did not install it, and it does not say that it is ccc" \
    'To replace it anyway: --force. To leave it alone: --prefix <folder>'
}

advice_for_writing() {
  if [ -n "$upgrade_from" ]; then
    echo 'Run it as a user who can: sudo ccc upgrade. Or install ccc in your own folder: sh install.sh --prefix <folder>'
  else
    echo 'Run this as a user who can, or choose your own folder: --prefix <folder>'
  fi
}

is_ccc() {
  ask_version "$1"
  case $says in
    'ccc '[0-9]*) ;;
    *) return 1 ;;
  esac
}

# Asks a program for its version, for at most a minute if the system has timeout. Sets status and says.
ask_version() {
  limit='timeout -s KILL 60'
  $limit cat </dev/null >/dev/null 2>&1 || limit=''
  $limit "$1" --version </dev/null >"$work/says" 2>"$work/log" &
  child=$!
  status=0
  wait "$child" 2>/dev/null || status=$?
  child=''
  says=$(head -n 1 "$work/says")
}

# Whether a file can be made in a folder, which may not exist yet.
may_write() {
  if [ -e "$1" ]; then
    [ -d "$1" ] && [ -w "$1" ] && [ -x "$1" ]
  else
    may_write "$(dirname "$1")"
  fi
}

# Downloads one file of the release, with at most this many blocks. In the background, because a signal waits for whatever runs in the foreground.
fetch() {
  if [ -n "$version" ]; then url=$base/download/v$version/$1; else url=$base/latest/download/$1; fi
  say "Downloading $url"
  download "$work/$1" "$2" >"$work/log" 2>&1 &
  child=$!
  status=0
  wait "$child" 2>/dev/null || status=$?
  child=''
  [ "$protocol" = http ] || have curl || check_way
  [ "$status" -ne 0 ] || return 0
  # SIGXFSZ: the file is too long.
  [ "$status" -ne 153 ] || die "cannot download $url" 'It is too long.'
  if grep -qi 'error.* 404' "$work/log"; then
    die "there is no $url" 'Either there is no such release, or it has nothing for this platform.'
  fi
  die "cannot download $url" "$(grep . "$work/log" | tail -n 1)"
}

# The limit is in blocks of 512 bytes, in some shells of 1024.
download() {
  ulimit -f "$2" || :
  if have curl; then
    exec curl -fgsSL --retry 2 --connect-timeout 30 --speed-limit 1 --speed-time 60 --proto "=$protocol" -o "$1" "$url"
  elif wget --version >/dev/null 2>&1; then
    exec wget -S --tries=2 --timeout=60 -O "$1" "$url"
  else
    exec wget -S -O "$1" "$url"
  fi
}

# wget follows redirects from https to http, and BusyBox's wget may not verify certificates. Such downloads are discarded.
check_way() {
  if grep -i '^ *location: *[a-z][a-z0-9+.-]*:' "$work/log" | grep -qvi '^ *location: *https:'; then
    die "$url redirects to an address without https://" 'Install curl and try again, or report it.'
  fi
  ! grep -qi 'certificate validation not implemented' "$work/log" ||
    die 'this wget does not verify certificates' 'Install curl and try again.'
}

# The checksum of a file in SHA256SUMS; empty if there is none.
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

# SHA256SUMS also lists the bare program, so its checksum shows whether there is anything to do.
is_current() {
  [ -f "$receipt" ] && [ -x "$bin/ccc" ] && [ "$(sum_of "$bin/ccc")" = "$(listed_sum "$asset")" ]
}

verify() {
  wanted=$(listed_sum "$1")
  [ -n "$wanted" ] || die "SHA256SUMS of this release does not list $1" 'So it cannot be verified.'
  found=$(sum_of "$work/$1")
  [ "$found" = "$wanted" ] || die "$1 has the wrong checksum" \
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

# Runs the new program in its final folder: a temporary folder may not allow programs to run.
try_out() {
  make_folder "$bin"
  clear_leftovers
  new=$bin/.ccc.$$
  if ! make_file "$new"; then new='' && not_made "$bin/.ccc.$$"; fi
  cp "$work/unpacked/ccc" "$new" || die "cannot write to $bin"
  chmod 755 "$new"
  ask_version "$new"
  if [ "$status" -ne 0 ]; then
    case $asset in
      *-musl) advice='On Alpine it needs: apk add libstdc++' ;;
      *) advice="It is the one for $asset." ;;
    esac
    die "the program does not run here (exit code $status)" "$(tail -n 1 "$work/log")
$advice"
  fi
  case $says in
    'ccc '[0-9]*) ;;
    *) die "the program should print its version, but prints: $says" ;;
  esac
  # Build details may follow.
  says=${says#ccc }
  says=${says%% *}
  [ -z "$version" ] || [ "$says" = "$version" ] || die "the program is ccc $says, not ccc $version"
}

# Whether one version comes before another, in semver order.
is_before() {
  left=${1%%+*} right=${2%%+*}
  if [ "${left%%-*}" != "${right%%-*}" ]; then
    are_before "${left%%-*}" "${right%%-*}"
    return
  fi
  # A pre-release comes before its release.
  case $left/$right in
    *-*/*-*) are_before "${left#*-}" "${right#*-}" ;;
    *-*/*) ;;
    *) return 1 ;;
  esac
}

# The same for dot-separated identifiers. If one list is a prefix of the other, the longer one comes later.
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
  new_receipt=$share/.receipt.$$
  if ! make_file "$new_receipt"; then new_receipt='' && not_made "$share/.receipt.$$"; fi
  printf 'channel script\nversion %s\n' "$says" >"$new_receipt" || die "cannot write to $share"
  chmod 644 "$new_receipt"
  # From here on, both files change or neither.
  trap '' HUP INT QUIT PIPE TERM
  if [ -e "$bin/ccc" ]; then
    old=$bin/.ccc.$$-old
    ln "$bin/ccc" "$old" 2>/dev/null || cp -p "$bin/ccc" "$old" || die "cannot write to $bin"
  fi
  mv -f "$new" "$bin/ccc" || die "cannot write to $bin"
  if ! mv -f "$new_receipt" "$receipt"; then
    if [ -n "$old" ]; then mv -f "$old" "$bin/ccc"; else rm -f "$bin/ccc"; fi
    die "cannot write to $share"
  fi
  made=''
}

report() {
  say "Installed ccc $says: $bin/ccc"
  case :$PATH: in
    *":$bin:"*)
      first=$(command -v ccc)
      [ "$first" = "$bin/ccc" ] || say "But another ccc comes first on your PATH: $first"
      ;;
    *)
      say "$bin is not on your PATH. Run this, and put it into your shell's start-up file:"
      case ${SHELL:-} in
        */fish) say "  fish_add_path \"$bin\"" ;;
        *) say "  export PATH=\"$bin:\$PATH\"" ;;
      esac
      ;;
  esac
  say 'Next: ccc --help'
}

remove_ccc() {
  [ -n "$prefix" ] || prefix=$(installed_prefix)
  use_prefix
  [ -f "$receipt" ] || die "there is no $receipt, so this script did not install ccc there" \
    'If it is elsewhere, say where: --uninstall --prefix <folder>'
  grep -qx 'channel script' "$receipt" || die "$receipt was not written by this script, so it did not install ccc there"
  for folder in "$bin" "$share"; do may_write "$folder" || die "cannot write to $folder"; done
  if [ -L "$bin/ccc" ]; then
    say "$bin/ccc is a symbolic link, which this script did not make: it stays."
  elif [ -e "$bin/ccc" ]; then
    is_ccc "$bin/ccc" || [ -n "$force" ] || die "$bin/ccc does not say that it is ccc" 'To remove it anyway: --force'
    rm -f "$bin/ccc"
    say "Removed $bin/ccc"
  fi
  rm -f "$receipt"
  rmdir "$share" 2>/dev/null || :
  say "Your settings are kept, in ${CCC_CONFIG_DIR:-${CLAUDE_CONFIG_DIR:-~/.claude}}: ccc.json and the folder ccc."
}

installed_prefix() {
  if [ -n "${HOME:-}" ] && [ -f "$HOME/.local/share/ccc/receipt" ]; then below_home .local; else echo /usr/local; fi
}

# Makes a folder and its missing parents, and remembers them: a failure must leave nothing new.
make_folder() {
  [ ! -d "$1" ] || return 0
  make_folder "$(dirname "$1")"
  held=yes
  if mkdir "$1" 2>/dev/null; then
    made="$1
$made"
  fi
  held=''
  [ -z "$ended_by" ] || stop "$ended_by"
  # Another installation may have made it at the same time.
  [ -d "$1" ] || die "cannot make the folder $1"
}

# A second signal must not interrupt the cleanup. Signals are blocked while something made is not yet remembered.
stop() {
  if [ -n "$held" ]; then
    ended_by=$1
    return
  fi
  trap '' HUP INT QUIT PIPE TERM
  exit "$1"
}

clear_up() {
  trap '' HUP INT QUIT PIPE TERM
  if [ -n "$child" ]; then
    kill "$child" 2>/dev/null || :
    wait "$child" || :
  fi
  for file in "$new" "$old" "$new_receipt"; do [ -z "$file" ] || rm -f "$file"; done
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
