#!/usr/bin/env bash
# meridian summary: numbers computed by hand, the same numbers as the other verbs show, a screen that is one,
# commands that run, and, on recordings whose truth is known, the right finding first.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80

# wide WHAT FILE: no line is wider than 80 columns, but for commands
wide() {
	equal "width of $1" "$(grep -v '^  meridian' "$2" | awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' | wc -l)" 0
}
# between WHAT GOT LOW HIGH
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then ok; else fail "$1: $2, not $3 to $4"; fi
}
# table NUMBER ARGUMENT...: its rows as CSV, without heading
table() {
	local n=$1
	shift
	"$m" summary -q --format csv "$@" | awk -v RS= -v n="$n" 'NR == n' | sed 1d | cut -d, -f2-
}
# column NUMBER KEY ARGUMENT...: one column of it, by its key
column() {
	local n=$1 key=$2
	shift 2
	"$m" summary -q --format csv "$@" | awk -v RS= -v n="$n" 'NR == n' | awk -F, -v key="$key" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) k = i }
		NR > 1 { print $k }'
}
# findings ARGUMENT...: their rules and hosts, in order
findings() { "$m" summary -q --format jsonl "$@" | sed -nE 's/.*"rule": ?"([^"]*)", ?"host": ?"?([^",]*)"?,.*/\1 \2/p'; }
# sentences ARGUMENT...
sentences() { "$m" summary -q --format jsonl "$@" | sed -nE 's/.*"finding": ?"([^"]*)".*/\1/p'; }

# Of 100 ms, a and b have the CPU of full for 60 and 30, b waits for it for 60. A request waits for its disk
# for 60 and is served for 20. One of two calls fails. The other host loses events: what it did is unknown.
cat >"$dir/two.scn" <<'EOF2'
host full
trace full/kernel
host calm
trace calm/kernel

0ms full 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="a" next_tid=100 next_prio=20
0ms full 0 sched_waking comm="b" tid=101 prio=20 target_cpu=0
0ms full 0 block_rq_insert dev=265289728 sector=2048 nr_sector=8 bytes=4096 tid=100 rwbs=4 comm="a"
10ms full 0 syscall_entry_access filename="x" mode=0
11ms full 0 syscall_exit_access ret=-2
12ms full 0 syscall_entry_access filename="y" mode=0
14ms full 0 syscall_exit_access ret=0
60ms full 0 block_rq_issue dev=265289728 sector=2048 nr_sector=8 bytes=4096 tid=100 rwbs=4 comm="a"
60ms full 0 sched_switch prev_comm="a" prev_tid=100 prev_prio=20 prev_state=1 next_comm="b" next_tid=101 next_prio=20
80ms full 0 block_rq_complete dev=265289728 sector=2048 nr_sector=8 error=0 rwbs=4
90ms full 0 sched_switch prev_comm="b" prev_tid=101 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
100ms full 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="a" next_tid=100 next_prio=20
0ms calm 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="c" next_tid=200 next_prio=20
10ms calm 0 sched_switch prev_comm="c" prev_tid=200 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
50ms calm 0 lost 7
100ms calm 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="c" next_tid=200 next_prio=20
EOF2
check "a scenario" "$ctfgen" -o "$dir/two" "$dir/two.scn"
two="--sync none $dir/two"
# rows WHAT TABLE FIELDS ROW...: these fields of its rows
rows() {
	local what=$1 n=$2 fields=$3
	shift 3
	# shellcheck disable=SC2086
	table "$n" $two | sed 's/"253,0"/253:0/' | cut -d, -f"$fields" >"$dir/rows"
	printf '%s\n' "$@" >"$dir/wanted"
	same "$what" "$dir/rows" "$dir/wanted"
}
# host, range, CPUs, busy, run queue, time of waits for a CPU, switches: all events of it
rows hosts 1 1-4,9,13-14 'calm,100000000,1,,,,' 'full,100000000,1,90,0.6,60000000,4'
# shellcheck disable=SC2086
equal "in a range" "$(column 1 switches --begin +0s --end +0.09s $two | tail -1)" 2
# disk, queue, calls, failed, of these odd, lost events, lost packets
rows io 2 1-4,14-18 'calm,,,,,,,7,0' 'full,20,253:0,0.6,2,1,0,0,0'
rows top 3 1-8 CPU,full,a/100,100,a,60000000,60, CPU,full,b/101,101,b,30000000,30, \
	disk,full,a/100,100,a,,,4096
