#!/usr/bin/env bash
# What `perf trace record` and perf without -a leave: calls without any switch, and switches of a task's own only. Whose a
# call is stands in each event; what a task does that nobody recorded is unknown, not runnable for ever.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# No switches: two tasks in calls on one CPU, one of which goes on on another one.
cat >"$dir/calls.txt" <<'END'
      ask   10 [000]     1.000000000:   raw_syscalls:sys_enter: NR 0 (3, 7f00, 40, 0, 0, 0)
   answer   20 [000]     1.100000000:   raw_syscalls:sys_enter: NR 1 (4, 7f00, 20, 0, 0, 0)
   answer   20 [000]     1.200000000:   raw_syscalls:sys_exit: NR 1 = 32
      ask   10 [001]     1.500000000:   raw_syscalls:sys_exit: NR 0 = 64
      ask   10 [001]     1.600000000:   raw_syscalls:sys_enter: NR 1 (4, 7f00, 20, 0, 0, 0)
      ask   10 [001]     1.610000000:   raw_syscalls:sys_exit: NR 1 = 32
END
"$m" log syscall -q --format csv "$dir/calls.txt" 2>/dev/null >"$dir/out"
calls() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["tid"], $at["name"], $at["duration_ns"] }' "$dir/out" | sort; }
equal "calls without switches" "$(calls | paste -sd';')" '10 read 500000000;10 write 10000000;20 write 100000000'
run 3 top cpu "$dir/calls.txt"
no_text "$dir/err" 'contradict'
run 0 summary "$dir/calls.txt"
text "$dir/out" 'sched_switch was not recorded'

# Switches of task 10 only: between them others had the CPUs, and it goes on unseen; it ends without a last switch.
cat >"$dir/some.txt" <<'END'
      ask   10 [000]     1.000000000:   sched:sched_switch: prev_comm=ask prev_pid=10 prev_prio=120 prev_state=R ==> next_comm=other next_pid=30 next_prio=120
      ask   10 [000]     1.200000000:   raw_syscalls:sys_enter: NR 0 (3, 7f00, 40, 0, 0, 0)
      ask   10 [000]     1.300000000:   raw_syscalls:sys_exit: NR 0 = 64
      ask   10 [000]     1.400000000:   sched:sched_switch: prev_comm=ask prev_pid=10 prev_prio=120 prev_state=R ==> next_comm=other next_pid=30 next_prio=120
      ask   10 [000]     1.500000000:   sched:sched_process_exit: comm=ask pid=10 prio=120
     next   40 [000]     1.700000000:   sched:sched_switch: prev_comm=next prev_pid=40 prev_prio=120 prev_state=S ==> next_comm=other next_pid=30 next_prio=120
     next   40 [000]     2.000000000:   raw_syscalls:sys_enter: NR 1 (4, 7f00, 20, 0, 0, 0)
     next   40 [000]     2.100000000:   raw_syscalls:sys_exit: NR 1 = 32
END
"$m" log syscall -q --format csv "$dir/some.txt" 2>/dev/null >"$dir/out"
equal "calls of some tasks" "$(calls | paste -sd';')" '10 read 100000000;40 write 100000000'
"$m" top cpu -q --format csv "$dir/some.txt" 2>/dev/null >"$dir/out"
of() { awk -F, -v tid="$1" -v key="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["tid"] == tid { print $at[key] }' "$dir/out"; }
equal "never seen to wait for a CPU" "$(of 10 runnable_ns)" 0
equal "seen on the CPU" "$(of 10 self_ns)" 200000000
equal "nothing is known of who was never recorded" "$(of 30 self_ns)" ''

# A task sleeps in a call, and comes back on a CPU that another one was thought to have: its switches there are missing,
# the call is known. An exit that names another call than it was in ends none, and a second exit does not either.
cat >"$dir/slept.txt" <<'END'
      ask   10 [000]     1.000000000:   sched:sched_switch: prev_comm=other prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=ask next_pid=10 next_prio=120
     next   40 [001]     1.010000000:   sched:sched_switch: prev_comm=other prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=next next_pid=40 next_prio=120
      ask   10 [000]     1.100000000:   raw_syscalls:sys_enter: NR 0 (3, 7f00, 40, 0, 0, 0)
      ask   10 [000]     1.200000000:   sched:sched_switch: prev_comm=ask prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=other next_pid=30 next_prio=120
      ask   10 [001]     1.600000000:   raw_syscalls:sys_exit: NR 0 = 64
      ask   10 [001]     1.700000000:   raw_syscalls:sys_enter: NR 1 (4, 7f00, 20, 0, 0, 0)
     next   40 [001]     1.800000000:   raw_syscalls:sys_enter: NR 0 (3, 7f00, 40, 0, 0, 0)
      ask   10 [002]     1.900000000:   raw_syscalls:sys_exit: NR 0 = 32
      ask   10 [002]     1.950000000:   raw_syscalls:sys_exit: NR 1 = 32
     next   40 [001]     2.000000000:   raw_syscalls:sys_exit: NR 0 = 64
END
"$m" log syscall -q --format csv "$dir/slept.txt" 2>/dev/null >"$dir/out"
equal "calls in which a task slept" "$(calls | paste -sd';')" '10 read 500000000;40 read 200000000'

# Said so, in the words of the tracer.
{
	for i in $(seq 1 10); do
		echo "      ask   10 [000]     1.$((i + 10))0000000:   sched:sched_switch: prev_comm=ask prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=other next_pid=3$i next_prio=120"
	done
} >"$dir/own.txt"
"$m" check "$dir/own.txt" >"$dir/out" 2>"$dir/err"
text "$dir/err" "9 of 9 context switches .*: 'perf record' without -a records some tasks only; record with -a\."

# A task that was forked meanwhile had no CPU before.
cat >"$dir/forked.txt" <<'END'
      ask   10 [001]     1.000000000:   sched:sched_process_fork: comm=ask pid=10 child_comm=ask child_pid=50
      ask   50 [000]     1.500000000:   sched:sched_switch: prev_comm=ask prev_pid=50 prev_prio=120 prev_state=S ==> next_comm=other next_pid=30 next_prio=120
END
"$m" top cpu -q --format csv "$dir/forked.txt" 2>/dev/null >"$dir/out"
equal "task 50 before its fork" "$(of 50 self_ns | sum)" 0
"$m" path --list -q --format csv "$dir/forked.txt" >"$dir/out" 2>/dev/null
equal "task 50" "$(of 50 begin)" 1000000000
finish
