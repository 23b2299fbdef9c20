# Two orphans: one in the session of the pass, one in a session of its own.
. "${0%/*}/sign.sh"
sh "$here/spawn.sh" "$ledger" sh "$here/sleeper.sh" "$ledger" &
setsid sh "$here/spawn.sh" "$ledger" sh "$here/sleeper.sh" "$ledger" &
. "$here/stay.sh"