rows waits 4 1-6 runnable,full,60000000,1,60000000,b/101
rows CPUs 7 1-3,5 'calm,0,,' 'full,0,90,0'
# shellcheck disable=SC2086
findings $two >"$dir/rows"
printf '%s\n' 'lost calm' 'cpu-queue full' 'disk-busy full' 'scheduling-latency full' >"$dir/wanted"
same findings "$dir/rows" "$dir/wanted"
# shellcheck disable=SC2086
sentences $two >"$dir/rows"
cat >"$dir/wanted" <<'EOF3'
7 events were lost, 100 % of the CPU time is unknown: figures are incomplete
0.6 tasks waited for 1 CPU on average (60.0 ms); most CPU time: a/100 (60.0 ms)
disk 253,0 busy 20 %, 0.6 requests queued on average
b/101: scheduling latency up to 60.0 ms
EOF3
same sentences "$dir/rows" "$dir/wanted"
# b takes the CPU away from a and gives it back: a waits for it, too, for 30 ms.
sed -e '/^60ms full 0 sched_switch/s/prev_state=1/prev_state=0/' -e '/^90ms full/s/next_comm=.*/next_comm="a" next_tid=100 next_prio=20/' \
	-e '/^100ms full/s/swapper\/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="a" next_tid=100/a" prev_tid=100 prev_prio=20 prev_state=1 next_comm="swapper\/0" next_tid=0/' \
	"$dir/two.scn" >"$dir/taken.scn"
check "a scenario with a preemption" "$ctfgen" -o "$dir/taken" "$dir/taken.scn"
equal "preempted" "$(table 4 --sync none "$dir/taken" | cut -d, -f1-6)" runnable,full,90000000,2,60000000,b/101
# A part in which a runs all of the time, and b waits.
equal "a part" "$(table 1 --begin +30ms --end +60ms --host full --sync none "$dir/two" | cut -d, -f1-4,9)" \
	full,30000000,1,100,1
equal "its command" "$(table 3 --begin +30ms --end +60ms --sync none "$dir/two" | sed -n '1s/.*,//p')" \
	"meridian task --tid 100 --host full --begin 30000000 --end 60000000 --sync none $dir/two"
run 0 summary "$dir/two"
text "$dir/out" '^full +1 +90\.0 % ' 'the screen'
text "$dir/out" '^  meridian check --host calm ' 'the screen'
equal "lost first" "$(sed -n 2p "$dir/out" | cut -c1-26)" "calm: 7 events were lost, "
wide "a scenario" "$dir/out"
run 0 summary --limit 1 "$dir/two"
text "$dir/out" '^\.\.\. and 3 more \(-n 0 shows all\)$' 'the screen'
# Names that a shell would take for something else.
mkdir "$dir/it's a" && mv "$dir/two" "$dir/it's a/"
cmd=$("$m" summary -q --format jsonl "$dir/it's a/two" | sed -n 's/.*"next": *"\(meridian task [^"]*\)".*/\1/p' | head -1)
equal "quoted" "$cmd" "meridian task --tid 100 --host full '$dir/it'\\\\''s a/two'"
run 2 summary
run 3 summary "$dir/none"

# One of four CPUs works for 2 s without a pause: 25 % of all, and all of one. Another one is busy for longer
# in sum, with pauses.
{
	echo '0ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="hog" next_tid=100'
	echo '2050ms h 0 sched_switch prev_comm="hog" prev_tid=100 prev_state=1 next_comm="swapper/0" next_tid=0'
	for i in $(seq 0 100 3900); do
		echo "${i}ms h 1 sched_switch prev_comm=\"swapper/1\" prev_tid=0 prev_state=0 next_comm=\"often\" next_tid=101"
		echo "$((i + 60))ms h 1 sched_switch prev_comm=\"often\" prev_tid=101 prev_state=1 next_comm=\"swapper/1\" next_tid=0"
	done
	for cpu in 2 3; do
		echo "0ms h $cpu sched_switch prev_comm=\"c$cpu\" prev_tid=10$cpu prev_state=1 next_comm=\"swapper/$cpu\" next_tid=0"
		echo "4000ms h $cpu sched_switch prev_comm=\"swapper/$cpu\" prev_tid=0 prev_state=0 next_comm=\"c$cpu\" next_tid=10$cpu"
	done
	echo '4000ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="hog" next_tid=100'
} | LC_ALL=C sort -s -n -k1,1 | sed "1i host h" >"$dir/one.scn"
check "one CPU" "$ctfgen" -o "$dir/one" "$dir/one.scn"
equal "one CPU" "$(findings "$dir/one" | head -1)" "cpu-full h"
equal "who" "$(sentences "$dir/one" | head -1)" \
	"CPU 0 had no idle time for 2.00 s; most CPU time: hog/100 (2.05 s)"
