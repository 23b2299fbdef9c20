# Forks every 2 ms for 10 s. What it starts lives ten times as long; the pauses between are the only ones not to sign.
. "${0%/*}/sign.sh"
left=5000
while [ "$left" -gt 0 ]; do
  sh "$here/brief.sh" "$ledger" &
  sleep 0.002
  left=$((left - 1))
done
