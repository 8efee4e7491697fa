#!/usr/bin/env bash
# meridian task: what a task was blocked on and what it cost: scenarios that sum exactly, the report of the
# seed to the letter, and what the programs of a recording measured themselves.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/clihog-srvhog-2vm

# between WHAT VALUE LEAST MOST
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then ok; else fail "$1: $2, not $3 to $4"; fi
}
# wide WHAT FILE: no line is wider than 80 columns
wide() {
	equal "width of $1" "$(awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' "$2" | wc -l)" 0
}

# A client, A for 10 + 40 ms, B for 20 ms of it.
"$ctfgen" -o "$dir/two" tests/cli/two_levels.scn
run 0 task --comm client --format csv "$dir/two"
cat >"$dir/wanted" <<-'EOF'
	depth,host,tid,pid,comm,count,self_ns,children_ns,total_ns,interrupted_ns,residual_ns,requests,disk_bytes,for_others_ns,while_runnable_ns
	0,vm,100,,client,,10000000,70000000,80000000,0,100000000,0,0,0,0
	1,vm,101,,a,1,50000000,20000000,70000000,0,0,0,0,0,0
	2,vm,102,,b,1,20000000,0,20000000,0,0,0,0,0,0
EOF
same "two levels" "$dir/wanted" "$dir/out"
run 0 task --comm client --format csv --table residual "$dir/two"
equal "the rest" "$(sed 1d "$dir/out")" "timer,vm,100,client,100000000"
run 0 task --comm client --format csv --table blocking "$dir/two"
cat >"$dir/wanted" <<-'EOF'
	fd,object,kind,call,count,total_ns,min_ns,max_ns,mean_ns,stddev_ns,unfinished
	,,,clock_nanosleep,1,100000000,100000000,100000000,100000000,,0
	3,127.0.0.1:9876,socket,read,1,70000000,70000000,70000000,70000000,,0
EOF
same "blocked" "$dir/wanted" "$dir/out"
# Of a part: the second half of B's work, the first 10 ms of what A did then.
run 0 task --comm client --format csv --begin +25ms --end +45ms "$dir/two"
equal "a part" "$(sed 1d "$dir/out" | cut -d, -f5,7-9 | tr '\n' ' ')" \
	"client,0,20000000,20000000 a,10000000,10000000,20000000 b,10000000,0,10000000 "
# A server's waits for work cost it nothing.
run 0 task --tid 102 --format csv "$dir/two"
equal "server" "$(sed 1d "$dir/out" | cut -d, -f5,7-9)" "b,20000000,0,20000000"
run 0 task --comm client "$dir/two"
text "$dir/out" '^client/100 +- +10.0 ms +70.0 ms +80.0 ms$' 'the task'
text "$dir/out" '^ \\_ a/101 +1 +50.0 ms +20.0 ms +70.0 ms$' 'who worked for it'
text "$dir/out" '^     \\_ b/102 +1 +20.0 ms +0 ns +20.0 ms$' 'who worked for that'
text "$dir/out" '^timer +100 ms +55.6 % +client/100$' 'the rest'

# The same with pages, faults, bytes and packets; what B does afterwards is nobody's but its own.
"$ctfgen" -o "$dir/used" tests/cli/two_levels_used.scn
run 0 task --comm client --format csv --table resources "$dir/used"
columns() { # HEADING...: these columns of all rows
	awk -F, -v want="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, w, " ") }
		NR > 1 { for (i = 1; i <= n; i++) printf "%s%s", $at[w[i]], i < n ? " " : "\n" }' "$dir/out"
}
all="allocated_bytes freed_bytes net_bytes faults file_read_bytes file_written_bytes block_read_bytes
	block_written_bytes requests socket_received_bytes socket_sent_bytes received_packets sent_packets"
cat >"$dir/wanted" <<-'EOF'
	client 4096 0 4096 1 0 0 0 0 0 100 10 0 1
	a 12288 8192 4096 1 300 0 4096 0 1 30 120 0 2
	b 16384 0 16384 2 0 200 0 8192 1 20 20 0 1
EOF
# shellcheck disable=SC2046,SC2086
columns comm $(printf 'self_%s ' $all) >"$dir/self"
same "what each used" "$dir/wanted" "$dir/self"
cat >"$dir/wanted" <<-'EOF'
	client 32768 8192 24576 4 300 200 4096 8192 2 150 150 0 4
	a 28672 8192 20480 3 300 200 4096 8192 2 50 140 0 3
	b 16384 0 16384 2 0 200 0 8192 1 20 20 0 1