equal "full" "$(column 7 full_ns "$dir/one" | tr '\n' ' ')" "2000000000 0 0 0 "

# Errors of everyday are none: a server that finds nothing to read, a shell that searches PATH. Others are.
calls() { # NAME RET COUNT
	for i in $(seq "$3"); do
		t=$((t + 100))
		echo "${t}us h 0 syscall_entry_$1"
		echo "$((t + 50))us h 0 syscall_exit_$1 ret=$2"
	done
}
{
	echo "host h"
	echo '0us h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="a" next_tid=100'
	t=0
	calls read -11 60
	calls openat -2 60
	calls connect -115 20
	calls wait4 -10 20
} >"$dir/errors.scn"
check "everyday errors" "$ctfgen" -o "$dir/everyday" "$dir/errors.scn"
equal "everyday errors" "$(findings "$dir/everyday" | grep -c call-errors)" 0
equal "they are counted" "$(column 2 failed_calls "$dir/everyday"),$(column 2 odd_errors "$dir/everyday")" 160,0
{
	t=20000
	calls write -5 40
	calls read 0 100
} >>"$dir/errors.scn"
check "odd errors" "$ctfgen" -o "$dir/odd" "$dir/errors.scn"
equal "odd errors" "$(sentences "$dir/odd" | grep failed)" "13 % of system calls failed (40, most often write: EIO)"

# The tracer's own work: in a row of its own, and nowhere else.
{
	echo "host h"
	echo '0ms h 0 lttng_statedump_process_state tid=50 pid=50 ppid=1 name="lttng-consumerd" status=5'
	echo '0ms h 0 lttng_statedump_process_state tid=51 pid=50 ppid=1 name="Notification" status=5'
	echo '1ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="Notification" next_tid=51'
	echo '601ms h 0 sched_switch prev_comm="Notification" prev_tid=51 prev_state=1 next_comm="app" next_tid=100'
	echo '701ms h 0 sched_switch prev_comm="app" prev_tid=100 prev_state=1 next_comm="swapper/0" next_tid=0'
	echo '1000ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="app" next_tid=100'
} >"$dir/tracer.scn"
check "the tracer" "$ctfgen" -o "$dir/tracer" "$dir/tracer.scn"
equal "users" "$(table 3 "$dir/tracer" | cut -d, -f3,6 | tr '\n' ' ')" "app/100,100000000 the tracer itself,600000000 "
equal "sums have it" "$(column 1 self_ns "$dir/tracer"),$(column 1 tracer_ns "$dir/tracer")" 700000000,600000000

# Two recordings of one host: nothing was lost, and nothing is known in between. A third one without sched_switch
# does not tell what the CPU did.
cat >"$dir/gaps.scn" <<'EOF4'
host h
trace h/one
trace h/two
0ms h/one 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="a" next_tid=100
10ms h/one 0 sched_switch prev_comm="a" prev_tid=100 prev_state=1 next_comm="swapper/0" next_tid=0
90ms h/two 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="a" next_tid=100
100ms h/two 0 sched_switch prev_comm="a" prev_tid=100 prev_state=1 next_comm="swapper/0" next_tid=0
EOF4
check "a gap" "$ctfgen" -o "$dir/gap" "$dir/gaps.scn"
equal "a gap" "$(sentences "$dir/gap" | head -1)" "80 % of the time was not recorded: 1 gap between recordings"
text <("$m" summary -q "$dir/gap") 'meridian info ' 'what shows the gap'
equal "no gap in range" "$(sentences --begin +0s --end +0.01s "$dir/gap" | grep -c gap)" 0
{
	sed '/^trace h.two/a trace h/three' "$dir/gaps.scn"
	echo '20ms h/three 0 syscall_entry_access filename="x" mode=0'
	echo '80ms h/three 0 syscall_exit_access ret=0'
} >"$dir/blind.scn"
check "without switches" "$ctfgen" -o "$dir/blind" "$dir/blind.scn"
sentences "$dir/blind" | head -2 >"$dir/rows"
printf '%s\n' "60 % of the CPU time is unknown: sched_switch was not recorded then" \
	"20 % of the time was not recorded: 2 gaps between recordings" >"$dir/wanted"
