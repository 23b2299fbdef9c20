# An orphan without the marker, in a session of its own.
. "${0%/*}/sign.sh"
env -i setsid sh "$here/spawn.sh" "$ledger" sh "$here/sleeper.sh" "$ledger" &
. "$here/stay.sh"
