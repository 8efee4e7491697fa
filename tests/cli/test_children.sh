#!/usr/bin/env bash
# meridian path --children: durations as the shell measured them, and sums that are exact.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/clihog-srvhog-2vm

run 0 path --children --comm rpc-srv --host server $t
text "$dir/out" '^rpc > rpc-srv/237 on server: .* with 2$' 'a verdict'
text "$dir/out" '^descendant processes\. ' 'what it started'
text "$dir/out" '^  rpc-child +2 ' 'its children'
text "$dir/out" '^total +3 .* 100.0 %$' 'a total'
equal "width" "$(awk 'length($0) > 80' "$dir/out" | wc -l)" 0
run 0 path --children --comm rpc-srv --host server --format csv $t
equal "a row for each process" "$(cut -d, -f1,2 "$dir/out" | tr '\n' ' ')" "tid,parent_tid 237, 238,237 239,237 "
run 2 path --children --comm rpc-srv --host server --format dot $t
if ! command -v jq >/dev/null; then
	echo "no jq: the rest is left out"
	finish
fi

# exact FILE: time on the path in and outside of the tree is the elapsed time, for processes and programs
exact() {
	equal "processes sum up" "$(jq '([table("processes")[].on_path_ns] | add) + (table("path")[0] | .outside_ns - .total_ns)' "$1")" 0
	equal "programs sum up" "$(jq '([table("programs")[].on_path_ns] | add) + (table("path")[0] | .outside_ns - .total_ns)' "$1")" 0
	equal "a process is its programs" "$(jq '[table("process_programs")[] | {row, on_path_ns, cpu_ns}] | group_by(.row) |
		map([.[0].row, (map(.on_path_ns) | add), (map(.cpu_ns) | add)])' "$1")" \
		"$(jq '[table("processes") | to_entries[] | [.key + 1, .value.on_path_ns, .value.cpu_ns]]' "$1")"
	equal "the root has all" "$(jq 'table("processes")[0].tree_on_path_ns - table("path")[0].in_tree_ns' "$1")" 0
	# Times since 1970 are more than a double holds.
	equal "window" $(($(numbers end "$1" | head -1) - $(numbers begin "$1" | head -1))) \
		"$(numbers total_ns "$1")"
	equal "CPU in time" "$(jq '[table("processes")[] | select(.threads == 1 and .cpu_ns > .duration_ns)] | length' "$1")" 0
}
run 0 path --children --comm rpc-srv --host server --json $t
exact "$dir/out"
equal "processes" "$(jq -c '[table("processes")[] | [.tid, .parent_tid]]' "$dir/out")" \
	'[[237,null],[238,237],[239,237]]'
# It computes for 80 ms.
equal "child's CPU" "$(jq 'table("processes")[2].cpu_ns / 1000000 | floor | . >= 70 and . < 120' "$dir/out")" true

# The greeting of a login, as published: landscape and others, 250 ms, so 4 logins per second.
django=$public/django-vote
if there "$django"; then
	run 0 path --children --host django-client --tid 2330 --json "$django"
	exact "$dir/out"
	equal "ms" "$(jq 'table("path")[0].total_ns / 1000000 | floor | . >= 250 and . < 270' "$dir/out")" true
	run 0 path --children --host django-client --tid 2330 "$django"
	tr '\n' ' ' <"$dir/out" >"$dir/line"
	text "$dir/line" 'that is at most 3\.[89] per second' 'the rate of logins'
	text "$dir/out" '^      landscape-sysin/2346 .* 64\.. %$' 'landscape'
	equal "the dearest program" "$(awk '/wherever they ran/ { getline; getline; print $1 }' "$dir/out")" landscape-sysin
fi
there "$lab/login-tree" || finish
# tree RUN PID: the log of each run says when each program was started and had ended, to the shell.
tree() {
	local log=$lab/login-tree/login-$1.log
	run 0 path --children --tid "$2" --json "$lab/login-tree"
	exact "$dir/out"
	# Begun before it says so, by the start of bash itself.
	local span
	span=$(awk '/begin login-tree/ { b = $1 } /end login-tree/ { e = $1 } END { printf "%d", e - b }' "$log")
	equal "$1: span" "$(jq --argjson s "$span" 'table("path")[0] | .total_ns > $s and .total_ns < $s + 150000000' "$dir/out")" true
	equal "$1: rate" "$(jq 'table("path")[0] | (.max_rate_per_s * .total_ns / 1000000000 - 1) | fabs < 0.001' "$dir/out")" true
	# Each program that is in the log is a process of the tree, as long as it says.
	awk '$2 == "begin" { b[$NF] = $1 } $2 == "end" { for (i = 3; i < NF; i++)
			if ($i == "pid") print $(i + 1), $1 - b[$(i + 1)] }' "$log" | grep -v "^$2 " |
		sort >"$dir/said"
	[ -s "$dir/said" ] || fail "$1: nothing in $log"
	jq -r 'table("processes")[] | "\(.tid) \(.duration_ns)"' "$dir/out" | sort >"$dir/found"
	equal "$1: programs not found" "$(join -v 1 "$dir/said" "$dir/found" | wc -l)" 0
	equal "$1: durations off by more than 12 ms" "$(join "$dir/said" "$dir/found" |
		awk '{ d = $2 - $3 } d > 12e6 || d < -12e6' | wc -l)" 0
}
tree short2 382
tree hot 298
run 0 path --children --tid 382 "$lab/login-tree"
text "$dir/out" 'at most 1\.6 per second' 'a rate'
text "$dir/out" '^  python3/410 ' 'the longest'
text "$dir/out" '^  bb +23 ' 'the same program many times'
run 0 path --children --tid 298 "$lab/login-tree"
equal "a screen or so" "$(awk 'END { print (NR >= 10 && NR <= 36) }' "$dir/out")" 1
# A session: programs that one process runs one after the other.
run 0 path --children --tid 413 --json "$lab/login-tree"
exact "$dir/out"
finish
