#!/usr/bin/env bash
# What waits were for, by hand: each case is a few events whose right answer follows from how Linux works.
. "$SRC/tests/cli/lib.sh"
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

# A name holds from the call that set it: prctl, or a write to /proc/self/task/TID/comm.
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
equal "prctl" "$(rows --tid 11 --end 499us "$dir/names" | grep -c holder)" 1
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
equal "arp: held, unresolved" "$(jq -c '[.held_ns, .unresolved_ns]' "$dir/out")" '[3100000,0]'
finish
