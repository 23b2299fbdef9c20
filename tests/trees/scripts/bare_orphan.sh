# An orphan without the marker, in a session of its own. Whoever was its parent is waited for: as a zombie it would
# still tell whose the session is.
. "${0%/*}/sign.sh"
env -i setsid sh "$here/spawn.sh" "$ledger" sh "$here/sleeper.sh" "$ledger"
. "$here/stay.sh"