sort "$dir/rows" -r -o "$dir/rows"
same "without switches" "$dir/rows" "$dir/wanted"
if there "$lab/reader-zoo"; then
	# That a later snapshot has lost its beginning takes nothing from the complete recording before it.
	equal "an earlier recording is whole" "$("$m" top cpu -q --table hosts --host zoo --begin +0s --end +1.7s --json \
		"$lab/reader-zoo" | grep -oE '"unknown_ns": ?[0-9]+' | grep -oE '[0-9]+$')" 0
fi

# Recordings: what the other verbs say; a screen; commands that run.
mkdir "$dir/bin"
ln -s "$m" "$dir/bin/meridian"
for t in demo/wget-cold-hot demo/lost-events demo/cluster-10 $lab/cpu-mem-io $lab/web-load; do
	there "$t" || continue
	run 0 summary -q "$t"
	wide "$t" "$dir/out"
	between "lines of $t" "$(wc -l <"$dir/out")" 5 46
	no_text "$dir/out" 'lttng-|Consumer manage|Client manageme' "$t"
	"$m" top cpu -q --table hosts --format csv "$t" >"$dir/cpu"
	equal "busy of $t" "$(table 1 "$t" | cut -d, -f1,4)" "$(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "percent") k = i }
		NR > 1 { print $1 "," $k }' "$dir/cpu")"
	equal "switches of $t" "$(column 1 switches "$t" | sum)" \
		"$("$m" top cpu -q --table cpus --json "$t" | grep -oE '"switches": ?[0-9]+' |
			awk -F: '{ n += $2 } END { print n + 0 }')"
	# every event of the host, those of and to the idle task too; interrupts without timers and softirqs
	"$m" stats -q -n 0 --by name --json "$t" >"$dir/names"
	for pair in "switches sched_switch" "interrupts irq_handler_entry"; do
		# of a handler whose end was lost nothing is known
		case "$pair $t" in interrupts*lost-events) continue ;; esac
		equal "$pair of $t" "$(column 1 "${pair% *}" "$t" | sum)" \
			"$(tr -d '\n' <"$dir/names" | grep -oE "\"${pair#* }\"[^}]*" | grep -oE '"count": ?[0-9]+' |
				awk -F: '{ n += $2 } END { print n + 0 }')"
	done
	equal "task_ns of $t" "$(column 1 task_ns "$t")" "$(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "task_ns") k = i }
		NR > 1 { print $k }' "$dir/cpu")"
	for i in 3 4 5 6 8; do table $i "$t" | grep -o 'meridian .*'; done | sed 's/"$//' | sort -u >"$dir/next"
	equal "commands for $t" "$([ -s "$dir/next" ] && echo some)" some
	while IFS= read -r next; do
		PATH=$dir/bin:$PATH bash -c "$next" >"$dir/out" 2>"$dir/err" </dev/null
		got=$?
		case "$got $next" in "0 "* | "1 meridian check "*) ok ;; *) fail "$next: exit $got: $(head -1 "$dir/err")" ;; esac
	done <"$dir/next"
done
# first RECORDING RULE HOST: what was really going on there (docs/dev/summary-check.md)
first() {
	there "$lab/$1" || return
	equal "first finding of $1" "$(findings "$lab/$1" | head -1)" "$2 $3"
}
first clihog-srvhog-1vm cpu-queue server
first cold-disk slow-request null
first cpu-mem-io cpu-full worker
first ipc-zoo cpu-queue zoo
first kvm-nested cpu-queue l1
first login-tree brief-processes vm
first long-ntp no-sched-switch null
first lost-events lost lossy
first lost-packets lost lossy
first mpi-3vm cpu-full n1
first mpi-imbalance no-sched-switch vm
first netns-containers slow-request null
first reader-zoo recording-gaps zoo
first swap major-faults box
first web-load cpu-queue web
first web-lossy lost web
# What ranks waited for, as `top mpi` has it; and nothing of it where there are none.
for t in mpi-imbalance mpi-shm-openmpi; do
	there "$lab/$t" || continue
	run 0 summary --json "$lab/$t"
	equal "$t: waits of ranks" "$(jq -c '[.. | objects | select(.rule? == "mpi-waits") | .time_ns, .count]' "$dir/out")" \
		"[$("$m" top mpi --table ranks --json "$lab/$t" 2>/dev/null | jq '.tables[0].rows | map(.waiting_ns) | add'),4]"
