#!/usr/bin/env bash
# perf record --switch-events without the tracepoint: who had a CPU, and for how long, is known; so is whether who left it was
# still runnable. What such a recording does not say is unknown: for what a task waits, what other tasks did.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/support/hex.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# A file as a pipe of perf has it. Times are in us, behind the first second of the clock; tasks of the process 10.
record() { n32 "$1" && n16 "$2" && n16 $((${#3} / 2 + 8)) && printf %s "$3"; } # TYPE MISC HEX
flags() { # BIT...: of an attribute
	local bit value=0
	for bit; do value=$((value | 1 << ($([ $order = be ] && echo $((63 - bit)) || echo "$bit")))); done
	n64 $value
}
# A dummy with TID, TIME, CPU, sample_id_all (18), CLOCK_MONOTONIC (25) and switches (26).
file_head() {
	[ $order = be ] && printf 32454c4946524550 || printf 50455246494c4532
	n64 16
	record 64 0 "$(n32 1 && n32 96 && n64 9 && n64 1 && n64 134 && n64 0 && flags 18 25 "$@" && n64 0 && n64 0 && n64 0 && n64 0 && n64 0 && n32 0 && n32 1 && n64 1)"
}
end_of() { n32 $(($1 > 0 ? 10 : $1)) && n32 "$1" && n64 "${2:+$((1000000000 + $2 * 1000))}" && n32 0 && n32 0; } # TID TIME
out=$((1 << 13)) preempted=$((1 << 13 | 1 << 14))
wide() { record 15 "$4" "$(n32 $(($3 > 0 ? 10 : $3)) && n32 "$3" && end_of "$2" "$1")"; } # TIME TID OTHER MISC
alone() { record 14 "$3" "$(end_of "$2" "$1")"; }                                         # TIME TID MISC
comm() { record 3 0 "$(n32 10 && n32 "$1" && printf '%02x00000000000000' "'$2" && end_of "$1" 0 | sed -E 's/.{32}$//' && n64 0 && n64 0)"; } # TID LETTER
exits() { record 4 0 "$(n32 10 && n32 10 && n32 "$2" && n32 "$2" && n64 "$1" && end_of "$2" "$1")"; } # TIME TID
lost() { record 2 0 "$(n64 1 && n64 "$2" && end_of 0 "$1")"; }                            # TIME NUMBER
# pair TIME FROM TO MISC: both records of a switch
pair() { wide "$1" "$2" "$3" "$4" && wide $(($1 + 1)) "$3" "$2" 0; }

events() { "$m" events -q "$1" 2>/dev/null | grep ' perf_' | sed -E 's/^\[00:00:01.([0-9]*)000\].* (perf_[a-z]*): .*common_pid = ([0-9]*) \}, (.*)/\1 \2 \3 \4/'; }
used() { # FILE: of each task
	"$m" top cpu -q -n 0 --format csv "$1" 2>/dev/null |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["tid"], $at["pid"], $at["comm"], $at["self_ns"], $at["runnable_ns"] }' | sort
}
cpu() { # FILE KEY: of the one CPU
	"$m" top cpu --table cpus -q --json "$1" 2>/dev/null | jq ".tables[0].rows[0].$2"
}

for order in le be; do
	f=$dir/wide-$order.data
	{
		file_head 26
		comm 10 a
		comm 11 b
		pair 0 10 11 $preempted
		pair 10 11 0 $out
		pair 15 0 10 $preempted
		exits 34 10
		pair 35 -1 11 $out # it has no number any more
		lost 40 3
		wide 50 12 11 0 # the record of who left is lost
		pair 60 12 0 $out
		pair 70 0 11 $preempted
		pair 75 11 0 $out
	} | to_file "$f"
	equal "$order: events" "$(events "$f")" '000000 perf_switch 10 { prev_tid = 10, prev_waits = 0, next_tid = 11 }
000010 perf_switch 11 { prev_tid = 11, prev_waits = 1, next_tid = 0 }
000015 perf_switch 0 { prev_tid = 0, prev_waits = 0, next_tid = 10 }
000034 perf_exit 10 { pid = 10, ppid = 10, tid = 10, ptid = 10, time = 34 }
000035 perf_switch 10 { prev_tid = 10, prev_waits = 1, next_tid = 11 }
000050 perf_switch 11 { prev_tid = 11, prev_waits = 2, next_tid = 12 }
000060 perf_switch 12 { prev_tid = 12, prev_waits = 1, next_tid = 0 }
000070 perf_switch 0 { prev_tid = 0, prev_waits = 0, next_tid = 11 }
000075 perf_switch 11 { prev_tid = 11, prev_waits = 1, next_tid = 0 }'
	# From the last record before the loss to the first one after it nothing is known.
	equal "$order: tasks" "$(used "$f" | paste -sd';')" '10 10 a 20000 15000;11 10 b 15000 0;12   10000 0'
	equal "$order: the CPU" "$(cpu "$f" idle_ns) $(cpu "$f" unknown_ns)" '15000 15000'
	run 1 check "$f"
	text "$dir/out" '^CPU usage +partly +sched:sched_process_fork$'
	no_text "$dir/err" 'fields-missing|has no '
	# Of some tasks: nobody says who else had the CPU, and who ends does not say that it leaves.
	f=$dir/some-$order.data
	{
		file_head 26
		comm 10 a
		comm 11 b
		alone 0 10 0
		alone 10 10 $preempted
		alone 20 11 0
		exits 25 11
		alone 30 10 0
		alone 40 10 $out
	} | to_file "$f"
	equal "$order: events of some tasks" "$(events "$f" | cut -d' ' -f1-2,4-)" '000000 perf_switch { prev_tid = -1, prev_waits = 2, next_tid = 10 }
000010 perf_switch { prev_tid = 10, prev_waits = 0, next_tid = -1 }
000020 perf_switch { prev_tid = -1, prev_waits = 2, next_tid = 11 }
000025 perf_exit { pid = 10, ppid = 10, tid = 11, ptid = 11, time = 25 }
000025 perf_switch { prev_tid = 11, prev_waits = 1, next_tid = -1 }
000030 perf_switch { prev_tid = -1, prev_waits = 2, next_tid = 10 }
000040 perf_switch { prev_tid = 10, prev_waits = 1, next_tid = -1 }'
	equal "$order: some tasks" "$(used "$f" | paste -sd';')" '10 10 a 20000 20000;11 10 b 5000 0'
	equal "$order: the CPU of some tasks" "$(cpu "$f" idle_ns) $(cpu "$f" unknown_ns)" '0 15000'
	run 0 check "$f"
	no_text "$dir/err" 'context switches .* take another task'
done

# Where the tracepoint is recorded, too, it says the same, and more.
made=$SRC/fuzz/corpus/recording/pipe order=le
{
	cat "$made"
	for time in 1 2; do record 15 $out "$(n32 5 && n32 5 && n32 4 && n32 4 && n64 $((30500000000 + time)) && n64 0 && n32 0 && n32 0)"; done |
		sed 's/../\\x&/g' | xargs -d '\n' printf '%b'
} >"$dir/both.data"
equal "told twice" "$("$m" events -q "$dir/both.data" 2>/dev/null | grep -c perf_switch)" 0
equal "all else" "$("$m" events -q "$dir/both.data" 2>/dev/null | wc -l)" "$("$m" events -q "$made" 2>/dev/null | wc -l)"
# Neither tracepoints nor switches: what to record is said.
{ file_head && comm 10 a; } | to_file "$dir/none.data"
run 3 info "$dir/none.data"
text "$dir/err" 'it has no tracepoints, only a profile or counters; record with '
finish
