# Two orphans: one in the session of the pass, one in a session of its own. Whoever was their parent is waited for.
. "${0%/*}/sign.sh"
sh "$here/spawn.sh" "$ledger" sh "$here/sleeper.sh" "$ledger"
setsid sh "$here/spawn.sh" "$ledger" sh "$here/sleeper.sh" "$ledger"
. "$here/stay.sh"
