#!/usr/bin/env bash
# What waits were for, by hand: each case is a few events whose right answer follows from how Linux works.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80 LC_ALL=C

# made NAME: traces of the scenario on standard input
made() {
	cat >"$dir/$1.scn"
	check "$1" "$ctfgen" -o "$dir/$1" "$dir/$1.scn"
}
# rows ARGUMENT...: of a path: us, tid, comm, cause, detail
rows() {
	"$m" path -q --format jsonl "$@" |
		jq -r '"\((.end - .begin) / 1000 | round) \(.tid // "-") \(.comm) \(.cause) \(.detail // "")"' |
		sed 's/ $//'
}
# switched TIME HOST CPU FROM STATE TO: one task leaves the CPU, another one comes; NAME/TID, or - for none
switched() {
	printf '%s %s %s sched_switch prev_comm="%s" prev_tid=%s prev_prio=20 prev_state=%s next_comm="%s" next_tid=%s next_prio=20\n' \
		"$1" "$2" "$3" "$(name "$4")" "$(tid "$4")" "$5" "$(name "$6")" "$(tid "$6")"
}
name() { if [ "$1" = - ]; then echo swapper; else echo "${1%/*}"; fi; }
tid() { if [ "$1" = - ]; then echo 0; else echo "${1#*/}"; fi; }
# woken TIME HOST CPU NAME/TID
woken() { printf '%s %s %s sched_waking comm="%s" tid=%s prio=20 target_cpu=%s\n' "$1" "$2" "$3" "$(name "$4")" "$(tid "$4")" "$3"; }
# tcp TIME HOST EVENT FROM:PORT TO:PORT SEQ FLAGS
tcp() {
	printf '%s %s 0 %s len=54 name="eth0" network_header.ipv4={ ihl=5, tot_len=40, saddr=[10, 0, 0, %s], daddr=[10, 0, 0, %s], protocol=_tcp, transport_header.tcp={ source_port=%s, dest_port=%s, seq=%s, data_offset=5, flags=%s } }\n' \
		"$1" "$2" "$3" "${4%:*}" "${5%:*}" "${4#*:}" "${5#*:}" "$6" "$7"
}

# A wait that RCU's softirq ends is not the interrupt with the softirq's number.
made softirq <<E
host h
0us h 0 lttng_statedump_interrupt irq=9 name="chip" action="acpi" tid=0
$(switched 1us h 0 - 0 p/10)
2us h 0 syscall_entry_membarrier cmd=1
$(switched 3us h 0 p/10 2 -)
90us h 0 irq_softirq_entry vec=9
$(woken 93us h 0 p/10)
95us h 0 irq_softirq_exit vec=9
$(switched 96us h 0 - 0 p/10)
99us h 0 syscall_exit_membarrier ret=0
E
equal "softirq: detail" "$(rows --tid 10 "$dir/softirq" | grep device)" "90 10 p device softirq rcu, membarrier"
run 0 path -q --tid 10 "$dir/softirq"
check "softirq: sentence" grep -q 'waits for a device (softirq rcu), membarrier' "$dir/out"
check "softirq: no interrupt" sh -c '! grep -q acpi "$0"' "$dir/out"

# A call that sets a name counts: prctl, or a write to /proc/self/task/TID/comm. A task has its last one.
made names <<E
host h
$(switched 1us h 0 - 0 parent/10)
2us h 0 sched_process_fork parent_comm="parent" parent_tid=10 parent_pid=10 child_comm="parent" child_tid=11 child_pid=10
3us h 0 sched_process_fork parent_comm="parent" parent_tid=10 parent_pid=10 child_comm="parent" child_tid=12 child_pid=10
4us h 0 sched_wakeup_new comm="parent" tid=11 prio=20 target_cpu=1
$(switched 5us h 1 - 0 parent/11)
6us h 0 sched_wakeup_new comm="parent" tid=12 prio=20 target_cpu=2
$(switched 7us h 2 - 0 parent/12)
10us h 1 syscall_entry_prctl option=15 arg2=140000
11us h 1 syscall_exit_prctl ret=0
20us h 0 syscall_entry_openat dfd=-100 filename="/proc/self/task/12/comm" flags=2
21us h 0 syscall_exit_openat ret=3
22us h 0 syscall_entry_write fd=3 count=6
23us h 0 syscall_exit_write ret=6
30us h 2 syscall_entry_getpid
31us h 2 syscall_exit_getpid ret=10
$(switched 500us h 1 holder/11 1 -)
$(switched 600us h 2 worker/12 1 -)
$(switched 700us h 0 parent/10 1 -)
E
equal "prctl" "$(rows --tid 11 --end 499us "$dir/names" | grep -c holder)" "$(rows --tid 11 --end 499us "$dir/names" | wc -l)"
equal "comm" "$(rows --tid 12 --begin 30us --end 599us "$dir/names" | grep -c parent)" 0

