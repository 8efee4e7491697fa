#!/usr/bin/env bash
# meridian diff: sides from one experiment, from two, and saved ones tell the same; every table sums to the
# totals; what is known to be different comes out.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80 LC_ALL=C
wget=demo/wget-cold-hot rpc=demo/clihog-srvhog-2vm

# member NAME FILE: rows of a table of a JSON text, one a line
member() {
	grep -oE "\"id\":\"$1\",\"title\":(null|\"[^\"]*\"),\"columns\":\[[^]]*\],\"rows\":\[[^]]*\]" "$2" |
		sed 's/.*"rows"://' | grep -oE '\{[^}]*\}'
}
delta() { member diff "$1" | grep -oE -- '-?[0-9]+'; }
# sums FILE: every table's against the totals
sums() {
	local a b
	a=$(numbers total_ns "$1" | sed -n 1p) b=$(numbers total_ns "$1" | sed -n 2p)
	equal "delta" "$(delta "$1")" $((b - a))
	for table in by_cause by_host by_task parts; do
		member $table "$1" >"$dir/rows"
		equal "$table of A" "$(numbers a_ns "$dir/rows" | sum)" "$a"
		equal "$table of B" "$(numbers b_ns "$dir/rows" | sum)" "$b"
		equal "$table of the difference" "$(numbers delta_ns "$dir/rows" | sum)" $((b - a))
	done
}

"$m" path -q --json -o "$dir/a.json" --comm wget $wget
"$m" path -q --json -o "$dir/b.json" --comm wget --nth 2 $wget
run 0 diff -q --json --comm wget $wget
cp "$dir/out" "$dir/one"
sums "$dir/one"
equal "A and B" "$(numbers total_ns "$dir/one" | head -2)" \
	"$(numbers total_ns "$dir/a.json" | head -1; numbers total_ns "$dir/b.json" | head -1)"

# The same from files, from one of them, from two experiments; in any order of the tasks.
tables() {
	local t
	for t in parts part_shares by_cause by_host by_task diff; do member $t "$1"; done
}
tables "$dir/one" >"$dir/wanted"
from() {
	local what=$1
	shift
	run 0 diff -q --json "$@"
	tables "$dir/out" >"$dir/got"
	same "$what" "$dir/got" "$dir/wanted"
}
from "two files" "$dir/a.json" "$dir/b.json"
from "a file against traces" "$dir/a.json" --against $wget --comm wget --nth 1,2
from "traces against a file" $wget --against "$dir/b.json" --comm wget
from "two experiments" $wget --against $wget --comm wget --nth 1,2
from "hosts apart" $wget/client $wget/server --against $wget/client,$wget/server --comm wget --nth 1,2
from "by number" $wget --comm wget --nth 1,2
from "by tid" $wget --tid 232,236
from "B by tid" $wget --tid 232 --tid-b 236
from "B by name" $wget --tid 232 --comm-b wget --nth 1,2
from "one thread" $wget --comm wget -j 1

# The other way round everything is the other way round.
run 0 diff -q --json --comm wget --nth 2,1 $wget
equal "swapped" "$(delta "$dir/out")" $((-$(delta "$dir/one")))
member parts "$dir/out" | sed -E 's/.*("host".*"in_flight": ?[01]).*"a_ns": ?([0-9]+).*"b_ns": ?([0-9]+).*/\1 \3 \2/' | sort >"$dir/got"
member parts "$dir/one" | sed -E 's/.*("host".*"in_flight": ?[01]).*"a_ns": ?([0-9]+).*"b_ns": ?([0-9]+).*/\1 \2 \3/' | sort >"$dir/wanted"
same "swapped parts" "$dir/got" "$dir/wanted"

# Cold and hot: the disk of the server is gone, and nothing new is there.
member by_cause "$dir/one" | grep '"cause":"disk"' >"$dir/disk"
[ "$(numbers a_ns "$dir/disk")" -gt 1000000 ] && ok || fail "cold has no disk"
equal "hot has none" "$(numbers b_ns "$dir/disk")" 0
row=$(member parts "$dir/one" | grep -n '"host":"server","comm":"python3","cause":"disk"' | cut -d: -f1)
text "$dir/one" "\"row\":$row,\"percent\":[0-9.]+,\"only_in\":\"a\"" 'only in A'
run 0 diff -q --comm wget $wget
text "$dir/out" '^A  wget/232 on client, from 2026-11-21 02:35:46\.169610970 for 365 ms$' A
text "$dir/out" '^B  wget/236 on client, ' B
text "$dir/out" '^B took [0-9]+ ms less \(-[0-9]+ %\)\. Mostly: ' sentence
tr '\n' ' ' <"$dir/out" >"$dir/line"
text "$dir/line" 'Gone in B: [^.]*disk, python3 on server \([0-9.]+ ms' gone
awk 'length($0) > 80 { exit 1 }' "$dir/out" && ok || fail "too wide"

# The same path twice: no difference, and no share of none.
run 0 diff -q "$dir/a.json" "$dir/a.json"
text "$dir/out" '^Both took the same time\.$' same
no_text "$dir/out" 'of difference' same
run 0 diff -q --json "$dir/a.json" "$dir/a.json"
text "$dir/out" '"delta_ns":0,"percent":null' null

