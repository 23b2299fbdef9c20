#!/bin/sh
# Installs Skein for the user who runs it: fetches the binary for this system from a release, verifies it against the
# SHA256SUMS of that release, and only then lets it take the place of an older one, in one rename.
#
#   sh install.sh [VERSION]
#
#   SKEIN_VERSION      the version, such as 0.1.0; the newest where neither it nor an argument is given
#   SKEIN_INSTALL_DIR  the folder; $HOME/.local/bin where it is not given
#   SKEIN_RELEASE_URL  the address of the releases, in the place of the one below
#
# Nothing that was not verified is run. When anything fails the old binary stays as it was, and nothing temporary is
# left, also after Ctrl-C. Exit codes: 0 installed, 1 not installed, 2 usage error, 129, 130, 143 ended by HUP, INT, TERM.

set -eu
LC_ALL=C
export LC_ALL

# The address of the releases, which the owner of the project sets. Under it are, as GitHub has them,
# `latest/download/FILE` and `download/vVERSION/FILE`.
RELEASE_URL=""

# What the binaries for Linux need.
GLIBC=2.27
SUMS=SHA256SUMS
# Seconds until a server that does not answer, or sends nothing more, is given up.
PATIENCE=60
# How often a server may lead on to another address.
REDIRECTS=5

# The private folder of this installation, inside the folder of the binary: a rename out of it is atomic.
work=
# The program that is waited for.
child=

main() {
  case "${1-}" in -h | --help) usage && exit 0 ;; esac
  if [ $# -gt 1 ]; then
    usage >&2
    exit 2
  fi
  choose_release "${1:-${SKEIN_VERSION:-latest}}"
  choose_file
  choose_client
  choose_folder

  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  work=$(mktemp -d "$folder/.skein-install.XXXXXX") ||
    fail "Cannot write to the folder \"$folder\"" "Allow it, or choose another one with SKEIN_INSTALL_DIR"
  said=$work/said
  new=$work/skein

  fetch "$SUMS"
  find_digest
  fetch "$file" "$new"
  verify
  try_out
  put_in_place
  report
}

usage() {
  printf '%s\n' 'Usage: sh install.sh [VERSION]' \
    'Reads SKEIN_VERSION, SKEIN_INSTALL_DIR, SKEIN_RELEASE_URL'
}

# Says what is wrong and what to do next.
fail() {
  printf 'skein: %s\n       %s\n' "$1" "$2" >&2
  exit 1
}

# Shows what a program said before it failed.
quote() {
  sed -e '/^Location: *$/d' -e 's/^/       | /' "$said" >&2
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Sets `release`, the address of the files of the chosen version.
choose_release() {
  base=${SKEIN_RELEASE_URL:-$RELEASE_URL}
  base=${base%/}
  case "$base" in
    "") fail "Cannot install: no address of the releases is known" \
      "Set SKEIN_RELEASE_URL to it, such as https://github.com/OWNER/REPOSITORY/releases" ;;
    *) is_closed "$base" || refuse_address ;;
  esac
  case "$1" in
    latest) release=$base/latest/download ;;
    -* | *[!0-9A-Za-z.+-]*) fail "Cannot install version \"$1\": that is not a version" "Give one such as 0.1.0" ;;
    *) release=$base/download/v${1#v} ;;
  esac
}

# Whether nobody on the way can change what comes from an address.
is_closed() {
  case "$1" in
    https://*) ;;
    *@*) return 1 ;;
    http://127.0.0.1 | http://127.0.0.1[:/]* | http://localhost | http://localhost[:/]*) ;;
    *) return 1 ;;
  esac
}

# The list of digests comes from the same place: on an open connection it would prove nothing.
refuse_address() {
  fail "Cannot install from \"$base\": the address of the releases must begin with https://" \
    "Set SKEIN_RELEASE_URL to one that does; http:// is for a server on this machine only"
}

# Sets `file`, the name of the binary for this system.
choose_file() {
  system=$(uname -s)
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) cpu=x86_64 ;;
    aarch64 | arm64) cpu=aarch64 ;;
    *) refuse_system ;;
  esac
  case "$system" in
    Linux)
      require_glibc
      file=skein-$cpu-unknown-linux-gnu
      ;;
    Darwin)
      # A shell that is translated for the other processor sees that one.
      if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then cpu=aarch64; fi
      file=skein-$cpu-apple-darwin
      ;;
    MINGW* | MSYS* | CYGWIN*) fail "Cannot install for Windows from here" "Run install.ps1 in PowerShell" ;;
    *) refuse_system ;;
  esac
}

refuse_system() {
  fail "Cannot install: there is no binary for $system on $machine, only for Linux, macOS and Windows on x86_64 and aarch64" \
    "Run Skein from its source with Deno: README.md says how"
}