done
no_text <("$m" summary --json demo/wget-cold-hot 2>/dev/null) mpi-waits "no ranks"
# Messages go one way only, and most are sent by who is not known: clocks cannot be compared.
cat >"$dir/apart.scn" <<'EOF3'
host a { uuid "11111111-2222-4333-8444-555555555555" }
host b { boot 7s }
trace a/kernel { declare sched_waking }
trace b/kernel { declare sched_waking }
0ms a 0 sched_switch prev_comm="init" prev_tid=1 prev_state=1 next_comm="swapper/0" next_tid=0
0ms b 0 lttng_statedump_process_state tid=60 pid=60 ppid=1 name="to" status=5
1ms b 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="to" next_tid=60
repeat 20 every 100ms from 2ms {
	0us b 0 syscall_entry_recvfrom fd=3
	10us b 0 sched_switch prev_comm="to" prev_tid=60 prev_state=1 next_comm="swapper/0" next_tid=0
	50080us b 0 irq_softirq_entry vec=3
	50081us b 0 net_if_receive_skb len=66 name="eth0" \
		network_header.ipv4={ saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2], protocol=_tcp,
			transport_header.tcp={ source_port=40000, dest_port=80, seq=($i*100), flags=0x18 } }
	50082us b 0 sched_waking comm="to" tid=60 prio=20 target_cpu=0
	50083us b 0 irq_softirq_exit vec=3
	50084us b 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="to" next_tid=60
	50085us b 0 syscall_exit_recvfrom ret=40
}
repeat 2 every 100ms from 52ms {
	0us a 0 net_dev_queue len=66 name="eth0" \
		network_header.ipv4={ saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2], protocol=_tcp,
			transport_header.tcp={ source_port=40000, dest_port=80, seq=($i*100), flags=0x18 } }
}
2s a 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="init" next_tid=1
2s b 0 sched_process_exit comm="to" tid=60 prio=20
2s b 0 sched_switch prev_comm="to" prev_tid=60 prev_state=16 next_comm="swapper/0" next_tid=0
EOF3
check "clocks apart" "$ctfgen" -o "$dir/apart" "$dir/apart.scn"
text <(sentences "$dir/apart" | head -1) 'tasks waited 1.00 s for packets; senders on other hosts are not known: the clocks of b and a cannot be compared; most: to/60' 'the cause is the clocks'
run 0 summary "$dir/apart"
text "$dir/err" 'clock of b cannot be compared with that of a' 'the warning'
text "$dir/out" 'meridian sync /' 'the command'
run 0 path --comm to "$dir/apart"
text <(tr '\n' ' ' <"$dir/out") 'times of b cannot be compared with others: clocks are limited on one side only' 'path'
no_text "$dir/out" 'aligned' 'path'
# Through a router: who sent is known.
if there "$lab/router-3vm"; then
	run 0 path --comm pp-cli "$lab/router-3vm"
	text <(tr '\n' ' ' <"$dir/out") 'clocks of 3 hosts aligned to r' 'through a router'
fi
if there "$lab/lost-packets"; then
	text <(sentences "$lab/lost-packets" | head -1) '^202 packets were lost, the first packets of 1 stream are missing, 56 % of the CPU time is unknown'
	no_text <(sentences "$lab/lost-packets") 'saturated' 'no praise for what is unknown'
	run 0 top net "$lab/lost-packets"
	text "$dir/out" '202 packets were lost' 'top net'
	run 0 stats syscall "$lab/lost-packets"
	text "$dir/out" '^1,839$' 'calls left out'
	equal "all calls" "$(("$("$m" events -q "$lab/lost-packets" | grep -c syscall_exit)"))" \
		$((1839 + $("$m" stats syscall -q --table stats_total --format csv "$lab/lost-packets" | sed -n 2p | cut -d, -f2)))
	run 0 info "$lab/lost-packets"
	text "$dir/out" ' 202 packets +3\.0. s$' 'info'
