#!/usr/bin/env bash
# meridian summary: numbers computed by hand, the same numbers as the other verbs tell, a screen that is one,
# and commands that run.
. "$SRC/tests/cli/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# wide WHAT FILE: no line is wider than 80 columns
wide() {
	equal "width of $1" "$(awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' "$2" | wc -l)" 0
}
# table NUMBER ARGUMENT...: its rows as CSV, without heading
table() {
	local n=$1
	shift
	"$m" summary -q --format csv "$@" | awk -v RS= -v n="$n" 'NR == n' | sed 1d
}

# Of 100 ms, a and b have the processor of full for 60 and 30, b waits for it for 60. A request waits
# for its disk for 60 and is served for 20. One of two calls fails. The other host does nothing for 90.
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
n=0
# rows WHAT FIELDS ROW...: of the next table, these fields of its rows
rows() {
	local what=$1 fields=$2
	shift 2
	n=$((n + 1))
	# shellcheck disable=SC2086
	table $n $two | sed 's/"253,0"/253:0/' | cut -d, -f"$fields" >"$dir/rows"
	printf '%s\n' "$@" >"$dir/wanted"
	same "$what" "$dir/rows" "$dir/wanted"
}
rows hosts 1-3,4-5,9-11,13-15 'calm,100000000,1,1e-06,0,,,,,,7' \
	'full,100000000,1,90,0.6,20,253:0,0.6,2,1,0'
rows top 1-8 CPU,full,a/100,100,a,60000000,60, CPU,full,b/101,101,b,30000000,30, \
	CPU,calm,c/200,200,c,1,1e-06, disk,full,a/100,100,a,,,4096
rows waits 1-4,6-7 CPU,full,60000000,b/101,1,60000000 'disk queue,full,60000000,253:0,,' \
	disk,full,20000000,253:0,, 'access(),full,2000000,a/100,2,3000000'
rows findings 1-3 'loss,calm,7 events were lost: numbers of that time are not whole' \
	'error,full,50 % of system calls failed (1)' \
	'saturation,full,0.6 threads waited for a processor on the average (CPUs: 1)' \
	'saturation,full,0.6 requests waited for a disk on the average' \
	'saturation,full,b/101 had to wait 60.0 ms for a processor once woken' \
	'load,full,its processors were busy for 90 % of the time'
# A part in which a runs all of the time, and b waits.
equal "a part" "$(table 1 --begin +30ms --end +60ms --host full --sync none "$dir/two" | cut -d, -f1-5)" \
	full,30000000,1,100,1
equal "its command" "$(table 2 --begin +30ms --end +60ms --sync none "$dir/two" | sed -n '1s/.*,//p')" \
	"meridian task --tid 100 --host full --begin 30000000 --end 60000000 --sync none $dir/two"
run 0 summary "$dir/two"
text "$dir/out" '^full +1 +90\.0 % +0\.60 +0\.00 % +20\.0 % +0\.60 +1 +0$' 'the screen'
text "$dir/out" '^  meridian check --host calm ' 'the screen'
text "$dir/out" '^\.\.\. and 2 more \(--limit 0 shows all\)$' 'the screen'
run 0 summary --limit 0 "$dir/two"
no_text "$dir/out" 'more \(--limit' 'all'
wide "a scenario" "$dir/out"
# Names that a shell would take for something else.
mkdir "$dir/it's a" && mv "$dir/two" "$dir/it's a/"
cmd=$("$m" summary -q --format jsonl "$dir/it's a/two" | sed -n 's/.*"next": *"\(meridian top cpu [^"]*\)".*/\1/p' | head -1)
equal "quoted" "$cmd" "meridian top cpu --host full '$dir/it'\\\\''s a/two'"
run 2 summary
run 3 summary "$dir/none"

# Recordings: what the other verbs say; a screen; commands that run.
mkdir "$dir/bin"
ln -s "$m" "$dir/bin/meridian"
for t in demo/wget-cold-hot demo/lost-events demo/cluster-10 "$lab/cpu-mem-io"; do
	there "$t" || continue
	run 0 summary -q "$t"
	wide "$t" "$dir/out"
	equal "lines of $t" "$([ "$(wc -l <"$dir/out")" -le 40 ] && echo few)" few
	table 1 "$t" >"$dir/hosts"
	"$m" top cpu -q --table hosts --format csv "$t" >"$dir/cpu"
	equal "busy of $t" "$(cut -d, -f1,4 "$dir/hosts")" "$(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "percent") k = i }
		NR > 1 { print $1 "," $k }' "$dir/cpu")"
	equal "waiting of $t" "$(awk -F, '{ n += $2 * $5 } END { printf "%.0f\n", n / 1000 }' "$dir/hosts")" \
		"$("$m" top cpu -q --json "$t" | grep -oE '"wait_cpu_ns": ?[0-9]+' |
			awk -F: '{ n += $2 } END { printf "%.0f\n", n / 1000 }')"
	equal "threads of $t" "$(table 2 "$t" | grep ^CPU, | cut -d, -f2,4,6)" \
		"$("$m" top cpu -q --format csv --limit 3 "$t" | sed 1d | cut -d, -f1,2,5)"
	for i in 2 3 4; do table $i "$t" | grep -o 'meridian .*'; done | sed 's/"$//' | sort -u >"$dir/next"
	equal "commands for $t" "$([ -s "$dir/next" ] && echo some)" some
	while IFS= read -r next; do
		PATH=$dir/bin:$PATH bash -c "$next" >"$dir/out" 2>"$dir/err" </dev/null
		got=$?
		case "$got $next" in "0 "* | "1 meridian check "*) ok ;; *) fail "$next: exit $got" ;; esac
	done <"$dir/next"
done
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
	'[1,true,["hosts","top","waits","findings"],"array"]'
finish