# The binaries are linked to glibc. Its loader may lie beside musl, so what the system's own tool says counts first.
require_glibc() {
  case "$(ldd --version 2>&1 || true)" in
    *musl*) refuse_libc "this Linux uses musl" ;;
    *GLIBC* | *"GNU libc"* | *"Free Software Foundation"*) return ;;
  esac
  case "$cpu" in
    x86_64) loader=/lib64/ld-linux-x86-64.so.2 ;;
    *) loader=/lib/ld-linux-aarch64.so.1 ;;
  esac
  [ -e "$loader" ] || refuse_libc "this Linux has no \"$loader\""
}

refuse_libc() {
  fail "Cannot install: the binaries for Linux need glibc $GLIBC or newer, and $1" \
    "Use a system or a container with glibc, or run Skein from its source with a Deno made for this system"
}

# Sets `client`, what downloads, and `hasher`, what computes digests.
choose_client() {
  # The wget of BusyBox does not look whom it is connected to.
  if has curl; then client=curl
  elif has wget && wget --version 2>/dev/null | grep -q 'GNU Wget'; then client=wget
  else fail "Cannot download: neither curl nor GNU wget is installed" "Install one of them"; fi
  if has sha256sum; then hasher=sha256sum
  elif has shasum; then hasher=shasum
  elif has openssl; then hasher=openssl
  else fail "Cannot verify a download: none of sha256sum, shasum and openssl is installed" "Install one of them"; fi
}

# Sets `folder`, made where it was missing, and `target`, where the binary will be.
choose_folder() {
  folder=${SKEIN_INSTALL_DIR:-}
  if [ -z "$folder" ]; then
    [ -n "${HOME:-}" ] || fail "Cannot choose a folder: HOME is not set" "Set HOME or SKEIN_INSTALL_DIR"
    folder=$HOME/.local/bin
  fi
  case "$folder" in /*) ;; *) folder=$PWD/$folder ;; esac
  case "$folder" in ?*/) folder=${folder%/} ;; esac
  case "$folder" in
    *:*) fail "Cannot install into \"$folder\": a folder with \":\" in its path cannot be on PATH" \
      "Choose another one with SKEIN_INSTALL_DIR" ;;
  esac
  target=$folder/skein
  mkdir -p "$folder" || fail "Cannot make the folder \"$folder\"" "Choose another one with SKEIN_INSTALL_DIR"
  # A rename would put the binary into it.
  if [ -d "$target" ]; then
    fail "Cannot install as \"$target\": that is a folder" "Move it away, or choose another place with SKEIN_INSTALL_DIR"
  fi
}

# Runs a program to its end, or to that of this script. A shell would handle a signal only after a program that it
# runs in the foreground, which for a download may be never.
attend() {
  "$@" </dev/null >"$said" 2>&1 &
  child=$!
  code=0
  wait "$child" || code=$?
  child=
  return "$code"
}

clean_up() {
  if [ -n "$child" ]; then
    kill "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
}

# Downloads a file of the release, under its own name or to a path. Each address that it is led on to is looked at
# before anything is asked there: not every client sees to it that the way stays closed.
fetch() {
  url=$release/$1
  to=${2:-$work/$1}
  printf 'skein: downloads %s\n' "$url" >&2
  at=$url
  hops=0
  ask
  while [ -n "$place" ]; do
    hops=$((hops + 1))
    [ "$hops" -le "$REDIRECTS" ] || fail "Cannot download \"$url\": it leads on more than $REDIRECTS times" \
      "Check SKEIN_RELEASE_URL, and tell those who publish Skein"
    follow
    ask
  done
  # An empty answer may leave no file.
  [ -e "$to" ] || : >"$to"
}

# Asks for `at`, and sets `place`, where it leads on to; empty where the file has come.
ask() {
  case "$client" in
    curl) set -- -fgsS -w 'Location: %{redirect_url}\n' --proto "=${at%%:*}" --connect-timeout "$PATIENCE" \
      --speed-limit 1 --speed-time "$PATIENCE" -o "$to" ;;
    *) set -- -nv -S --max-redirect=0 -t 1 -T "$PATIENCE" -O "$to" ;;
  esac
  place=
  if attend "$client" "$@" "$at"; then
    if [ "$client" != curl ]; then return; fi
    find_place
  else
    # curl takes no redirect for a failure, wget does.
    if [ "$client" != curl ]; then find_place; fi
    [ -n "$place" ] || refuse_download
  fi
}

find_place() {
  place=$(sed -n 's/^ *[Ll]ocation: *\([^[:space:]]\{1,\}\).*$/\1/p' "$said" | sed '$!d')
}

refuse_download() {
  quote
  has_room || fail "Cannot download \"$url\": the disk of the folder \"$folder\" is full" \
    "Make room, or choose another one with SKEIN_INSTALL_DIR"
  fail "Cannot download \"$url\"" "Check the version, SKEIN_RELEASE_URL and the connection, and run this again"
}