# Two times of one task.
run 0 diff -q --json --comm rpc-cli --nth 1 --begin @1795227713.4 --end @1795227713.5 --begin-b @1795227713.6 --end-b @1795227713.7 $rpc
equal "times of one" "$(numbers tid "$dir/out" | uniq | wc -l)" 1
equal "two times" "$(numbers tid "$dir/out" | wc -l)" 2
equal "its first 100 ms" "$(numbers total_ns "$dir/out" | head -1)" 100000000
sums "$dir/out"

# As a check of a build.
run 0 diff -q --fail-above 10% --comm wget $wget
run 1 diff -q --fail-above 10% --comm wget --nth 2,1 $wget
run 1 diff -q --fail-above 150% --comm wget --nth 2,1 $wget
run 0 diff -q --fail-above 200% --comm wget --nth 2,1 $wget
run 1 diff -q --fail-above 100ms --comm wget --nth 2,1 $wget
run 0 diff -q --fail-above 1s --comm wget --nth 2,1 $wget
for bad in 10 x -5% 5parsec %; do
	run 2 diff -q --fail-above "$bad" --comm wget $wget
	text "$dir/err" '--fail-above: ' "--fail-above $bad"
done

# Rows for programs; limited.
run 0 diff -q --format csv --comm wget $wget
equal "CSV" "$(head -1 "$dir/out")" "host,comm,cause,in_flight,a_ns,b_ns,delta_ns,a_segments,b_segments"
equal "rows" "$(sed 1d "$dir/out" | wc -l)" "$(member parts "$dir/one" | wc -l)"
equal "sum" "$(sed 1d "$dir/out" | cut -d, -f5 | sum)" "$(numbers total_ns "$dir/one" | head -1)"
equal "limit" "$("$m" diff -q --format jsonl -n 3 --comm wget $wget | wc -l)" 3

# A path saved by versions before: members instead of tables, and in the first another word for runnable.
if command -v jq >/dev/null; then
	# Times have more digits than jq computes with: here they are texts.
	sed -E 's/("[a-z_]*": ?)(-?[0-9]{16,})/\1"\2"/g' "$dir/a.json" | jq -c '{schema_version: 2, task: table("task")[0], "begin": .begin, "end": .end,
		total_ns: table("path")[0].total_ns, segments: [table("segments")[] | if .in_flight == 1 then .in_flight = true
		else del(.in_flight) end | if .delivery == 1 then .delivery = true else del(.delivery) end], by_task: table("by_task")}' |
		sed -E 's/"(-?[0-9]{16,})"/\1/g' >"$dir/c.json"
	grep -q '"in_flight":true' "$dir/c.json" && ok || fail "no packet in flight"
	run 0 diff --format csv "$dir/a.json" "$dir/c.json"
	equal "a path of the version before" "$(sed 1d "$dir/out" | cut -d, -f7 | sort -u)" 0
	sed -E 's/"schema_version": ?2/"schema_version":1/; s/("cause": ?)"runnable"/\1"wait-cpu"/g' "$dir/c.json" >"$dir/d.json"
	grep -q '"wait-cpu"' "$dir/d.json" && ok || fail "no cause to rename"
	run 0 diff --format csv "$dir/a.json" "$dir/d.json"
	equal "a path of before" "$(sed 1d "$dir/out" | cut -d, -f7 | sort -u)" 0
fi

# What cannot be compared.
run 2 diff --comm wget --nth 1 $wget
text "$dir/err" 'both are the same task' 'itself'
run 2 diff --tid 232 $wget
text "$dir/err" 'only one task matches, there is nothing to compare it with' 'one'
run 2 diff --comm wget --nth 1,5 $wget
text "$dir/err" '--nth 5: only 2 tasks match' nth
for bad in 0 1,0 a 1,2,3 -1 1,; do
	run 2 diff --comm wget --nth="$bad" $wget
	text "$dir/err" '--nth: ' "--nth $bad"
done
run 2 diff $wget
text "$dir/err" 'which tasks\?' 'neither'
run 2 diff --comm nobody $wget
text "$dir/err" "no task named 'nobody'" 'nobody'
run 2 diff "$dir/a.json"
text "$dir/err" 'a saved path is compared with one other' 'one file'
for bad in '{"schema_version":2}' '{"schema_version":3,"tables":[]}' '{"schema_version":3,"tables":[{"id":"task","rows":[]}]}'; do
	echo "$bad" >"$dir/c.json"
	run 3 diff "$dir/a.json" "$dir/c.json"
	text "$dir/err" 'c\.json:1:' 'place of the mistake'
done
sed -E '0,/"rows":\[\{"begin":[0-9]+/s//"rows":[{"begin":17/' "$dir/a.json" >"$dir/c.json"
run 3 diff "$dir/a.json" "$dir/c.json"
text "$dir/err" 'does not begin where the one before ends' 'contiguous'

# Runs on other machines: other numbers of tasks, the same names.
if there "$lab/clihog-srvhog-1vm"; then
	run 0 diff -q --json --comm rpc-cli $rpc --against "$lab/clihog-srvhog-1vm"
	sums "$dir/out"
	run 0 diff -q --comm rpc-cli $rpc --against "$lab/clihog-srvhog-1vm"
	text "$dir/out" '^server +rpc-child ' 'by name'
fi
finish
