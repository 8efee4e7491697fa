#!/usr/bin/env bash
# A task has one name in all answers, its last one (kernel_comm), whichever part of the time is asked about, with and
# without a cache; only events say what it was called when they were recorded.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
cd "$SRC" || exit 1
command -v jq >/dev/null || {
	echo "skipped: there is no jq"
	exit 77
}

# names FILE: of JSON or lines of it: "host tid comm" of each task that is named, under whichever keys: comm, tid, host;
# by_comm, by_tid, by_host; from_..., or an object of its own.
names() {
	jq -r '[.. | objects | . as $o | keys[] | select(test("(^|_)comm$")) | sub("comm$"; "") as $of |
		[$o[$of + "host"] // $o.host, $o[$of + "tid"], $o[$of + "comm"]] |
		select((.[1] | type) == "number" and (.[2] | type) == "string" and (.[0] | type) == "string")] |
		unique[] | "\(.[0]) \(.[1]) \(.[2])"' "$1"
}
# asked TRACE ARGUMENT...: what it names, added to $dir/names with the question
asked() {
	local t=$1 n
	"$m" "${@:2}" --json -q "$t" >"$dir/out" 2>"$dir/err" </dev/null
	n=$?
	[ $n -le 1 ] || [ $n = 3 ] || fail "${*:2}: exit $n: $(head -2 "$dir/err")"
	[ -s "$dir/out" ] || return
	names "$dir/out" | sed "s|\$|\t${*:2}|" >>"$dir/names"
}
# two WHAT: tasks with several names, and who calls them so. kernel_comm of a tid that two tasks had one after the other
# may be two: those that "top cpu" has twice are left out.
two() {
	local reused
	reused=$(awk -F'\t' '$2 ~ /^top cpu/ { sub(/ [^ ]*$/, "", $1); n[$1]++ }
		END { for (i in n) if (n[i] > 1) print i }' <(sort -u "$dir/names" | grep -P '\ttop cpu -n 0( |$)'))
	awk -F'\t' -v reused="$reused" 'BEGIN { split(reused, r, "\n"); for (i in r) skip[r[i]] }
		{ task = $1; match(task, /^[^ ]* [0-9]*/); key = substr(task, 1, RLENGTH) }
		!(key in skip) && !(key in name) { name[key] = task; by[key] = $2 }
		!(key in skip) && name[key] != task { print name[key] " (" by[key] "), " task " (" $2 ")" }' \
		"$dir/names" >"$dir/two"
	equal "$1: tasks of two names" "$(head -3 "$dir/two")" ''
}

# ---- by hand: bash becomes python at 10 ms ----

"$ctfgen" -o "$dir/t" "$SRC/tests/cli/renamed.scn" >/dev/null || exit 1
t=$dir/t
for pass in --no-store --store; do
	for window in '' '--begin +0s --end +7ms' '--begin +14ms'; do
		: >"$dir/names"
		for v in 'top cpu -n 0' 'top sched -n 0' 'log sched' 'stats sched' 'blocked' 'path --tid 11' 'task --tid 11'; do
			# shellcheck disable=SC2086
			asked "$t" $v $window $pass
		done
		[ "$window" ] || asked "$t" state --at +4ms
		equal "$pass, window '$window': names" "$(cut -f1 "$dir/names" | sort -u | grep -v ' 0 ' | tr '\n' ,)" \
			'here 10 bash,here 11 python,'
	done
done
# The same without a column of its own
run 0 path --tid 11 -q "$t"
no_text "$dir/out" 'bash/11'
run 0 path --tid 11 -q --format folded "$t"
no_text "$dir/out" 'bash/11'
# ... by any name that it had it is found,
equal "found by an earlier name" "$("$m" top cpu --comm bash --format csv -q "$t" | grep -c ',python,')" 1
# ... and events say what was recorded.
equal "events" "$("$m" events -q "$t" | grep -c 'prev_comm = "bash", prev_tid = 11')" 1

# ---- on recordings ----

# A recording, and a task of it that renamed itself or became another program
while read -r r tid; do
	t=$lab/$r
	every 3 && there "$t" || continue
	: >"$dir/names"
	for v in 'top cpu -n 0' 'top sched' 'top futex' 'top net' 'top mem' 'top faults' 'log sched -n 1000' 'log syscall -n 300' \
		'log futex -n 300' 'log irq -n 300' 'log net -n 300' 'stats sched' 'stats syscall' summary blocked \
		'graph --all -n 200' 'requests --list -n 100' 'requests --explain' "path --tid $tid" "task --tid $tid" \
		"path --children --tid $tid" 'state --at +1s' 'top sched --begin +0.5s --end +1s' \
		'top cpu --begin +0.5s --end +1s' "path --tid $tid --end +6s"; do
		# shellcheck disable=SC2086
		asked "$t" $v
	done
	two "$r"
done <<<'login-tree 244
kvm-nested 288
shop-a 242
clihog-srvhog-2vm 237'
finish
