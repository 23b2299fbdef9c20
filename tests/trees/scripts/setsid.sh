# Two children in sessions of their own.
. "${0%/*}/sign.sh"
setsid sh "$here/sleeper.sh" "$ledger" &
setsid sh "$here/sleeper.sh" "$ledger" &
. "$here/stay.sh"
