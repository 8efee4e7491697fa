#!/usr/bin/env bash
# What to record is said in the words of the tracer that was used: a line of trace-cmd, of perf, of lttng; of each in an
# experiment that has several. The names are those that the tracer takes, with the clock that fits other hosts.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache
made=$SRC/fuzz/corpus/recording

# what FILE...: the lines of `check` from "To record" on
what() { "$m" check -q "$@" 2>/dev/null | sed -n '/^To record/,$p'; }
has() { # NAME PATTERN
	grep -qE -- "$2" "$dir/what" && ok || fail "$1: no line $2: $(cat "$dir/what")"
}
hasnt() { grep -qE -- "$2" "$dir/what" && fail "$1: a line $2" || ok; }

what "$made/v6" >"$dir/what"
has trace-cmd '^To record what is missing, add these events to the command:$'
has trace-cmd '^  trace-cmd record -C mono -e [a-z_]+:[a-z_]+ '
has trace-cmd "-e raw_syscalls:sys_exit"
has 'trace-cmd: the state' '^  # .*a copy of /proc'
hasnt trace-cmd 'lttng|perf record'
what "$made/pipe" >"$dir/what"
has perf '^  perf record -a -k CLOCK_MONOTONIC -e [a-z_]+:[a-z_]+'
has perf "[ ,]raw_syscalls:sys_exit"
hasnt perf 'lttng|trace-cmd'
what "$lab/web-load" >"$dir/what"
has lttng '^To record what is missing, run before recording:$'
has lttng '^  lttng enable-event --kernel [a-z_]+'
hasnt lttng 'trace-cmd|perf record'
what "$made/v6" "$made/pipe" "$lab/web-load" >"$dir/what"
has mixed '^To record what is missing on [^:]*, run before recording:$'
equal 'mixed: tracers' "$(grep -oE '^  (lttng enable-event|trace-cmd record|perf record)' "$dir/what" | sort -u | wc -l)" \
	"$(for i in "$made/v6" "$made/pipe" "$lab/web-load"; do "$m" info --json "$i" 2>/dev/null | jq -r 'table("traces")[].tracer'; done | sed 's/ .*//' | sort -u | wc -l)"

# The same words in JSON, and in the warning of other verbs.
fix() { "$m" check -q --json "$1" 2>/dev/null | jq -r 'table("analyses")[] | select(.name == "memory").fix'; }
equal 'trace-cmd: JSON' "$(fix "$made/v6" | head -1)" 'trace-cmd record -C mono -e kmem:mm_page_alloc -e kmem:mm_page_free'
equal 'perf: JSON' "$(fix "$made/pipe" | head -1)" 'perf record -a -k CLOCK_MONOTONIC -e kmem:mm_page_alloc,kmem:mm_page_free'
run 3 top mem "$made/v6"
grep -q 'trace-cmd record -C mono -e kmem:mm_page_alloc' "$dir/out" "$dir/err" && ok || fail "top mem: $(cat "$dir/out" "$dir/err")"
! grep -q lttng "$dir/out" "$dir/err" && ok || fail "top mem: lttng is named"

# Whom sockets connect to: asked for where calls are recorded that do not say it, and nothing else does.
peers=$dir/peers.txt
call='              sh-7     [000] .....     1.000010: sys_enter: NR 42 (3, 7f00, 10, 0, 0, 0)'
{
	echo '          <idle>-0     [000] d..2.     1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sh next_pid=7 next_prio=120'
	echo "$call"
	echo '              sh-7     [000] .....     1.000020: sys_exit: NR 42 = 0'
} >"$peers"
what "$peers" >"$dir/what"
has peers '[ ,]sock:inet_sock_set_state'
echo '              sh-7     [000] .....     1.000015: connect: (__sys_connect+0x0/0x70) fd=3 family=2 port=0x5000 v4=0x200000a' >>"$peers"
what "$peers" >"$dir/what"
hasnt 'peers, by a probe' 'inet_sock_set_state'
grep -v ' sys_e\| connect:' "$peers" >"$dir/no-calls.txt"
cp "$dir/no-calls.txt" "$peers" && head -1 "$dir/no-calls.txt" | sed 's/1\.000000/2.000000/' >>"$peers"
what "$peers" >"$dir/what"
hasnt 'peers, without calls' 'inet_sock_set_state'

# Calls' own events are calls, both ends of them: nothing else has to be recorded for them.
calls=$dir/calls.txt
{
	echo '          <idle>-0     [000] d..2.     1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sh next_pid=7 next_prio=120'
	echo '              sh-7     [000] .....     1.000010: sys_enter_read: fd: 0x3, buf: 0x7f0000000000, count: 0x10'
	echo '              sh-7     [000] .....     1.000020: sys_exit_read: 0x10'
	echo '              sh-7     [000] .....     1.000030: sys_enter_write: fd: 0x4, buf: 0x7f0000000000, count: 0x8'
	echo '              sh-7     [000] .....     1.000040: sys_exit_write: 0x8'
} >"$calls"
what "$calls" >"$dir/what"
hasnt "calls' own events" 'sys_exit|sys_enter'
equal "calls' own events" "$("$m" top io -q --json "$calls" 2>/dev/null | jq -c '[.. | objects | select(.tid? == 7) | [.read_bytes, .written_bytes]] | first')" '[16,8]'
finish
