#!/bin/sh
# The steps of the build. Each reads its input, writes its output, and says on standard error what is wrong.
set -eu

step=$1
shift
# What the tasks of this run have published, by their ids.
published=$SKEIN_STATE_DIR/runs/$SKEIN_RUN_ID/output

case $step in
header)
  printf '<title>%s</title>\n' "$SITE"
  ;;
page)
  cat "$published/header" -
  ;;
links)
  broken=$(for page in "$@"; do
    sed -n 's/.*href="\([^"]*\)".*/\1/p' "$published/$page" | while read -r target; do
      [ -e "$published/$target" ] || echo "Page \"$page\" links to \"$target\", which is not there"
    done
  done)
  if [ -n "$broken" ]; then
    echo "$broken" >&2
    exit 1
  fi
  ;;
site)
  tar -cf - -C "$published" "$@"
  ;;
esac
