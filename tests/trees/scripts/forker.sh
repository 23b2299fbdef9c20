# A child that forks every 2 ms for 10 s.
. "${0%/*}/sign.sh"
sh "$here/forks.sh" "$ledger" &
. "$here/stay.sh"