# Sets `at` to the place that it leads on to.
follow() {
  host=${at#*://}
  case "$place" in
    //*) place=${at%%:*}:$place ;;
    /*) place=${at%%:*}://${host%%/*}$place ;;
  esac
  case "$at $place" in
    "https://"*" https://"*) ;;
    "https://"*) refuse_place ;;
    *) is_closed "$place" || refuse_place ;;
  esac
  at=$place
}

refuse_place() {
  fail "Cannot download \"$url\": it leads to \"$place\", which does not begin with https://" \
    "Check SKEIN_RELEASE_URL, and tell those who publish Skein"
}

# Whether something can still be written: on a full disk what a program says of it is lost too.
has_room() {
  { printf '%65536s' '' >"$work/room"; } 2>/dev/null
}

# Sets `digest`, what the list of the release says about the file.
find_digest() {
  digest=
  # Editors on other systems add these.
  mark=$(printf '\357\273\277')
  ending=$(printf '\r')
  while read -r sum name || [ -n "$sum" ]; do
    sum=${sum#"$mark"}
    name=${name%"$ending"}
    case "$name" in "$file" | "*$file") ;; *) continue ;; esac
    [ -z "$digest" ] || refuse_list "names \"$file\" twice"
    case "$sum" in *[!0-9a-f]*) refuse_list "has no SHA-256 digest for \"$file\"" ;; esac
    [ ${#sum} -eq 64 ] || refuse_list "has no SHA-256 digest for \"$file\""
    digest=$sum
  done <"$work/$SUMS"
  [ -n "$digest" ] || refuse_list "does not name \"$file\""
}

refuse_list() {
  fail "Cannot verify a download: \"$release/$SUMS\" $1" \
    "The release is incomplete: choose another version with SKEIN_VERSION, and tell those who publish Skein"
}

verify() {
  case "$hasher" in
    shasum) set -- -a 256 ;;
    openssl) set -- dgst -sha256 -r ;;
  esac
  found=$("$hasher" "$@" <"$new") || fail "Cannot read \"$new\"" "Run this again"
  found=${found%% *}
  [ "$found" = "$digest" ] ||
    fail "Cannot trust \"$release/$file\": its digest is $found, $SUMS says $digest" \
      "It was damaged or changed on its way: run this again, and if it stays so, tell those who publish Skein"
}

# What does not start here must not replace what does: a system may lack what the binary needs.
try_out() {
  chmod 755 "$new"
  attend "$new" version || {
    quote
    has_room || fail "Cannot try \"$release/$file\": the disk of the folder \"$folder\" is full" \
      "Make room, or choose another one with SKEIN_INSTALL_DIR"
    lets_start || fail "Cannot use \"$release/$file\": no program starts in the folder \"$folder\", which may be mounted noexec" \
      "Choose another one with SKEIN_INSTALL_DIR"
    fail "Cannot use \"$release/$file\": it is genuine, but does not start on this system" \
      "Choose another version with SKEIN_VERSION, or run Skein from its source with Deno"
  }
  installed=$(sed -n 's/.*"skein" *: *"\([^"]*\)".*/\1/p' "$said")
}

# Whether a program starts in the folder at all.
lets_start() {
  printf '#!/bin/sh\nexit 0\n' >"$work/probe"
  chmod 755 "$work/probe"
  "$work/probe" 2>/dev/null
}

# Where the system cannot flush one file, it flushes all of them.
put_in_place() {
  if has sync; then
    sync "$new" >/dev/null 2>&1 || fail "Cannot write \"$new\" to the disk" "Check the disk, and run this again"
  fi
  # What is in place is installed: from here on no signal makes it look as if it was not.
  trap '' HUP INT TERM
  mv -f "$new" "$target" || fail "Cannot write \"$target\"" "Allow it, or choose another folder with SKEIN_INSTALL_DIR"
  if has sync; then sync "$folder" >/dev/null 2>&1 || true; fi
}

report() {
  printf 'Skein %s is installed: %s\n' "$installed" "$target"
  case ":$PATH:" in
    *":$folder:"*) ;;
    *)
      printf '%s is not on PATH. To add it, put this line into the profile of your shell:\n' "$folder"
      # shellcheck disable=SC2016 # the profile expands it
      printf '  export PATH=%s:"$PATH"\n' "'$(printf '%s\n' "$folder" | sed "s/'/'\\\\''/g")'"
      return
      ;;
  esac
  first=$(command -v skein || true)
  if [ "$first" = "$target" ]; then printf '%s is on PATH: skein help\n' "$folder"
  else printf '%s is on PATH, but %s comes first\n' "$folder" "$first"; fi
}

# The last line: of a script that was cut off on its way, nothing runs.
main "$@"
