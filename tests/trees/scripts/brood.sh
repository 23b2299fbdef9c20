# Fifty grandchildren, each in a session of its own.
. "${0%/*}/sign.sh"
sh "$here/brooder.sh" "$ledger" &
. "$here/stay.sh"
