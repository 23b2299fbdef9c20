# Starts fifty children, each in a session of its own.
. "${0%/*}/sign.sh"
left=50
while [ "$left" -gt 0 ]; do
  setsid sh "$here/sleeper.sh" "$ledger" &
  left=$((left - 1))
done
exec sleep 120
