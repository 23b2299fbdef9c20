#!/bin/sh
# A stand-in for a coding agent: reads its input, answers on standard output, talks on standard error, and fails as
# agents do. What it knows about the run stands in its environment.
set -eu

role=$1
module=${2:-}
# What the tasks of this run have published: complete files of passes that have succeeded.
published=$SKEIN_STATE_DIR/runs/$SKEIN_RUN_ID/output

case $role in
plan)
  printf '// Task: %s\n' "$(cat)"
  ;;
code)
  # The first call for this module meets an overloaded model. The code says that nothing came of it; whether it is worth
  # another attempt, the manifest says.
  if [ "$module" = printer ] && [ "$SKEIN_ATTEMPT" = 1 ]; then
    echo "the model is overloaded" >&2
    exit 75
  fi
  plan=$(cat)
  printf '%s\nexport const %s = "quiet";\n' "$plan" "$module"
  ;;
review)
  draft=$(cat)
  printf '%s\n// Review %s of %s: read, nothing to change\n' "$draft" "$SKEIN_PASS" "$SKEIN_TASK_ID"
  ;;
merge)
  cat "$published/review-parser" "$published/review-printer" "$published/review-tests"
  ;;
*)
  echo "Role \"$role\" is unknown: it is plan, code, review or merge" >&2
  exit 64
  ;;
esac