# A client's first packet waits until the server's hardware address is known: it leaves in the softirq of the ARP
# reply, and is the client's all the same. So the server waited for what the client did before.
made arp <<E
host c
host s
$(switched 0ms c 0 - 0 client/10)
$(switched 0ms s 0 - 0 server/20)
1ms s 0 syscall_entry_accept4 fd=3 flags=0
$(switched 2ms s 0 server/20 1 -)
20ms c 0 syscall_entry_connect fd=4 family=2 dport=80 v4addr=[10, 0, 0, 2]
$(switched 21ms c 0 client/10 1 -)
24ms c 0 irq_softirq_entry vec=3
$(tcp 24100us c net_dev_queue 1:4001 2:80 1 0x2)
24200us c 0 irq_softirq_exit vec=3
25ms s 0 irq_softirq_entry vec=3
$(tcp 25100us s net_if_receive_skb 1:4001 2:80 1 0x2)
$(tcp 25200us s net_dev_queue 2:80 1:4001 5 0x12)
25300us s 0 irq_softirq_exit vec=3
26ms c 0 irq_softirq_entry vec=3
$(tcp 26200us c net_if_receive_skb 2:80 1:4001 5 0x12)
$(woken 26250us c 0 client/10)
$(tcp 26300us c net_dev_queue 1:4001 2:80 2 0x10)
26400us c 0 irq_softirq_exit vec=3
$(switched 26500us c 0 - 0 client/10)
27ms s 0 irq_softirq_entry vec=3
$(tcp 27300us s net_if_receive_skb 1:4001 2:80 2 0x10)
$(woken 27400us s 0 server/20)
27500us s 0 irq_softirq_exit vec=3
$(switched 28ms s 0 - 0 server/20)
$(switched 30ms c 0 client/10 1 -)
$(switched 30ms s 0 server/20 1 -)
E
equal "arp: the client's" "$(rows --tid 20 --host s "$dir/arp" | grep client)" "18000 10 client running
1000 10 client running connect 10.0.0.2:80
3100 10 client network connect 10.0.0.2:80"
run 0 path -q --tid 20 --host s --json "$dir/arp"
equal "arp: held, unresolved" "$(jq -c 'table("path")[0] | [.held_ns, .unresolved_ns]' "$dir/out")" '[3100000,0]'

# Waits that time out and are taken up again. tick BEGIN CALL FIELDS RET: task 10 of CPU 0 waits for 10 ms in vain.
tick() {
	echo "${1}us h 0 syscall_entry_$2 $3"
	switched "$(($1 + 100))us" h 0 cli/10 1 -
	echo "$(($1 + 10000))us h 0 timer_hrtimer_expire_entry hrtimer=7 now=1 function=8"
	woken "$(($1 + 10010))us" h 0 cli/10
	echo "$(($1 + 10020))us h 0 timer_hrtimer_expire_exit hrtimer=7"
	switched "$(($1 + 10100))us" h 0 - 0 cli/10
	echo "$(($1 + 10200))us h 0 syscall_exit_$2 ret=$4"
}
# ended BEGIN END CALL FIELDS RET: it waits until task 20 of CPU 1, which runs all the time, wakes it
ended() {
	echo "${1}us h 0 syscall_entry_$3 $4"
	switched "$(($1 + 100))us" h 0 cli/10 1 -
	echo "$(($2 - 20))us h 1 syscall_entry_write fd=9 count=1"
	woken "${2}us" h 1 cli/10
	echo "$(($2 + 10))us h 1 syscall_exit_write ret=1"
	switched "$(($2 + 100))us" h 0 - 0 cli/10
	echo "$(($2 + 200))us h 0 syscall_exit_$3 ret=$5"
}
# ticking NAME: the lines on standard input, with the two tasks before and behind
ticking() {
	{
		echo "host h"
		switched 1us h 0 - 0 cli/10
		switched 1us h 1 - 0 srv/20
		cat
		switched 200ms h 0 cli/10 1 -
		switched 200ms h 1 srv/20 1 -
	} | made "$1"
}
# waited NAME: ms of causes "timer" and of who ran in task 10's path from 1 ms to 50 ms
waited() {
	rows --tid 10 --begin +999us --end +49999us "$dir/$1" |
		awk '$4 == "timer" { ms["timer"] += $1 } $2 == 20 && $4 == "running" { ms["srv"] += $1 }
			END { printf "timer %.0f srv %.0f\n", ms["timer"] / 1000, ms["srv"] / 1000 }'
}
poll_a='timeout_msecs=10 nfds=1 fds=[{ fd=5, raw_events=1 }]'
poll_b='timeout_msecs=10 nfds=1 fds=[{ fd=6, raw_events=1 }]'

