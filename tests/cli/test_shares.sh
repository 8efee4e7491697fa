#!/usr/bin/env bash
# Same words, same numbers: what the list of requests says that most of a request went into has the share that its path
# says; CPU time is the same in top, summary and stats, and where it is another one ("CPU time with interrupts", time
# slices) it is that by exactly what interrupts and hypervisors took.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
cd "$SRC" || exit 1
command -v jq >/dev/null || {
	echo "skipped: there is no jq"
	exit 77
}

# ---- requests ----

for r in shop-a web-load rpc-relay h2-mux shop-node; do
	t=$lab/$r
	there "$t" || continue
	"$m" requests --list -n 6 --json -q "$t" >"$dir/json" 2>/dev/null
	"$m" requests --list -n 6 --format csv -q "$t" >"$dir/csv" 2>/dev/null
	n=0
	while IFS=$'\t' read -r id cause percent; do
		got=$("$m" path --request "$id" --json -q "$t" 2>/dev/null | jq -r --arg c "$cause" '
			(.end - .begin) as $all | [table("by_cause")[] | select(.cause == $c).total_ns] | add // 0 | 100 * . / $all')
		# A path begins with what the requester's call did, a list at the first byte: times differ by some ns.
		equal "$r: $id, $cause" "$(awk -v g="$got" -v w="$percent" 'BEGIN { d = g - w; print d * d <= 0.6 * 0.6 ? "same" : g " %, not " w " %" }')" same
		n=$((n + 1))
	done < <(sed -nE '2,$ s/^([^,]*),.*,"?([a-z-]+) ([0-9]+) % [^,]*$/\1\t\2\t\3/p' "$dir/csv")
	[ $n -gt 0 ] || fail "$r: no request says where most of its time went"
done

# ---- CPU time ----

for r in shop-a kvm-nested reader-zoo mpi-3vm; do
	t=$lab/$r
	there "$t" || continue
	"$m" top cpu -n 4 --json -q "$t" >"$dir/top" 2>/dev/null
	"$m" stats cpu -n 0 --json -q "$t" >"$dir/stats" 2>/dev/null
	"$m" summary -n 0 --json -q "$t" >"$dir/summary" 2>/dev/null
	while IFS=$'\t' read -r host tid self interrupted taken; do
		equal "$r: summary of $tid" "$(jq --arg h "$host" --argjson t "$tid" '[.tables[].rows[] |
			select(.resource? == "CPU" and .host == $h and .tid == $t).time_ns] | .[0] // "none"' "$dir/summary" |
			sed "s/\"none\"/$self/")" "$self"
		equal "$r: time slices of $tid" "$(jq --arg h "$host" --argjson t "$tid" '[.tables[0].rows[] |
			select(.host == $h and .tid == $t).total_ns] | add' "$dir/stats")" $((self + interrupted + taken))
		"$m" task --tid "$tid" --host "$host" --json -q "$t" >"$dir/task" 2>/dev/null
		equal "$r: task $tid" "$(jq '[.. | objects | select(.depth? == 0 and .self_ns?).self_ns] | .[0]' "$dir/task")" \
			$((self + interrupted))
		"$m" task --tid "$tid" --host "$host" -q "$t" >"$dir/out" 2>/dev/null
		text "$dir/out" 'CPU time with interrupts' "$r: task $tid"
	done < <(jq -r '.tables[0].rows[:4][] | [.host, .tid, .self_ns, .interrupted_ns, (.hypervisor_ns // 0) + (.stolen_ns // 0)] |
		@tsv' "$dir/top")
done
finish