fi
# top and log, for people: the same without the tracer and idle calls, and how much that was. Programs get all.
body() { awk '/^$|^Left out|^System calls that had|^[(.]/ { exit } NR > 2' "$1"; }
for what in "top cpu" "top syscall" "log io"; do
	run 0 $what -n 0 demo/wget-cold-hot
	body "$dir/out" | wc -l >"$dir/less"
	no_text <(body "$dir/out") 'lttng-|Consumer manage|Client manageme' "$what"
	text "$dir/out" "^Left out .--all shows them.: [0-9,]+ rows of the tracer's own tasks, " "$what"
	run 0 $what -n 0 --all demo/wget-cold-hot
	no_text "$dir/out" "^Left out" "$what --all"
	equal "rows of $what --all" "$(body "$dir/out" | wc -l)" \
		"$("$m" $what -q --format csv demo/wget-cold-hot | awk '/^$/ { exit } NR > 1' | wc -l)"
	between "rows of $what" "$(cat "$dir/less")" 3 $(($(body "$dir/out" | wc -l) - 5))
done
run 0 top syscall demo/wget-cold-hot
no_text <(body "$dir/out") 'epoll_wait +server' "servers that wait for requests"
text <(tr '\n' ' ' <"$dir/out") '; [0-9,]+ idle waits, ' 'idle calls'

# main() joins its threads, and the agent waits for the program that it started: told by the waits of those.
if there "$lab/web-load"; then
	equal "causes" "$(table 4 "$lab/web-load" | cut -d, -f1 | grep -cE '^(join|child)$')" 0
	equal "causes with --all" "$(table 4 --all "$lab/web-load" | grep -E '^(join|child),client' | cut -d, -f1,2,4,6,9 | tr '\n' ' ')" \
		"child,client,6,labagent/137,read join,client,2,load/247,futex "
	equal "no join is a wait for a lock" "$(table 4 "$lab/web-load" | grep '^futex,client' | cut -d, -f6)" ""
	for what in "top syscall" "log io"; do
		run 0 $what -n 0 "$lab/web-load"
		no_text <(body "$dir/out") ' 8\.[0-9]+ s .*(labagent|load|sh)' "$what"
		text <(tr '\n' ' ' <"$dir/out") '[0-9]+ waits? for (a child|children) or' "$what"
	done
fi

# Two threads wait for each other's lock until the end, one for work.
cat >"$dir/stuck.scn" <<'EOF3'
host h
0ms h 0 lttng_statedump_process_state tid=100 pid=100 ppid=1 name="a" status=5
0ms h 0 lttng_statedump_process_state tid=101 pid=100 ppid=1 name="b" status=5
1ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="a" next_tid=100
2ms h 0 syscall_entry_futex uaddr=0x3000 op=128 val=0
3ms h 0 sched_switch prev_comm="a" prev_tid=100 prev_state=1 next_comm="b" next_tid=101
4ms h 0 syscall_entry_futex uaddr=0x3000 op=129 val=1
5ms h 0 sched_waking comm="a" tid=100 prio=20 target_cpu=0
6ms h 0 syscall_exit_futex ret=1 uaddr=0x3000
7ms h 0 syscall_entry_futex uaddr=0x1000 op=128 val=2
8ms h 0 sched_switch prev_comm="b" prev_tid=101 prev_state=1 next_comm="a" next_tid=100
9ms h 0 syscall_exit_futex ret=0 uaddr=0x3000
10ms h 0 syscall_entry_futex uaddr=0x2000 op=128 val=2
11ms h 0 sched_switch prev_comm="a" prev_tid=100 prev_state=1 next_comm="c" next_tid=102
12ms h 0 syscall_entry_futex uaddr=0x4000 op=137 val=0
13ms h 0 sched_switch prev_comm="c" prev_tid=102 prev_state=1 next_comm="swapper/0" next_tid=0
3000ms h 0 irq_softirq_entry vec=1
EOF3
check "a deadlock" "$ctfgen" -o "$dir/stuck" "$dir/stuck.scn"
run 0 summary --format csv "$dir/stuck"
text "$dir/out" '2 threads still waited for a lock at the end, b/101 for 2\.99 s' 'a deadlock'
run 0 top futex --table top_unfinished --format csv "$dir/stuck"
equal "a deadlock: waits" "$(sed 1d "$dir/out" | cut -d, -f4,10 | tr '\n' ' ')" "b,lock a,lock c, "
# The commands repeat what was asked for, as a shell reads it, and work.
run 0 summary --host server --period 'net_dev_queue && len > 0 : net_if_receive_skb' --period-max 3ms demo/wget-cold-hot
text "$dir/out" "--period 'net_dev_queue && len > 0 : net_if_receive_skb' --period-max 3000000ns demo/wget-cold-hot$" 'periods'
text "$dir/out" ' --host server ' 'hosts'
sed -n 's/^  meridian //p' "$dir/out" >"$dir/next"
while read -r line; do
	equal "$line" "$(eval '"$m" -q' "$line" >/dev/null 2>"$dir/err" && echo works)" works
