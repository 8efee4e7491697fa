#!/usr/bin/env bash
# Every trace with a known number of events is read to exactly that number; so are its losses,
# streams and packets where they are known.
set -u
list=$SRC/../shared/expected/ctf_counts.csv
public=$SRC/../shared/traces/public
if [ ! -f "$list" ]; then
	echo "skipped: there is no expected/ctf_counts.csv"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0 n=0 absent=0
# The first columns have no quotes.
while IFS=, read -r trace _ streams packets events lost _; do
	if [ ! -d "$public/$trace" ]; then
		absent=$((absent + 1))
		continue
	fi
	n=$((n + 1))
	"$MERIDIAN" info --count --json "$public/$trace" >"$dir/out" 2>"$dir/err"
	status=$?
	if [ $status != 0 ] && [ $status != 3 ]; then
		echo "FAILED: $trace: exit $status: $(head -c 300 "$dir/err")"
		bad=$((bad + 1))
		continue
	fi
	got=$(jq -r 'first(.tables[] | select(.id == "info")).rows[0].events as $events | first(.tables[] | select(.id == "traces")).rows | "\(map(.streams) | add) \(map(.packets) | add) \($events) \(map(.lost_events) | add)"' "$dir/out")
	wanted=
	for pair in "$streams" "$packets" "$events" "$lost"; do wanted+=" ${pair:-*}"; done
	# shellcheck disable=SC2053
	if [[ " $got" != $wanted ]]; then
		echo "FAILED: $trace: streams, packets, events, lost events: $got, not$wanted"
		bad=$((bad + 1))
	fi
done < <(sed 1d "$list")
echo "$n traces counted, $absent absent, $bad wrong"
[ $n -gt 0 ] && [ $bad = 0 ]
