#!/usr/bin/env bash
# What is told over time is as large as the time, the bins and the threads say, whatever the number of events:
# ten times the rate gives the same rows, and takes no more memory than that of one rate.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# world NAME N: in 100 ms, N times: four threads of two CPUs run one after the other, and each makes a call,
# allocates and frees a page and has a fault.
world() {
	awk -v n="$2" 'BEGIN {
		print "host h\ntrace h/kernel"
		print "event kmem_mm_page_alloc { u64 pfn; u32 order; }"
		print "event kmem_mm_page_free { u64 pfn; u32 order; }"
		step = int(100000000 / n)
		for (i = 0; i < n; i++) {
			cpu = i % 2; prev = i < 2 ? 0 : 100 + cpu + 2 * (int(i / 2 + 1) % 2)
			tid = 100 + cpu + 2 * (int(i / 2) % 2)
			t = i * step; d = int(step / 10)
			printf "%dns h %d sched_switch prev_comm=\"t\" prev_tid=%d prev_prio=20 prev_state=0 next_comm=\"t\" next_tid=%d next_prio=20\n", t, cpu, prev, tid
			printf "%dns h %d syscall_entry_read fd=3 count=1\n", t + d, cpu
			printf "%dns h %d kmem_mm_page_alloc pfn=1 order=0\n", t + 2 * d, cpu
			printf "%dns h %d kmem_mm_page_free pfn=1 order=0\n", t + 3 * d, cpu
			printf "%dns h %d syscall_exit_read ret=1\n", t + 4 * d, cpu
			printf "%dns h %d x86_exceptions_page_fault_user address=16\n", t + 5 * d, cpu
		}
	}' >"$dir/$1.scn"
	check "a world" "$ctfgen" -o "$dir/$1" "$dir/$1.scn"
}
world slow 2000
world fast 20000
for t in slow fast; do
	run 0 log faults --format csv "$dir/$t"
	sed 1d "$dir/out" | wc -l >"$dir/n.$t"
done
equal "ten times the events" "$(cat "$dir/n.fast")" "$(cat "$dir/n.slow")0"

for a in $("$m" top --format csv | sed 1d | grep '[",]bins' | cut -d, -f1); do
	[ "$a" != view ] || continue # its states are of a view: tests/cli/test_view.sh
	# These are found in the log of what all tasks did, which grows with the events.
	case $a in waits | requests | messages) continue ;; esac
	want=0
	case $a in cpufreq | disk | irq | mpi | net | sched | vm) want=3 ;; esac # these worlds have no such events
	for t in slow fast; do
		run $want top "$a" --bins 50 --format csv -j 1 "$dir/$t"
		# Rows of who and when; numbers have more digits where there is more.
		cut -d, -f1-6 "$dir/out" | wc -l >"$dir/rows.$t"
		wc -c <"$dir/out" >"$dir/bytes.$t"
	done
	equal "rows of top $a --bins" "$(cat "$dir/rows.fast")" "$(cat "$dir/rows.slow")"
	equal "size of top $a --bins" \
		"$(($(cat "$dir/bytes.fast") <= $(cat "$dir/bytes.slow") * 13 / 10 + 100))" 1
	# The traces are mapped (fast: 5 MB more); logs of all events would be as much again and more.
	[ -n "$SANITIZE" ] && continue
	slow=$("$BUILD/bench/peak" "$m" top "$a" --bins 50 --json -j 1 "$dir/slow")
	fast=$("$BUILD/bench/peak" "$m" top "$a" --bins 50 --json -j 1 "$dir/fast")
	more=$(du -sk "$dir/fast" | cut -f1)
	equal "memory of top $a --bins: $slow, $fast KiB" "$((slow > 0 && fast <= slow + more + 2048))" 1
done
finish