# A client that looks at its connection each 10 ms, and at the clock in between: all 39 ms are the server's.
ticking poll <<E
$(tick 1000 poll "$poll_a" 0)
$(tick 11300 poll "$poll_a" 0)
11510us h 0 syscall_entry_getsockopt fd=5
11520us h 0 syscall_exit_getsockopt ret=0
$(tick 21600 poll "$poll_a" 0)
$(ended 31900 40000 poll "$poll_a" 1)
E
equal "poll" "$(waited poll)" "timer 0 srv 39"
run 0 blocked -q --tid 10 --flat --json "$dir/poll"
equal "poll: one wait" "$(jq -c '[table("waits")[] | select(.call == "poll") | [.count, .cause, .by, .max_ns == .total_ns]]' "$dir/out")" \
	'[[1,"task","srv",true]]'
run 0 task -q --tid 10 --begin +999us --end +49999us --json "$dir/poll"
check "poll: task" jq -e '[.. | objects | select(.comm? == "srv") | .self_ns // empty] | max > 37000000' "$dir/out"
ticking select <<E
$(tick 1000 select "n=6 tvp=1 readfds=[32] writefds=[] exceptfds=[]" 0)
$(ended 11300 40000 select "n=6 tvp=1 readfds=[32] writefds=[] exceptfds=[]" 1)
E
equal "select" "$(waited select)" "timer 0 srv 39"
ticking epoll <<E
$(tick 1000 epoll_wait "epfd=5 maxevents=9 timeout=10" 0)
$(tick 11300 epoll_wait "epfd=5 maxevents=9 timeout=10" 0)
$(ended 21600 40000 epoll_wait "epfd=5 maxevents=9 timeout=10" 1)
E
equal "epoll" "$(waited epoll)" "timer 0 srv 39"
# Who has the mutex, for a waiter that looks again each 10 ms.
ticking futex <<E
$(tick 1000 futex "uaddr=4096 op=128 val=2 utime=1 uaddr2=0 val3=0" -110)
$(tick 11300 futex "uaddr=4096 op=128 val=2 utime=1 uaddr2=0 val3=0" -110)
$(ended 21600 40000 futex "uaddr=4096 op=128 val=2 utime=1 uaddr2=0 val3=0" 0)
E
equal "futex" "$(waited futex)" "timer 0 srv 39"
# The calls that came after futex do the same; to wake nobody is not to act.
ticking futex-wait <<E
$(tick 1000 futex_wait "uaddr=4096 val=2 mask=1 flags=2" -110)
11210us h 0 syscall_entry_futex_wake uaddr=8192 nr=1
11220us h 0 syscall_exit_futex_wake ret=0
$(tick 11300 futex_wait "uaddr=4096 val=2 mask=1 flags=2" -110)
$(ended 21600 40000 futex_wait "uaddr=4096 val=2 mask=1 flags=2" 0)
E
equal "futex_wait" "$(waited futex-wait)" "timer 0 srv 39"
for call in futex futex_time32 futex_wait futex_waitv; do
	ticking "by-$call" <<E
$(ended 1000 40000 $call "uaddr=4096 val=2" 0)
E
	run 0 blocked -q --tid 10 --flat --json "$dir/by-$call"
	equal "cause of $call" "$(jq -r --arg call $call 'table("waits")[] | select(.call == $call) | .cause' "$dir/out")" futex
done

