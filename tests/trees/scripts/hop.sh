# Moves on to a new process every few milliseconds, and leaves an orphan each time: $2 hops in all.
. "${0%/*}/sign.sh"
sleep 0.002
[ "$2" -gt 0 ] && sh "$here/hop.sh" "$ledger" $(($2 - 1)) > /dev/null 2>&1 &
