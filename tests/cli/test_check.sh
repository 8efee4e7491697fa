#!/usr/bin/env bash
# meridian check: exit status, the verdict on each trace, whether and why machines can be
# synchronized, what analyses lack, the lines to type, and the JSON.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
cd "$SRC" || exit 1

# possible NAME: of an analysis, in the table
possible() { sed -n "s/^$1  *\(yes\|no\|partly\)\( .*\)\{0,1\}$/\1/p" "$dir/out" | head -1; }
fits() { # no line is wider than 80 characters
	local wide
	wide=$(LC_ALL=C.UTF-8 awk 'length($0) > 80' "$dir/out" | head -1)
	equal "width of check $*" "$wide" ""
}

# Two machines that were recorded well.
run 0 check demo/wget-cold-hot
fits demo/wget-cold-hot
equal "sound traces" "$(grep -c ' sound$' "$dir/out")" 2
text "$dir/out" '^client +yes +net_dev_queue +net_if_receive_skb'
text "$dir/out" '^server +yes +net_dev_queue +net_if_receive_skb'
equal "critical path" "$(possible 'critical path')" yes
equal "clocks" "$(possible 'clock synchronization')" yes
equal "memory" "$(possible memory)" no
text "$dir/out" '^  lttng enable-event --kernel kmem_mm_page_alloc,kmem_mm_page_free$'
no_text "$dir/out" 'syscall --all'

# Few events were recorded: each analysis says what it lacks, and so do the lines to type.
run 0 check demo/cluster-10
fits demo/cluster-10
equal "critical path" "$(possible 'critical path')" no
equal "CPU usage" "$(possible 'CPU usage')" partly
text "$dir/out" '^critical path +no +sched_waking'
text "$dir/out" '^  lttng enable-event --kernel sched_waking,'
text "$dir/out" '^  lttng enable-event --kernel --syscall --all$'

# What only one of several machines lacks is said to be missing there.
run 0 check demo/wget-cold-hot/client demo/cluster-10/node01
text "$dir/out" 'sched_waking \(node01\)'
equal "critical path of one" "$(possible 'critical path')" partly
run 0 check --host client demo/wget-cold-hot/client demo/cluster-10/node01
no_text "$dir/out" 'node01'
equal "critical path of client" "$(possible 'critical path')" yes

# Losses.
run 1 check demo/lost-events
fits demo/lost-events
text "$dir/out" 'not sound: [0-9,]+ events lost'
text "$dir/err" 'discarded'

# Damage: a file cut off in the middle of a packet; one of two traces, and alone.
cp -r demo/wget-cold-hot/client "$dir/client"
file=$(find "$dir/client" -type f -size +8k ! -name metadata | head -1)
truncate -s 9000 "$file"
run 1 check "$dir/client"
text "$dir/out" 'not sound: [0-9]+ errors?'
text "$dir/err" "^meridian: error: .*${file##*/}"
run 1 check "$dir/client" demo/wget-cold-hot/server
equal "one of two is sound" "$(grep -c ' sound$' "$dir/out")" 1

# Time that goes backwards is worth a warning and no more; packets of one direction only.
cat >"$dir/back.scn" <<'END'
host a
host b
host c
1ms a 0 net_dev_queue len=66 name="eth0" network_header.ipv4={ transport_header.tcp={ seq=1 } }
3ms a 0 tick n=1
2ms a 0 tick n=2
1ms b 0 net_dev_queue len=66 name="eth0" network_header.ipv4={ transport_header.tcp={ seq=1 } }
2ms b 0 net_if_receive_skb len=66 name="eth0" network_header.ipv4={ saddr=[10, 0, 0, 1] }
1ms c 0 net_dev_queue len=66 name="eth0" network_header.ipv4={ transport_header.tcp={ seq=1 } }
2ms c 0 net_if_receive_skb len=66 name="eth0" network_header.ipv4={ saddr=[10, 0, 0, 1] }
3ms c 0 net_if_receive_skb len=66 name="lo" network_header.ipv4={ transport_header.tcp={ seq=1 } }
4ms c 0 net_if_receive_skb len=66 name="eth0" network_header.ipv4={ transport_header.tcp={ seq=1 } }
END
"$ctfgen" -o "$dir/back" "$dir/back.scn" >"$dir/check" 2>&1 || fail "ctfgen: $(cat "$dir/check")"
run 0 check "$dir/back"
text "$dir/err" 'warning: .*clock goes backwards 1 time'
text "$dir/out" '^a +no +net_dev_queue +-$'
text "$dir/out" 'a: net_if_receive_skb was not recorded'
text "$dir/out" '^b +no +net_dev_queue +net_if_receive_skb$'
text "$dir/out" 'b: the only packet in net_if_receive_skb is neither TCP nor UDP'
text "$dir/out" '^c +yes +net_dev_queue +net_if_receive_skb$'
equal "some can be synchronized" "$(possible 'clock synchronization')" partly