done <"$dir/next"
run 2 summary --period-by cpu demo/wget-cold-hot
"$m" summary -q --json demo/wget-cold-hot >"$dir/json"
equal "JSON: keys of rows" "$(jq 'all(.tables[]; [.columns[].key] as $keys |
	all(.rows[]; keys_unsorted == $keys))' "$dir/json")" true
equal "JSON" "$(jq -c '[.schema_version, .end > .begin, [.tables[].id], (.diagnostics | type)]' "$dir/json")" \
	'[3,true,["hosts","io","top","waits","links","requests","cpus","findings"],"array"]'

# The kinds of requests, the one with the slowest first, as 'requests' has them; for people instead of packets between hosts.
t=$lab/web-load
if there "$t"; then
	run 0 summary "$t"
	text "$dir/out" '^Requests of services, the slowest first'
	text "$dir/out" '^load -> web:80 nginx  *723 '
	no_text "$dir/out" '^Packets between hosts'
	"$m" requests -q --format csv "$t" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && $at["timed"] { print $at["kind"] "," $at["count"] "," $at["p50_ns"] "," ($at["timed"] < 20 ? "" : $at["p99_ns"]) "," $at["max_ns"] }' |
		sort >"$dir/wanted"
	"$m" summary -q --format jsonl "$t" >"$dir/jsonl"
	jq -r 'select(.table == "requests") | [.kind, .count, .p50_ns, .p99_ns, .max_ns] | join(",")' "$dir/jsonl" | sort >"$dir/found"
	same "kinds of requests" "$dir/found" "$dir/wanted"
	equal "the slowest first" "$(jq -s '[.[] | select(.table == "requests") | .max_ns] | . == (sort | reverse)' "$dir/jsonl")" true
	next=$(jq -sr '[.[] | select(.table == "requests")][0].next' "$dir/jsonl")
	text <(eval "${next/meridian/\"\$m\" -q}" | tr '\n' ' ') 'slow requests[a-z ]* \(mean [^)]*\).* of the difference\)' "the command that explains them"
fi

# Of a few requests no percentile says anything: the slowest one is a finding, and comes first if it took twice as long as
# others; the command explains that one.
t=$lab/cold-disk
if there "$t"; then
	run 0 summary -q "$t"
	tr '\n' ' ' <"$dir/out" | tr -s ' ' >"$dir/flat"
	text "$dir/flat" '^Findings, [^:]*:[^:]*:[^ ]* for [0-9.]+ s the slower of 2 requests wget -> server:80 nginx took 1\.18 s \(r1\.1\), the other one 104 ms' \
		"the slower of two"
	text "$dir/out" '^wget -> server:80 nginx  *2 ' "kinds with few requests"
	next=$("$m" summary -q --json "$t" | jq -r '[.tables[] | select(.id == "findings").rows[]][0] | select(.rule == "slow-request").next')
	text <(eval "${next/meridian/\"\$m\" -q}" | tr '\n' ' ' | tr -s ' ') 'Request r1\.1 .* not in the page cache' "the command that explains it"
fi

