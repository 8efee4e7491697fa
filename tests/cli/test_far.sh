#!/usr/bin/env bash
# Numbers that a damaged header may have: a time beyond 64 bits, and counters of losses that no tracer
# reaches. Every verb ends, prints no negative number, and says what is wrong.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=200
switch() { echo "prev_comm=\"$1\" prev_tid=$2 prev_prio=20 prev_state=0 next_comm=\"$3\" next_tid=$4 next_prio=20"; }
cat >"$dir/far.scn" <<END
host h { boot 0; offset 0 }
1ms h 0 sched_switch $(switch swapper/0 0 a 42)
9223372036854775806 h 0 sched_switch $(switch a 42 swapper/0 0)
END
cat >"$dir/lost.scn" <<END
host h
1ms h 0 sched_switch $(switch swapper/0 0 a 42)
2ms h 0 flush
2ms h 0 set events_discarded=12244521371456084732
2ms h 0 set packet_seq_num=10502953019316895745
3ms h 0 sched_switch $(switch a 42 swapper/0 0)
END
for name in far lost; do check "$name" "$ctfgen" -o "$dir/$name" "$dir/$name.scn"; done

for name in far lost; do
	while IFS=$'\t' read -r verb _; do
		words=()
		case $verb in
		help | version | completion | cache | record | serve | tui | diff | layout) continue ;;
		top | log | freq) words=(cpu) ;;
		path | task | blocked) words=(--comm a) ;;
		state) words=(--at +1ms) ;;
		report) words=(-o "$dir/$name.html") ;;
		export) words=(-o "$dir/$name.lake") ;;
		query) words=(-f tests/cli/query.sql) ;;
		esac
		timeout 120 "$m" "$verb" "${words[@]}" "$dir/$name" >"$dir/out" 2>"$dir/err" </dev/null
		got=$?
		((got <= 4)) || fail "$verb $name: exit $got"
		! grep -qE -- '-[0-9,]{12,}|nan' "$dir/out" || fail "$verb $name: $(grep -E -- '-[0-9,]{12,}|nan' "$dir/out" | head -1)"
		ok
	done < <("$m" --verbs)
done
run 3 top cpu --store "$dir/far"
text "$dir/err" 'times in this packet are beyond 64-bit nanoseconds'
run 3 top cpu "$dir/far" # from the store
run 1 check -v "$dir/lost"
text "$dir/err" 'the counters in the header of packet 0 are damaged'
"$m" summary --json "$dir/lost" 2>/dev/null | grep -oE '"lost_events": ?[0-9-]+' | sort -u >"$dir/got"
text "$dir/got" '"lost_events": ?9223372036854775807$' "the most that a table can show"
finish