# Switches that do not follow on one another: of some tasks only, as with 'lttng track' and 'perf record' without -a; one
# or two are no reason to distrust the rest. Without any switch nobody's waits are known, which is not the same as none.
{
	echo 'host some'
	echo 'host most'
	for i in $(seq 1 10); do
		echo "$((2 * i))ms some 0 sched_switch prev_comm=\"me\" prev_tid=10 prev_state=0 next_comm=\"x\" next_tid=2$i"
		echo "$((2 * i))ms most 0 sched_switch prev_comm=\"me\" prev_tid=10 prev_state=0 next_comm=\"x\" next_tid=20"
		[ $i -eq 5 ] || echo "$((2 * i + 1))ms most 0 sched_switch prev_comm=\"x\" prev_tid=20 prev_state=0 next_comm=\"me\" next_tid=10"
	done
	echo 'host none'
	echo "1ms none 0 lttng_statedump_process_state tid=5 pid=5 ppid=1 name=\"x\""
} >"$dir/gaps.scn"
"$ctfgen" -o "$dir/gaps" "$dir/gaps.scn" >"$dir/check" 2>&1 || fail "ctfgen: $(cat "$dir/check")"
run 1 check "$dir/gaps"
text "$dir/out" '^some .*not sound: 9 gap'
text "$dir/err" "warning: .*9 of 9 context switches of some take .*: only some tasks were recorded: 'lttng track'"
run 0 check -v "$dir/gaps/most"
text "$dir/err" 'note: .*1 of 18 context switches of most take '
run 0 check --format csv "$dir/gaps/most"
text "$dir/out" '^most,.*,yes,19,0,0,0,0,1$'
run 3 blocked "$dir/gaps/none"
text "$dir/out" '^No data: the traces lack the events that show what tasks wait for'
no_text "$dir/out" 'No wait delayed anybody'
run 0 blocked "$dir/gaps/most"
text "$dir/out" '^No wait delayed anybody'

# What cannot be opened.
run 1 check "$dir/nothing"
text "$dir/err" 'nothing: cannot open'
run 1 check demo/wget-cold-hot "$dir/nothing"
text "$dir/out" 'not sound: could not be read'
# Its host is listed, though nobody knows its name.
text "$dir/out" '^unknown +no +- +-'
text "$dir/out" 'nothing: could not be read; its host is unknown'
equal "clocks" "$(possible 'clock synchronization')" partly

# What could not be read is no event that did not happen.
mkdir "$dir/parts"
cp -r demo/wget-cold-hot/client "$dir/parts/client"
find "$dir/parts" -type f ! -name metadata | while read -r file; do
	rm "$file"
	mkfifo "$file"
done
run 1 check "$dir/parts"
text "$dir/out" 'no net_dev_queue event was found, but part of the trace is lost or could not be read'
no_text "$dir/out" 'no packet was sent'
text "$dir/err" 'skipped: a FIFO, not a regular file'
run 1 check --json "$dir/nothing"
equal "sound" "$(jq -c '[table("check")[0].sound, .diagnostics[0].code]' "$dir/out")" '[0,"nothing-opened"]'
equal "its tables" "$(jq -r '[.tables[] | "\(.id) \(.rows | length)"] | join(", ")' "$dir/out")" \
	"traces 0, check 1, traces_missing 0, sync_hosts 0, analyses 0, analyses_missing 0, analyses_hosts 0, analyses_hosts_missing 0"
run 1 check --json demo/wget-cold-hot "$dir/nothing"
equal "what could not be read" "$(jq -c '[table("sync_hosts")[] | [.host, .possible, .path != null]] | sort' "$dir/out")" \
	'[[null,0,true],["client",1,false],["server",1,false]]'
run 2 check --host nobody demo/wget-cold-hot
run 2 check