# What is another wait: on something else, after something was sent, much later; and what waits for time alone.
ticking others <<E
$(tick 1000 futex "uaddr=4096 op=128 val=2 utime=1 uaddr2=0 val3=0" -110)
$(ended 11300 40000 futex "uaddr=8192 op=128 val=2 utime=1 uaddr2=0 val3=0" 0)
E
equal "another futex" "$(waited others)" "timer 10 srv 29"
ticking fds <<E
$(tick 1000 poll "$poll_a" 0)
$(ended 11300 40000 poll "$poll_b" 1)
E
equal "another descriptor" "$(waited fds)" "timer 10 srv 29"
ticking sends <<E
$(tick 1000 poll "$poll_a" 0)
11210us h 0 syscall_entry_write fd=5 count=1
11220us h 0 syscall_exit_write ret=1
$(ended 11300 40000 poll "$poll_a" 1)
E
equal "after it was sent" "$(waited sends)" "timer 10 srv 29"
ticking works <<E
$(tick 1000 poll "$poll_a" 0)
$(ended 21300 40000 poll "$poll_a" 1)
E
equal "after it worked" "$(waited works)" "timer 10 srv 19"
ticking nothing <<E
$(tick 1000 poll "timeout_msecs=10 nfds=0 fds=[]" 0)
$(tick 11300 poll "timeout_msecs=10 nfds=0 fds=[]" 0)
$(tick 21600 clock_nanosleep "which_clock=0 flags=0 rqtp=1" 0)
$(tick 31900 clock_nanosleep "which_clock=0 flags=0 rqtp=1" 0)
E
equal "time alone" "$(waited nothing)" "timer 40 srv 0"
ticking gives-up <<E
$(tick 1000 poll "$poll_a" 0)
$(tick 11300 poll "$poll_a" 0)
E
equal "given up" "$(waited gives-up)" "timer 20 srv 0"

# Two requests of one client, the second of which had a server that was 20 ms faster: the server's, with that sign.
ticking twice <<E
$(tick 1000 poll "$poll_a" 0)
$(tick 11300 poll "$poll_a" 0)
$(tick 21600 poll "$poll_a" 0)
$(ended 31900 40000 poll "$poll_a" 1)
60000us h 0 syscall_entry_write fd=5 count=1
60010us h 0 syscall_exit_write ret=1
$(tick 61000 poll "$poll_a" 0)
$(ended 71300 80000 poll "$poll_a" 1)
E
run 0 diff -q --tid 10 --begin +999us --end +41ms --begin-b +61ms --end-b +81ms --json "$dir/twice"
equal "diff" "$(jq -c '[table("by_task")[] | select(.comm == "srv") | .delta_ns]' "$dir/out")" '[-20000000]'

# A mutex with priority inheritance whose holder runs on another CPU: the waiter spins in the kernel, so it is never
# blocked. The holder is who it lends its priority to.
made pi <<E
host h
$(switched 1us h 0 - 0 waiter/10)
$(switched 1us h 1 - 0 holder/20)
5ms h 0 syscall_entry_futex uaddr=4096 op=134 val=0 utime=0 uaddr2=0 val3=0
5010us h 0 sched_pi_setprio comm="holder" tid=20 oldprio=20 newprio=-11
10ms h 0 irq_handler_entry irq=4 name="eth0"
10100us h 0 irq_handler_exit irq=4 ret=1
30ms h 1 syscall_entry_futex uaddr=4096 op=135 val=0 utime=0 uaddr2=0 val3=0
30010us h 1 sched_pi_setprio comm="holder" tid=20 oldprio=-11 newprio=20
$(woken 30020us h 1 waiter/10)
30100us h 0 syscall_exit_futex ret=0
30200us h 1 syscall_exit_futex ret=0
$(switched 40ms h 0 waiter/10 1 -)
$(switched 40ms h 1 holder/20 1 -)
E
equal "pi: the holder's" "$(rows --tid 10 "$dir/pi" | awk '$2 == 20 { n += $1 } END { print n }')" 24990
equal "pi: the waiter's" "$(rows --tid 10 "$dir/pi" | awk '$2 == 10 && $4 == "running" { n += $1 } END { print n }')" 14909
run 0 graph -q --format jsonl "$dir/pi"
equal "pi: edge" "$(jq -c '[.from_comm, .to_comm, .kind, .wait_ns]' "$dir/out")" '["holder","waiter","futex",24990000]'
run 0 top -q futex --format csv "$dir/pi"
check "pi: top futex" grep -q 'waiter.*holder' "$dir/out"
finish