EOF
# shellcheck disable=SC2046,SC2086
columns comm $(printf 'total_%s ' $all) >"$dir/total"
same "what all used" "$dir/wanted" "$dir/total"
# All that B used is in the table of the analysis, too.
run 0 top mem --comm b --format csv "$dir/used"
equal "memory of B" "$(columns allocated_bytes freed_bytes)" "81920 0"
run 0 task --comm b --format csv --table resources "$dir/used"
equal "memory of B, by its account" "$(columns self_allocated_bytes self_freed_bytes)" "81920 0"
run 0 task --comm client "$dir/used"
wide "the tree with what it used" "$dir/out"
text "$dir/out" '^total +32.0 KiB +8.00 KiB +4.00 KiB +8.00 KiB +150 B +150 B' 'the sum'
text "$dir/out" '^ \\_ a/101 +12.0 KiB +8.00 KiB +4.00 KiB +0 B +30 B +120 B' 'memory, disk, network of A'
no_text "$dir/out" 'Nothing is recorded of' 'all is recorded'
run 0 task --comm client "$dir/two"
text "$dir/out" '^Not recorded: memory pages, page faults, disk requests, packets.$' 'gaps'

# The heading of a column that belongs to the one before it, which may not be there.
for what in "" "1ms vm 0 kmem_mm_page_alloc pfn=1 order=1" \
	"1ms vm 0 block_rq_issue dev=8388608 sector=8 nr_sector=8 bytes=4096 rwbs=4"; do
	cat >"$dir/alone.scn" <<-EOF
		host vm
		trace vm/kernel
		event kmem_mm_page_alloc { u64 pfn; u32 order; }
		event kmem_mm_page_free { u64 pfn; u32 order; }
		0ms vm 0 sched_switch prev_comm="swapper/0" next_comm="client" next_tid=100
		$what
		4ms vm 0 kmem_mm_page_free pfn=1 order=0
		9ms vm 0 sched_switch prev_comm="client" prev_tid=100 prev_state=1 next_comm="swapper/0"
	EOF
	rm -rf "$dir/alone"
	"$ctfgen" -o "$dir/alone" "$dir/alone.scn"
	run 0 task --comm client "$dir/alone"
	case $what in
	*alloc*) text "$dir/out" '^Task +Allocated +freed$' 'heading with the one before it' ;;
	*issue*) text "$dir/out" '^Task +Memory freed +Disk read$' 'heading without it, before another one' ;;
	*) text "$dir/out" '^Task +Memory freed$' 'heading alone' ;;
	esac
done

# The seed's report.
"$ctfgen" -o "$dir/seed" tests/cli/averaged.scn
run 0 task --comm clihog --compat flightbox "$dir/seed"
cat >"$dir/wanted" <<'EOF'
Report for task pid=2668 cmd=/usr/local/bin/clihog

File descriptor blocking summary
FD                                       N    Sum (ms)
------------------------------------------------------
127.0.0.1:9876                           2     101.225

CPU accounting
PID                              Self (ms)    Sub (ms)  Total (ms)
2668 clihog                          2.675      89.797      92.471
 \_ 2666 srvhog                     89.797       0.000      89.797
EOF
same "report" "$dir/wanted" "$dir/out"
# The finer, the closer to what is exact: all of the long wait.
run 0 task --comm clihog --compat flightbox --bins 100000 "$dir/seed"
text "$dir/out" '2666 srvhog +100\.(6[7-9]|7)' 'fine averages'
run 0 task --comm clihog --format csv "$dir/seed"
equal "exact" "$(sed -n 3p "$dir/out" | cut -d, -f5,7)" "srvhog,100725000"
run 0 task --comm clihog --compat flightbox --format csv "$dir/seed"
equal "averages for programs" "$(sed 1d "$dir/out" | cut -d, -f5,7,8 | tr '\n' ' ')" \
	"clihog,2674600,89796799 srvhog,89796799,0 "

# Two that wait for each other, each with the lock that the other one needs, to the end of the recording.
cat >"$dir/deadlock.scn" <<-'EOF'
	host vm
	trace vm/kernel
	0ms vm 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="one" next_tid=100 next_prio=20
	5ms vm 0 syscall_entry_futex uaddr=0x1000 op=128 val=2 utime=0 uaddr2=0 val3=0
	6ms vm 0 sched_switch prev_comm="one" prev_tid=100 prev_prio=20 prev_state=1 next_comm="two" next_tid=101 next_prio=20
	8ms vm 0 syscall_entry_futex uaddr=0x2000 op=128 val=2 utime=0 uaddr2=0 val3=0
	10ms vm 0 sched_switch prev_comm="two" prev_tid=101 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
	206ms vm 0 irq_softirq_entry vec=1