# Programs.
run 0 check --format csv demo/wget-cold-hot
equal "csv rows" "$(wc -l <"$dir/out")" 3
run 1 check --format jsonl demo/lost-events
text "$dir/out" '"sound": ?"no"'
for t in demo/*/; do
	"$m" check "$t" >/dev/null 2>&1
	status=$?
	run $status check --json "$t"
	equal "sound of $t" "$(jq 'table("check")[].sound' "$dir/out")" $((1 - status))
	equal "check --json $t" "$(jq -r 'keys_unsorted | join(" ")' "$dir/out")" "schema_version begin end tables sync diagnostics"
	one=$(numbers events "$dir/out" | sum)
	equal "events of $t" "$one" "$("$m" events "$t" 2>/dev/null | wc -l)"
done
"$m" check --json demo/cluster-10 2>/dev/null >"$dir/out"
shape() { check "JSON shape: $1" jq -e "$1" "$dir/out"; }
shape '.schema_version == 3 and table("check") == [{sound: 1, sync_possible: 1}]'
shape '.tables[] | select(.id == "traces").columns | map(.key) == ["host", "path", "sound", "events", "lost_events",
	"lost_packets", "errors", "warnings", "switch_gaps"]'
shape '(table("traces") | length) > 1 and (table("sync_hosts") | length) == (table("traces") | length)'
shape 'table("sync_hosts") | all(.[]; keys == ["host", "path", "possible", "receive_event", "send_event", "why"]
	and .why == null and .path == null and .possible == 1 and .send_event == "net_dev_queue")'
shape '(table("traces") | length) as $n | . as $d | table("analyses") | to_entries | all(.[]; .key as $i | .value as $a |
	($a.possible | IN("yes", "no", "partly")) and
	($a.fix == null) == ([$d | table("analyses_missing")[] | select(.row == $i + 1 and .name == $a.name)] == []) and
	([$d | table("analyses_hosts")[] | select(.row == $i + 1 and .name == $a.name).host] | unique | length) == $n)'
shape '. as $d | [table("analyses_missing")[] | [.name, .event]] | unique ==
	([$d | table("analyses_hosts_missing")[] | [.name, .event]] | unique)'
shape '. as $d | table("analyses_hosts_missing") | length > 0 and all(.[]; . as $m | $d | table("analyses_hosts")[$m.row - 1] |
	.host == $m.host and .name == $m.name and .possible != "yes")'
shape 'table("analyses_missing") | any(.[]; .name == "critical path" and .event == "sched_waking")'
shape 'table("analyses")[] | select(.name == "system calls").fix | contains("--syscall --all")'
shape 'table("analyses")[] | select(.name == "network").possible == "yes"'

# Recordings that not everyone has.
if there "$lab/wget-cold-hot-nogro"; then
	# The metadata has room for headers of received packets, but there are none.
	run 0 check "$lab"/wget-cold-hot-nogro
	fits nogro
	text "$dir/out" '^client +no +net_dev_queue +net_if_receive_skb'
	text "$dir/out" 'none of the [0-9]+ net_if_receive_skb events examined has packet'
	no_text "$dir/out" 'net_dev_queue events examined'
	equal "clocks" "$(possible 'clock synchronization')" no
	run 0 check --json "$lab"/wget-cold-hot-nogro
	equal "no clocks" "$(jq -c '[table("check")[].sync_possible, table("sync_hosts")[].possible] | unique' "$dir/out")" '[0]'
else
	echo "no recording without packet headers: left out"
fi
if there $public; then
	# Names and layouts of other versions of the tracer.
	run 0 check $public/django-vote
	text "$dir/out" '^django-db +yes +inet_sock_local_out +inet_sock_local_in'
	equal "sched_ttwu, sys_*, softirq_*" "$(possible 'critical path')" yes
	equal "sys_*" "$(possible 'system calls')" yes
	run 0 check $public/bug446190
	text "$dir/out" 'net_dev_queue has no field for packet headers'
	equal "mm_page_alloc" "$(possible memory)" yes
	run 0 check $public/perf-taskset2
	equal "sched:sched_switch, sched_wakeup alone" "$(possible 'scheduling latency')" partly
	run 0 check $public/synctraces
	text "$dir/out" '^VM1 +yes +inet_sock_local_out +inet_sock_local_in'
	# Both layouts in one experiment, and user space alone.
	run 0 check demo/wget-cold-hot $public/django-vote
	equal "mixed" "$(possible 'clock synchronization')" yes
	run 1 check $public/hello-lost
	text "$dir/out" 'no kernel trace'
else
	echo "no public traces: other tracers' names left out"
fi
# Events that are missing without being counted.
rm -rf "$dir/world"
for lose in 0 2%; do
	check "a world that loses $lose" "$KERNELWORLD" -o "$dir/world" --cpus 2 --duration 200ms --seed 3 --lose $lose
	if [ $lose = 0 ]; then
		run 0 check --host h0 "$dir/world"
		no_text "$dir/err" 'context switches'
		text "$dir/out" '^h0 .* sound$'
	else
		run 1 check --host h0 "$dir/world"
		text "$dir/err" 'context switches of h0 take another task off the CPU'
		text "$dir/out" '^h0 .*not sound: [0-9]+ gaps'
	fi
	rm -rf "$dir/world"
done
finish
