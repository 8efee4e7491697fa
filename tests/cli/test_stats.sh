#!/usr/bin/env bash
# meridian stats: totals are those of events, tables add up to them, losses are all there, ranges
# count what events shows, and the JSON has the documented keys.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC

list() { jq -r --arg table "$1" --arg key "$2" 'table($table)[][$key]' "$dir/out"; } # list TABLE KEY: its values
total() { jq 'table("total")[].count' "$dir/out"; }
keys() { # keys TABLE: of its rows
	jq -r --arg table "$1" '.tables[] | select(.id == $table).columns | map(.key) | join(" ")' "$dir/out"
}

for t in demo/*/ "demo/wget-cold-hot demo/cluster-10"; do
	# shellcheck disable=SC2086
	n=$(lines events $t)
	# shellcheck disable=SC2086
	run 0 stats --json $t
	equal "total of $t" "$(total)" "$n"
	for array in by_name by_host by_stream; do
		equal "$array of $t" "$(list $array count | sum)" "$n"
	done
	equal "bytes of $t" "$(list by_name bytes | sum)" "$(list by_stream bytes | sum)"
done

# Losses: counted whole, each in its place and time.
run 0 stats --json demo/lost-events
text "$dir/out" '^\{"schema_version":3,"begin":' 'json'
equal "lost, by packets" "$(list losses events | sum)" 89678
equal "lost, by stream" "$(list by_stream lost_events | sum)" 89678
equal "lost, by host" "$(list by_host lost_events | sum)" 89678
equal "packets lost" "$(list losses packets | sum)" 0
equal "losses that end before they begin" \
	"$(paste <(list losses begin) <(list losses end) | awk '$1 > $2' | wc -l)" 0
equal "keys of names" "$(keys by_name)" "host name count percent count_per_s bytes"
equal "keys of streams" "$(keys by_stream)" "host path cpu count count_per_s bytes lost_events lost_packets"
equal "keys of losses" "$(keys losses)" "host path stream begin end duration_ns events packets what"
equal "keys of findings" "$(jq -r '.diagnostics[0] | keys_unsorted | join(" ")' "$dir/out")" \
	"severity code host path stream packet offset_bits count message"
run 4 stats --strict demo/lost-events
run 0 stats demo/lost-events
text "$dir/out" '89,678 lost' 'table'
text "$dir/out" '(subbuf|buffer)' 'advice'
awk 'length($0) > 100 { exit 1 }' "$dir/out" && ok || fail "the table is too wide"

# By name: against the events themselves.
"$m" events -q --format csv --fields name demo/lost-events | sed 1d | cut -d, -f4 | sort | uniq -c |
	awk '{ print $2, $1 }' >"$dir/want"
"$m" stats -q --by name --format jsonl demo/lost-events >"$dir/out"
sed 's/.*"name":"\([^"]*\)".*"count":\([0-9]*\).*/\1 \2/' "$dir/out" | LC_ALL=C sort >"$dir/names"
LC_ALL=C sort "$dir/want" >"$dir/want.sorted"
same "counts by name" "$dir/names" "$dir/want.sorted"
equal "-n" "$("$m" stats -q -n 3 --by name --format csv demo/lost-events | wc -l)" 4

# Of events that match a filter: as many as events prints.
filter='name == "sched_*" && cpu_id == 0'
"$m" events -q --format csv --fields name -f "$filter" demo/lost-events | sed 1d | cut -d, -f4 | LC_ALL=C sort | uniq -c |
	awk '{ print $2, $1 }' >"$dir/want"
"$m" stats -q --by name --filter "$filter" --format jsonl demo/lost-events >"$dir/out"
sed 's/.*"name":"\([^"]*\)".*"count":\([0-9]*\).*/\1 \2/' "$dir/out" | LC_ALL=C sort >"$dir/names"
same "counts of a filter" "$dir/names" "$dir/want"
run 0 stats --json --filter "$filter" --begin +1s --end +1.5s demo/wget-cold-hot
equal "a filter and a range" "$(total)" "$(lines events -f "$filter" --begin +1s --end +1.5s demo/wget-cold-hot)"
run 0 stats --json --filter 'name == "none"' demo/wget-cold-hot
equal "a filter that nothing matches" "$(total)" 0
run 2 stats --by host --filter "$filter" demo/wget-cold-hot
run 2 stats --filter 'name ==' demo/wget-cold-hot

# Ranges and hosts: what events shows.
range() { # range OPTIONS...: of the two machines
	run 0 stats --json "$@" demo/wget-cold-hot
	equal "stats $*" "$(total)" "$(lines events "$@" demo/wget-cold-hot)"
	equal "by_name of stats $*" "$(list by_name count | sum)" "$(total)"
}
range --begin +1s
range --end +1s
range --begin +1s --end +2.2s
range --host server
range --host server --begin +1s --end +1.5s

# Threads and slices: the same numbers.
"$ctfgen" --big kernel --events 600000 --packet 16384 -o "$dir/big" >/dev/null || fail ctfgen
"$m" stats --json -j1 "$dir/big" >"$dir/j1" 2>&1
for j in 2 4; do
	"$m" stats --json -j$j "$dir/big" >"$dir/jn" 2>&1
	same "stats -j1 and -j$j" "$dir/jn" "$dir/j1"
done
cp "$dir/j1" "$dir/out"
equal "total of the big trace" "$(total)" 600000
equal "a range of the big trace" \
	"$("$m" stats --json --begin +50ms --end +120ms "$dir/big" | jq 'table("total")[].count')" \
	"$(lines events --begin +50ms --end +120ms "$dir/big")"
if [ -c /dev/full ]; then
	"$m" stats "$dir/big" >/dev/full 2>"$dir/err"
	equal "exit with a full disk" $? 5
fi

# Lost packets.
cat >"$dir/lost.scn" <<-END
	epoch 1700000000s
	host one
	1ms 0 tick n=1
	2ms 0 lost 5
	3ms 0 tick n=2
	4ms 0 skip 3
	5ms 0 tick n=3
	6ms 0 tick n=4
END
"$ctfgen" -o "$dir/lost" "$dir/lost.scn" >/dev/null || fail "ctfgen lost.scn"
run 0 stats --json "$dir/lost"
equal "events beside losses" "$(total)" 4
equal "discarded" "$(list losses events | sum)" 5
equal "lost packets" "$(list losses packets | sum)" 3
run 0 stats "$dir/lost"
text "$dir/out" 'packets here have [1-9][0-9]* bytes\)' 'tiny packets'
finish
