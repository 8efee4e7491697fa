#!/usr/bin/env bash
# States of programs and of MPI ranks in a part of the time: what lies in it counts, whatever table it is in, and what
# was under way is there although no event is.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=$SRC/demo/mpi-imbalance

# rows BEGIN END VERB ARGUMENT...: of the first table, as jq sees them in $dir/rows
rows() { "$m" "${@:3}" -n 0 --begin "$1" --end "$2" --json "$t" 2>/dev/null | jq -c '.tables[0].rows' >"$dir/rows"; }
value() { jq -r "$1" "$dir/rows"; }

# The same moment is counted once, as waits, as ranks' states, and as states of a view.
n=0
for window in "02:18:21.260 02:18:21.280" "02:18:22 02:18:22.2" "02:18:21.3 02:18:21.3278" "02:18:21.9 02:18:22.45" \
	"02:18:21.5 02:18:21.501" "02:18:20 02:18:30"; do
	read -r begin end <<<"$window"
	rows "$begin" "$end" top mpi --table ranks
	waiting=$(value 'map([.rank, .waiting_ns]) | sort | map(select(.[1] > 0)) | tostring')
	compute=$(value 'map(.compute_ns) | add')
	rows "$begin" "$end" top mpi --table waits
	equal "$window: each rank waited as long for others as it waited" \
		"$(value 'group_by(.rank) | map([.[0].rank, (map(.total_ns) | add)]) | sort | map(select(.[1] > 0)) | tostring')" "$waiting"
	equal "$window: no wait is longer than the window" "$(value "[.[] | select(.max_ns > .total_ns or .mean_ns > .max_ns)] | length")" 0
	rows "$begin" "$end" top view --view mpi --table top_state
	equal "$window: computing, as a view" "$(value '[.[] | select(.state == "compute").exclusive_ns] | add')" "$compute"
	n=$((n + $(jq length "$dir/rows")))
	rows "$begin" "$end" log view --view mpi
	equal "$window: states that lie in it are listed" \
		"$(value 'map(select(.state == "compute")) | length')" \
		"$("$m" top view --view mpi --table top_state --begin "$begin" --end "$end" --json "$t" 2>/dev/null |
			jq '[.tables[0].rows[] | select(.state == "compute").count] | add')"
done
equal "there was something in each" "$((n > 12))" 1

# In these 20 ms there is no event: three ranks compute, and one waits for the slowest at a barrier.
rows 02:18:21.260 02:18:21.280 top mpi --table waits
equal "who waits for whom" "$(value 'map([.rank, .by_rank, .count, .total_ns]) | tostring')" "[[0,3,1,20000000]]"
rows 02:18:21.260 02:18:21.280 log mpi
equal "calls that go on" "$(value 'map(.call) | sort | join(" ")')" "MPI_Barrier compute compute compute"
rows 02:18:21.260 02:18:21.280 top mpi --table collectives
equal "the barrier" "$(value 'map(select(.call == "MPI_Barrier")) | map([.first_rank, .last_rank]) | tostring')" "[[0,3]]"
rows 02:18:21.260 02:18:21.280 stats view --view mpi
equal "nothing begins there" "$(value length)" 0
run 0 stats view --view mpi --begin 02:18:21.260 --end 02:18:21.280 "$t"
text "$dir/out" '^No data: no event was recorded in this time range' "what is said of it"

# --min chooses states, with all of their time, so that none is longer without what is nested in it than with it.
for min in 30ms 50ms 80ms; do
	rows 02:18:20 02:18:30 top view --view mpi --min $min --table top
	equal "at least $min" "$(value "[.[] | select(.exclusive_ns > .inclusive_ns or .inclusive_ns < .count * ${min%ms}e6)] | length")" 0
	at_least=$(value 'map(.exclusive_ns) | add')
	rows 02:18:20 02:18:30 log view --view mpi
	equal "at least $min: their time" "$at_least" "$(value "[.[] | select(.duration_ns >= ${min%ms}e6).exclusive_ns] | add")"
done
finish