# Packets that say nothing of CPUs (perf): those of events count. Of 100 ms CPU 0 is busy for 60, CPU 1 not at all;
# neither calls nor interrupts are recorded.
cat >"$dir/perf.scn" <<'EOF3'
host h
trace h/kernel { without cpu_id }
event sched_switch {
	string16 prev_comm; s32 prev_tid; s64 prev_state; string16 next_comm; s32 next_tid; u32 perf_cpu
}
0ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="a" next_tid=100 perf_cpu=0
0ms h 0 sched_switch prev_comm="b" prev_tid=101 prev_state=1 next_comm="swapper/1" next_tid=0 perf_cpu=1
60ms h 0 sched_switch prev_comm="a" prev_tid=100 prev_state=1 next_comm="swapper/0" next_tid=0 perf_cpu=0
100ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="a" next_tid=100 perf_cpu=0
EOF3
check "CPUs that events name" "$ctfgen" -o "$dir/perf" "$dir/perf.scn"
for again in "" " again"; do # from what was kept, too
	equal "CPUs that events name$again" "$("$m" top cpu -q --table hosts --json "$dir/perf" |
		jq -c '.tables[0].rows[] | [.cpus, .percent, .idle_ns, .unknown_ns, .user_ns, .irq_ns]')" '[2,30,140000000,0,null,null]'
	equal "their summary$again" "$(sentences "$dir/perf" | head -1)" \
		"nothing is saturated: CPUs at most 30 % busy; why tasks waited is unknown: sched_waking was not recorded"
done

# For 1 s a has CPU 0 alone, for 1 s it takes turns with b; CPU 1 is idle. The time that is told is that of waiting, not
# that of which CPU 0 had none to spare.
{
	echo 'host h'
	echo '0ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="a" next_tid=100'
	echo '0ms h 1 sched_switch prev_comm="c" prev_tid=102 prev_state=1 next_comm="swapper/1" next_tid=0'
	echo '1000ms h 0 sched_waking comm="b" tid=101 prio=20 target_cpu=0'
	for t in $(seq 1050 100 1950); do
		echo "${t}ms h 0 sched_switch prev_comm=\"a\" prev_tid=100 prev_state=0 next_comm=\"b\" next_tid=101"
		[ "$t" = 1950 ] || echo "$((t + 50))ms h 0 sched_switch prev_comm=\"b\" prev_tid=101 prev_state=0 next_comm=\"a\" next_tid=100"
	done
	echo '2000ms h 0 sched_switch prev_comm="b" prev_tid=101 prev_state=1 next_comm="a" next_tid=100'
	echo '2000ms h 1 sched_switch prev_comm="swapper/1" prev_tid=0 prev_state=0 next_comm="c" next_tid=102'
} >"$dir/pinned.scn"
check "one CPU of two" "$ctfgen" -o "$dir/pinned" "$dir/pinned.scn"
equal "one CPU of two" "$(sentences "$dir/pinned" | head -1)" "0.5 tasks waited for 2 CPUs on average (1.00 s); CPU 1 was 100 % idle, but those that waited most stayed on another CPU (pinned?); most CPU time: a/100 (1.50 s)"
equal "its totals" "$("$m" top cpu -q --table totals --json "$dir/pinned" | jq -c '.tables[0].rows[] | [.tasks, .self_ns, .runnable_ns, .runnable_tasks, .brief]')" \
	'[2,2000000000,1000000000,0.5,0]'

# The same of many hosts is one finding; hosts that differ have their own.
check "ten hosts" "$KERNELWORLD" -o "$dir/ten" --hosts 10 --tasks 3 --cpus 1 --duration 200ms --seed 3
"$m" summary -q --json --sync none -n 0 "$dir/ten" >"$dir/json"
equal "hosts that are alike" "$(jq -c '[.tables[] | select(.id == "findings").rows[] | select(.rule == "cpu-queue")] |
	[length < 4, (map(1 + (.alike // 0)) | add), any(.finding | test("; [0-9]+ other hosts are alike$"))]' "$dir/json")" '[true,10,true]'

# Of programs alone a view tells more.
if there "$public/ros2"; then
	sentences "$public/ros2" >"$dir/rows"
	text "$dir/rows" '^the view ros2 fits the recorded events of programs$' 'a view'
	run 0 summary "$public/ros2"
	text "$dir/out" '^  meridian top view --view ros2 ' 'its command'
fi
no_text <(sentences demo/wget-cold-hot) 'view' 'no view where the kernel is known'

# Waits of a server for a connection of its pool, which look idle, count where they lie on the path of a request.
t=$lab/shop-a
if there "$t"; then
	locks=$("$m" requests -q --json "$t" | jq 'table("kinds")[] | select(.kind == "nginx -> web:8000 shopapp").locks_ns')
	equal "waits for connections" "$("$m" summary -q --json "$t" | jq --argjson locks "$locks" '[.tables[] | select(.id == "waits").rows[] |
		select(.cause == "futex" and .host == "web").total_ns] | add | . >= 0.95 * $locks and . < 1.1 * $locks')" true
fi
finish