EOF
"$ctfgen" -o "$dir/deadlock" "$dir/deadlock.scn"
run 0 task --comm one "$dir/deadlock"
text "$dir/out" '^Still waiting when the recording ended: futex, for 200 ms so far.$' 'a deadlock'
run 0 task --comm one --format csv --table blocking "$dir/deadlock"
equal "unfinished" "$(sed 1d "$dir/out" | cut -d, -f4-6,11)" "futex,1,200000000,1"
run 0 task --comm one --end +100ms "$dir/deadlock"
no_text "$dir/out" 'Not finished' 'what ended later than what was asked for'

# Two machines: 100 + 100 + 30 ms of the server, 80 ms of its child, and what it writes to a disk.
run 0 task --comm rpc-cli --nth 1 --format csv $t
cp "$dir/out" "$dir/first"
equal "who worked" "$(sed 1d "$dir/first" | cut -d, -f1,2,5 | tr '\n' ' ')" \
	"0,client,rpc-cli 1,server,rpc-srv 2,server,rpc-child 2,server,jbd2/vdb-8 "
between "server, us" "$(awk -F, '$5 == "rpc-srv" { print int($7 / 1e3) }' "$dir/first")" 230000 290000
between "child, us" "$(awk -F, '$5 == "rpc-child" { print int($7 / 1e3) }' "$dir/first")" 80000 84000
between "1 MiB, and what the file system adds" \
	"$(awk -F, '$5 == "rpc-srv" { print $13 }' "$dir/first")" 1048576 1060000
for options in "--comm rpc-cli" "--comm rpc-srv" "--tid 237 -n 2" "--comm rpc-cli --compat flightbox"; do
	# shellcheck disable=SC2086
	run 0 task $options $t
	wide "'$options'" "$dir/out"
	between "lines of '$options'" "$(wc -l <"$dir/out")" 5 48
done
# What it waited for as a server is what clients did; only who asks for it is told.
run 0 task --comm rpc-srv --format csv $t
no_text "$dir/out" ',rpc-cli,' 'a server'
run 0 task --comm rpc-srv --all --format csv $t
text "$dir/out" '^1,client,[0-9]+,[0-9]+,rpc-cli,' 'a server with --all'
run 0 task -j 1 --comm rpc-cli --json $t
cp "$dir/out" "$dir/one"
run 0 task -j 3 --comm rpc-cli --json $t
same "threads" "$dir/one" "$dir/out"
if command -v jq >/dev/null; then
	equal "version" "$(jq .schema_version "$dir/one")" 3
	equal "tables" "$(jq -c '[.tables[].id]' "$dir/one")" '["blocking","accounting","resources","residual","relations","task"]'
	equal "columns are the keys of rows" "$(jq '[.tables[] | [.columns[].key] as $k |
		.rows[] | select(keys_unsorted != $k)] | length' "$dir/one")" 0
	equal "all time" "$(jq '(.tables[1].rows[0].total_ns + ([.tables[3].rows[].total_ns] | add)) ==
		table("task")[0].elapsed_ns' "$dir/one")" true
	equal "sums of what was used" "$(jq '.tables[2].rows as $r | [.tables[2].columns[].key |
		select(startswith("self_"))] | map(. as $k | ($k | sub("self_"; "total_")) as $t |
		([$r[][$k] // 0] | add) == ($r[0][$t] // 0)) | all' "$dir/one")" true
	equal "the disk, twice" "$(jq '.tables[1].rows[0].disk_bytes ==
		(.tables[2].rows[0] | .self_block_read_bytes + .self_block_written_bytes)' \
		"$dir/one")" true
	equal "children" "$(jq '.tables[1].rows | ([.[1:][].self_ns] | add) == .[0].children_ns' "$dir/one")" true
	equal "waits" "$(jq '([.tables[0].rows[].total_ns] | add) == table("task")[0].blocked_ns' "$dir/one")" true
	# Who worked for it has ended waits of it; who started it has waited for its end.
	equal "relations" "$(jq -r '[.tables[4].rows[] | select(.relation == "waited_for") | .comm] | unique | join(",")' \
		"$dir/one")" "$(jq -r '[.tables[1].rows[] | select(.depth == 1) | .comm] | unique | join(",")' "$dir/one")"
	equal "waits for others" "$(jq '([.tables[4].rows[] | select(.relation == "waited_for") | .wait_ns] | add) <=
		table("task")[0].blocked_ns' "$dir/one")" true
	equal "program" "$(jq -r 'table("task")[0].program' "$dir/one")" /usr/local/bin/rpc
fi

run 2 task $t
text "$dir/err" 'which task' 'an error'
run 2 task --comm nobody $t
run 2 task --comm rpc-cli --nth 9 $t
run 2 task --comm rpc-cli --bins 10 $t
run 2 task --comm rpc-cli --compat flightbox --table residual $t
run 2 task --comm rpc-cli --compat flightbox --table resources $t
run 0 task --list --comm 'rpc-*' $t
text "$dir/out" 'rpc-srv' 'the list'
finish
