#!/usr/bin/env bash
# Views: states of programs from a view file, by hand-worked scenarios and on recordings of others.
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME=$dir/cache

# csv VERB ARGUMENT...: a table without its heading
csv() { "$m" "$@" --format csv 2>"$dir/err" | tail -n +2; }

# ---- a thread, its states, and what the kernel did with it ----
cat >"$dir/a.view" <<'END'
view a "A program"
row work "Thread {tid}" key tid
	begin app:*_begin as "{*}"
	end app:*_end as "{*}" if tid != 99
	mark app:note as "{text}"
row phase "Phase"
	set app:phase as "{text}" colour #3f9b52
	clear app:done
row door "Door {door}" under "{$host}" key door async
	toggle app:door as "open"
row heap "Heap" unit bytes
	add app:get amount size by at
	take app:put by at
names who app:name key tid as "{text}"
row named "{who(tid)}" key tid async
	begin app:job as "{who(tid)}"
	end app:job_end
END
cat >"$dir/a.scn" <<'END'
host h
trace h/kernel
trace h/ust { context { s32 vtid } }
0ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 next_comm="app" next_tid=7
0ms h/ust 0 app:name { vtid=7 } tid=7 text="worker"
1ms h/ust 0 app:outer_begin { vtid=7 } tid=7
2ms h/ust 0 app:inner_begin { vtid=7 } tid=7
3ms h 0 sched_switch prev_comm="app" prev_tid=7 prev_state=1 next_comm="swapper/0" next_tid=0
5ms h 0 sched_waking comm="app" tid=7 target_cpu=0
5ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 next_comm="app" next_tid=7
6ms h/ust 0 app:inner_end { vtid=7 } tid=7
7ms h/ust 0 app:note { vtid=7 } tid=7 text="hello"
9ms h/ust 0 app:outer_end { vtid=7 } tid=7
10ms h/ust 0 app:phase { vtid=7 } text="one"
12ms h/ust 0 app:phase { vtid=7 } text="one"
15ms h/ust 0 app:phase { vtid=7 } text="two"
16ms h/ust 0 app:door { vtid=7 } door=1
18ms h/ust 0 app:done { vtid=7 }
19ms h/ust 0 app:door { vtid=7 } door=1
20ms h/ust 0 app:get { vtid=7 } size=100 at=1
22ms h/ust 0 app:get { vtid=7 } size=10 at=2
24ms h/ust 0 app:put { vtid=7 } at=1
25ms h/ust 0 app:put { vtid=7 } at=5
26ms h/ust 0 app:job { vtid=7 } tid=7
27ms h/ust 0 app:job_end { vtid=7 } tid=7
28ms h/ust 0 app:left_end { vtid=7 } tid=8
29ms h/ust 0 app:open_begin { vtid=7 } tid=7
30ms h/ust 0 app:open_end { vtid=7 } tid=99
30ms h 0 sched_switch prev_comm="app" prev_tid=7 prev_state=1 next_comm="swapper/0" next_tid=0
END
"$ctfgen" -o "$dir/a" "$dir/a.scn" || exit 1
states() { csv log view --view "$dir/$1.view" "$dir/$2" | awk -F, -v ms=1000000 '{ print $1/ms, $2/ms, $4/ms, $8, $9, $10, $12 }'; }
# "left" began before the recording: of its time its own is what came after the last other state.
equal "states" "$(states a a)" "\
0 28 10 Thread 8 left  no begin
1 9 4 Thread 7 outer  whole
2 6 4 Thread 7 inner outer whole
10 15 5 Phase one  whole
15 18 3 Phase two  whole
16 19 3 Door 1 open  whole
26 27 1 worker worker  whole
29 30 1 Thread 7 open  no end"
equal "what the kernel did: 2 of inner's 4 ms blocked" \
	"$(csv top view --view "$dir/a.view" "$dir/a" --table top | awk -F, '$5 == "inner" { print $6, $7, $8, $9, $10 }')" \
	"1 4000000 4000000 2000000 2000000"
equal "blocked on" "$(csv top view --table waits --view "$dir/a.view" "$dir/a" | cut -d, -f2,4,5)" "inner,1,2000000"
equal "values" "$(csv top view -n 0 --table values --view "$dir/a.view" "$dir/a" | awk -F, '{ print $1/1000000, $2/1000000, $7, $8 }')" "\
20 22 100 bytes
22 24 110 bytes
24 30 10 bytes"
# --name selects states by their names, in each verb; of values, marks and arrows those of a row, a text, an arrow.
named() { csv "$1" view --view "$dir/a.view" --name "$2" "$dir/a" "${@:3}"; }
equal "top by name" "$(named top outer --table top | cut -d, -f5)" "outer"
equal "top by pattern" "$(named top 'o*' --table top_state | cut -d, -f2 | sort -u | xargs)" "one open outer"
equal "all names" "$(named top '*' --table top_state)" "$(csv top view --view "$dir/a.view" "$dir/a" --table top_state)"
equal "log by name" "$(named log inner | cut -d, -f9)" "inner"
equal "stats by name" "$(named stats 'inner,two' | cut -d, -f2 | sort | xargs)" "inner two"
equal "freq by name" "$(named freq inner | cut -d, -f2)" "inner"
equal "values by name" "$(named top Heap --table values | wc -l)" 3
run 2 top view --view "$dir/a.view" --name inner,none "$dir/a"
text "$dir/err" "no state named 'none'; 'meridian top view --view $dir/a.view' without --name lists"
equal "marks" "$(csv top view -n 0 --table marks --view "$dir/a.view" "$dir/a" | cut -d, -f1,6)" "7000000,hello"
"$m" top view --view "$dir/a.view" "$dir/a" -v >"$dir/out" 2>"$dir/err"
text "$dir/err" "1 value taken that was not added"
# A window has its part of each state; the sums of two halves are those of the whole.
half() { csv top view --table top_state --view "$dir/a.view" "$dir/a" "$@" | awk -F, '$2 == "outer" { print $4, $5 }'; }
equal "first half" "$(half --end +4ms)" "3000000 1000000"
equal "second half" "$(half --begin +4ms)" "5000000 3000000"
equal "bins add up to the whole" \
	"$("$m" top view --view "$dir/a.view" "$dir/a" --bins 7 --format csv 2>/dev/null | awk -F, '$3 == "row" { a += $9; b += $10 } END { print a, b }')" \
	"$(csv top view --table top --view "$dir/a.view" "$dir/a" | awk -F, '{ a += $8; b += $9 } END { print a, b }')"
equal "no store has them" "$(csv log view --view "$dir/a.view" "$dir/a" --store | wc -l)" 8
equal "two views at once" "$(csv top view --table top_state --view "$dir/a.view" --view mpi "$dir/a" | cut -d, -f1 | sort -u)" "a"

# ---- the path, cut by states: the same time, and the innermost state of each moment ----
equal "path by state" \
	"$("$m" path --view "$dir/a.view" --tid 7 "$dir/a" --format csv 2>/dev/null | awk -F, 'NR > 1 { n[$12] += $2 - $1 } END { print n["outer"]/1e6, n["inner"]/1e6, n["one"]/1e6 }')" "4 4 5"
"$m" path --view "$dir/a.view" --tid 7 "$dir/a" --format folded >"$dir/folded" 2>/dev/null
text "$dir/folded" "^h;app/7;inner;running 2000000"
"$m" path --view "$dir/a.view" --tid 7 "$dir/a" --json >"$dir/json" 2>/dev/null
text "$dir/json" '"user_state": ?"inner"'
equal "the path's length is the same" "$(numbers total_ns "$dir/json" | head -1)" \
	"$("$m" path --tid 7 "$dir/a" --json 2>/dev/null | grep -oE '"total_ns": ?[0-9]+' | head -1 | grep -oE '[0-9]+')"
"$m" diff --view "$dir/a.view" --tid 7 "$dir/a" --against "$dir/a" --json >"$dir/json" 2>"$dir/err"
text "$dir/json" '"app: inner"'

# ---- requests, cut by the same states ----
own=(requests --view "$dir/a.view" --request 'app:outer_begin : app:outer_end' --request-by vtid)
"$m" "${own[@]}" --list --json "$dir/a" >"$dir/json" 2>/dev/null
equal "parts of a request by state" "$(jq -r 'table("parts")[] | "\(.user_state) \(.ns / 1e6)"' "$dir/json" | xargs)" \
	"outer 1 inner 1 inner 2 inner 1 outer 3"
equal "they add up" "$(jq '[table("parts")[].ns] | add == 8000000' "$dir/json")" true
"$m" "${own[@]}" --json "$dir/a" >"$dir/json" 2>/dev/null
equal "states of a kind" "$(jq -c 'table("states") | map([.kind, .comm, .user_state, .ns, .running_ns + .other_ns])' "$dir/json")" \
	'[["h app","app","outer",4000000,4000000],["h app","app","inner",4000000,4000000]]'
"$m" "${own[@]}" "$dir/a" >"$dir/out" 2>/dev/null
text "$dir/out" '^States of programs, mean of a request'
text "$dir/out" '^h app +app +inner +4.00 ms +50.0 % +2.00 ms '
equal "folded" "$("$m" "${own[@]}" --format folded "$dir/a" 2>/dev/null | tr '\n' ' ')" \
	"h app;inner;other 2000000 h app;inner;running 2000000 h app;outer;running 4000000 "
equal "speedscope" "$("$m" "${own[@]}" --format speedscope "$dir/a" 2>/dev/null | jq -c '[.shared.frames[].name, .profiles[0].weights]')" \
	'["h app","inner","other","running","outer",[2000000,2000000,4000000]]'
"$m" requests --request 'app:outer_begin : app:outer_end' --request-by vtid --json "$dir/a" >"$dir/json" 2>/dev/null
no_text "$dir/json" 'states' "without a view there are no states"
"$m" requests --request 'app:outer_begin : app:outer_end' --request-by vtid --list --json "$dir/a" >"$dir/json" 2>/dev/null
no_text "$dir/json" 'user_state' "nor are they in parts"

# A requester does something, too: what, the kernel says, as it does of the server. Where the table has no room for a
# column, its time is in another one.
cat >"$dir/all.view" <<'END'
view all
row thread "{next_comm}" key next_tid thread-id next_tid
	set sched_switch as "any"
END
"$m" requests --view "$dir/all.view" --json demo/shop-a >"$dir/json" 2>/dev/null
equal "requesters: on a CPU, and no cause of their own" "$(jq -c '[table("states")[] | select(.comm as $c | .kind | startswith($c)) |
	[.running_ns > 0, .requester_ns == 0, ([to_entries[] | select(.key | endswith("_ns")).value] | add) == .ns]] | unique' "$dir/json")" \
	"[[true,true,true]]"
for width in 80 100 130; do
	COLUMNS=$width "$m" requests --view "$dir/all.view" demo/shop-a 2>/dev/null | sed -n '/^States of programs/,$p' >"$dir/out"
	equal "width $width: each row sums to its mean, as far as digits go" "$(awk '
		function ns(v, u) { return v * (u == "ms" ? 1e6 : u == "us" ? 1e3 : u == "s" ? 1e9 : 1) }
		/ any / { sub(/.* any +/, ""); mean = ns($1, $2); sum = 0; for (i = 5; i < NF; i += 2) sum += ns($i, $(i + 1))
			n++; bad += sum < mean * .97 || sum > mean * 1.03 }
		END { print (n > 4), bad + 0 }' "$dir/out")" "1 0"
done
text "$dir/out" '^Kind .*Runnable +Disk +Locks +Network +Other$' "a wide table has all"
COLUMNS=80 "$m" requests --view "$dir/all.view" demo/shop-a >"$dir/out" 2>/dev/null
text "$dir/out" '^\(in Other: Disk, Network: a wider terminal or --json shows them\)$' "what is in Other"

equal "states as stacks" "$("$m" log view --view "$dir/a.view" --format folded "$dir/a" 2>/dev/null | grep -v Phase | tr '\n' ' ')" \
	"h;Door 1;open 3000000 h;Thread 7;open 1000000 h;Thread 7;outer 4000000 h;Thread 7;outer;inner 4000000 h;Thread 8;left 10000000 h;worker;worker 1000000 "
equal "of a window and a thread" "$("$m" log view --view "$dir/a.view" --format speedscope --tid 7 --begin +3ms --end +4ms "$dir/a" 2>/dev/null | jq -c '.profiles[0].weights')" "[1000000]"
run 2 log view --view "$dir/a.view" --format folded --comm app "$dir/a"
text "$dir/err" 'by --tid, not by --comm'

# ---- memory: an address is one of a process; of a thread where no process is recorded; of a name without both ----
heap() { # heap CONTEXT-OF-PROCESS-1 CONTEXT-OF-PROCESS-2 TYPES
	cat >"$dir/heap.scn" <<-END
		host h
		trace h/ust { context { $3 string procname } }
		1ms h/ust 0 lttng_ust_libc:malloc { $1 procname="twin" } size=100 ptr=0x10
		2ms h/ust 0 lttng_ust_libc:malloc { $2 procname="twin" } size=30 ptr=0x10
		3ms h/ust 0 lttng_ust_libc:realloc { $2 procname="twin" } in_ptr=0x10 size=50 ptr=0x20
		4ms h/ust 0 lttng_ust_libc:free { $1 procname="twin" } ptr=0x10
		5ms h/ust 0 lttng_ust_libc:free { $2 procname="twin" } ptr=0x20
		6ms h/ust 0 lttng_ust_libc:free { $2 procname="twin" } ptr=0x0
	END
	rm -rf "$dir/heap"
	"$ctfgen" -o "$dir/heap" "$dir/heap.scn" || exit 1
	"$m" top view --view libc-memory --table top_value --format csv "$dir/heap" 2>"$dir/err" | tail -n +2 | cut -d, -f4,7,8 | xargs
}
equal "memory by process" "$(heap "vpid=7 vtid=8" "vpid=9 vtid=8" "s32 vpid; s32 vtid;")" "twin 7,0,100 twin 9,0,50"
no_text "$dir/err" warning
equal "memory by thread" "$(heap "vtid=7" "vtid=8" "s32 vtid;")" "twin,0,150"
run 0 top view --view libc-memory -v "$dir/heap"
text "$dir/err" 'not recorded: lttng_ust_libc:memalign, lttng_ust_libc:posix_memalign$'
no_text "$dir/err" warning
equal "memory by name: the second one replaces the first" "$(heap "" "" "")" "twin,0,100"
text "$dir/err" "warning: views: 1 value replaced one that nothing had taken: what was added before with the same fields of 'by'"

# ---- states within themselves count once; those that an outer one ends; too many within each other ----
cat >"$dir/deep.scn" <<-'END'
	host h
	trace h/ust { context { s32 vtid } }
	1ms h/ust 0 app:f_begin { vtid=7 } tid=7
	2ms h/ust 0 app:g_begin { vtid=7 } tid=7
	3ms h/ust 0 app:f_begin { vtid=7 } tid=7
	5ms h/ust 0 app:f_end { vtid=7 } tid=7
	6ms h/ust 0 app:g_end { vtid=7 } tid=7
	9ms h/ust 0 app:f_end { vtid=7 } tid=7
	10ms h/ust 0 app:f_begin { vtid=7 } tid=7
	11ms h/ust 0 app:g_begin { vtid=7 } tid=7
	12ms h/ust 0 app:f_end { vtid=7 } tid=7
END
"$ctfgen" -o "$dir/deep" "$dir/deep.scn" || exit 1
for table in top top_state; do
	equal "recursion counts once: $table" \
		"$(csv top view --view "$dir/a.view" --table $table "$dir/deep" | sed -E 's/^.*,(.),([0-9]+,[0-9]+,[0-9]+),.*/\1 \2/' | xargs)" \
		"f 3,10000000,7000000 g 2,5000000,3000000"
done
equal "of a window, too" "$(csv top view --view "$dir/a.view" --table top_state --begin +1ms --end +5ms "$dir/deep" | cut -d, -f2-5 | xargs)" \
	"f,2,4000000,2000000 g,1,4000000,2000000"
equal "an outer one ends" "$(csv log view --view "$dir/a.view" "$dir/deep" | awk -F, '$1 == 11000000 { print $2, $9, $12 }')" "12000000 g outer ended"
{
	printf 'host h\ntrace h/ust { context { s32 vtid } }\n'
	seq -f '%.0fus h/ust 0 app:f_begin { vtid=7 } tid=7' 1002
} >"$dir/deep.scn"
rm -r "$dir/deep"
"$ctfgen" -o "$dir/deep" "$dir/deep.scn" || exit 1
run 0 top view --view "$dir/a.view" "$dir/deep"
text "$dir/err" 'warning: views: 2 states are within more than 1000 others and left out'

# ---- rows with the same label are told apart by their key ----
cat >"$dir/same.view" <<'END'
view s
row r "Rank" key rank context.name
	begin s:b as "x"
	end s:e as "x"
END
cat >"$dir/same.scn" <<'END'
host h
trace h/ust { context { string name } }
1ms h/ust 0 s:b { name="a" } rank=0
2ms h/ust 0 s:b { name="b" } rank=-1
3ms h/ust 0 s:e { name="a" } rank=0
5ms h/ust 0 s:e { name="b" } rank=-1
END
"$ctfgen" -o "$dir/same" "$dir/same.scn" || exit 1
equal "equal labels" "$("$m" top view --view "$dir/same.view" --table top --json "$dir/same" 2>/dev/null | jq -r '.tables[0].rows[] | "\(.row) \(.count)"' | xargs)" \
	"Rank -1,b 1 Rank 0,a 1"
sed 's/"Rank"/"{nofield}"/' "$dir/same.view" >"$dir/slip.view"
run 0 top view -v --view "$dir/slip.view" "$dir/same"
text "$dir/out" 'r 0,a'
text "$dir/err" '2 rows without the fields of their text, named as they are declared'

# ---- stacks recorded with events: frames that stay go on; marks of the kernel's are no frames ----
cat >"$dir/s.scn" <<'END'
host h
trace h/kernel { context { s32 tid; string procname; u64 hex callstack_user[]; u64 hex callstack_kernel[] } }
trace h/other
0ms h 0 syscall_entry_read { tid=7 procname="app" callstack_user=[0x30, 0x20, 0x10, 18446744073709551615] callstack_kernel=[] } fd=3 count=1
2ms h 0 syscall_entry_read { tid=7 procname="app" callstack_user=[18446744073709551104, 0x40, 0x20, 0x10] callstack_kernel=[0x99] } fd=3 count=1
3ms h 0 syscall_entry_read { tid=8 procname="app" callstack_user=[0x10] callstack_kernel=[] } fd=3 count=1
3ms h/other 0 other:event tid=7
6ms h 0 syscall_entry_read { tid=7 procname="app" callstack_user=[0x20, 0x10] callstack_kernel=[] } fd=3 count=1
7ms h 0 syscall_entry_read { tid=7 procname="app" callstack_user=[0x20, 0x20, 0x10] callstack_kernel=[] } fd=3 count=1
8ms h 0 syscall_entry_read { tid=7 procname="app" callstack_user=[] callstack_kernel=[] } fd=3 count=1
9ms h 0 syscall_entry_read { tid=7 procname="app" callstack_user=[] callstack_kernel=[] } fd=3 count=1
END
"$ctfgen" -o "$dir/s" "$dir/s.scn" || exit 1
equal "sampled stacks" "$(csv log view --view callstack "$dir/s" | awk -F, -v ms=1000000 '{ print $1/ms, $2/ms, $4/ms, $8, $9, $10, $12 }' | sort -n)" "\
0 2 2 Thread 7 0x30 0x20 whole
0 8 0 Thread 7 0x10  whole
0 8 1 Thread 7 0x20 0x10 whole
2 6 4 Thread 7 0x40 0x20 whole
2 6 4 Thread 7 in the kernel 0x99  whole
3 9 6 Thread 8 0x10  no end
7 8 1 Thread 7 0x20 0x20 whole"
run 0 log view -v --view callstack "$dir/s"
text "$dir/err" 'not recorded: \* with perf_callchain'
equal "as a flame graph" "$("$m" log view --view callstack --format folded "$dir/s" 2>/dev/null | grep ';0x10' | tr '\n' ' ')" \
	"h;app;Thread 7;0x10;0x20 1000000 h;app;Thread 7;0x10;0x20;0x20 1000000 h;app;Thread 7;0x10;0x20;0x30 2000000 h;app;Thread 7;0x10;0x20;0x40 4000000 h;app;Thread 8;0x10 6000000 "
run 2 log sched --format folded "$dir/a"
text "$dir/err" 'for the states of a view'

# ---- losses close states, and nothing spans them; ends after that begin where the loss ended ----
cat >"$dir/lost.scn" <<'END'
host h
trace h/ust { context { s32 vtid }; packet 4096 }
0ms h 0 app:long_begin { vtid=7 } tid=7
1ms h 0 app:short_begin { vtid=7 } tid=7
2ms h 0 app:short_end { vtid=7 } tid=7
3ms h 0 packet
10ms h 0 lost 5
11ms h 0 app:next_begin { vtid=7 } tid=7
12ms h 0 app:next_end { vtid=7 } tid=7
13ms h 0 app:long_end { vtid=7 } tid=7
14ms h 0 app:short_begin { vtid=7 } tid=7
15ms h 0 app:short_end { vtid=7 } tid=7
END
if "$ctfgen" -o "$dir/lost" "$dir/lost.scn" 2>"$dir/err"; then
	# What is lost lies between the packets: from 3 to 11 ms.
	equal "a state never spans a loss" "$(states a lost)" "\
0 3 2 Thread 7 long  cut
1 2 1 Thread 7 short long whole
11 12 1 Thread 7 next  whole
14 15 1 Thread 7 short  whole"
	"$m" log view --view "$dir/a.view" "$dir/lost" -v >/dev/null 2>"$dir/err"
	text "$dir/err" "1 state closed where events were lost; 1 end without a begin"
else
	fail "lost.scn: $(cat "$dir/err")"
fi

# ---- a thread that ends takes its states along, and its number is used again ----
cat >"$dir/again.scn" <<'END'
host h
trace h/kernel
trace h/ust { context { s32 vtid } }
0ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 next_comm="app" next_tid=7
1ms h/ust 0 app:call_begin { vtid=7 } tid=7
3ms h 0 sched_process_exit comm="app" tid=7 prio=20
6ms h/ust 0 app:call_begin { vtid=7 } tid=7
8ms h/ust 0 app:call_end { vtid=7 } tid=7
END
"$ctfgen" -o "$dir/again" "$dir/again.scn" || exit 1
equal "the number of a thread is used again" "$(states a again)" "\
1 3 2 Thread 7 call  thread ended
6 8 2 Thread 7 call  whole"

# ---- --tid: the thread of a state and of a rank, also where the kernel was not recorded ----
by_tid() { csv "$1" "$2" "${@:3}"; }
equal "a thread that the kernel's events know" "$(by_tid log view --view "$dir/a.view" --tid 7 "$dir/a" | cut -d, -f13 | sort -u | xargs)" "7"
equal "a thread that they do not know" "$(by_tid log view --view callstack --tid 8 "$dir/s" | cut -d, -f8,13 | sort -u)" "Thread 8,8"
equal "not those of other threads" "$(by_tid log view --view callstack --tid 7 "$dir/s" | cut -d, -f13 | sort -u)" "7"
r=demo/mpi-imbalance # four ranks, no kernel
equal "states of a rank's thread" "$(by_tid top view --view mpi --table top --tid 5866 $r)" \
	"$(by_tid top view --view mpi --table top $r --filter 'row == "Rank 1"')"
equal "with a process, of which no more is known" "$(by_tid top view --view mpi --table top --pid 5866 $r | wc -l)" 5
equal "ranks of threads" "$(by_tid top mpi --table ranks --tid 5866-5867 $r | cut -d, -f2,4 | xargs)" "1,5866 2,5867"
equal "calls of a thread" "$(by_tid log mpi --tid 5866 $r | cut -d, -f5 | sort -u)" "1"
equal "messages that it received" "$(by_tid top mpi --table messages -n 0 --tid 5866 $r | cut -d, -f6 | sort -u)" "1"
equal "operations that it entered last" "$(by_tid top mpi --table collectives -n 0 --tid 5866 $r | cut -d, -f9 | sort -u)" "1"
equal "from a store" "$(by_tid top mpi --table ranks --tid 5866 --store $r)" "$(by_tid top mpi --table ranks --tid 5866 --no-store $r)"
run 0 top mpi --table polls --tid 5866 $r # of that rank nothing is there
text "$dir/out" 'No matching data'
run 3 top mpi --tid 99 $r
text "$dir/err" 'no task with tid 99'
run 3 top view --view mpi --tid 99 $r
text "$dir/err" 'no task with tid 99'
run 3 top mpi --comm imbalance $r
text "$dir/err" "no task named 'imbalance'; the traces have no scheduling events"
run 3 top cpu --tid 5866 $r

# ---- without the kernel's events nobody knows what threads did: no 0 ns, and the time is in "unknown" ----
equal "bins: not known" "$(by_tid top view --view mpi --bins 2 $r | awk -F, '$3 == "row" { n++; known += $10 $11 $12 != ""; unknown += $13; own += $9 } END { print n, known, unknown == own }')" "28 0 1"
equal "bins: what was not done" "$(by_tid top view --view "$dir/a.view" "$dir/a" --bins 1 | awk -F, '$3 == "row" && $8 == "inner" { print $9, $10, $11, $12, $13 }')" \
	"4000000 2000000 2000000  "
COLUMNS=80 "$m" top view --view mpi --table top $r >"$dir/out" 2>&1
text "$dir/out" '^view +group +row +state +count +inclusive +exclusive +unknown +%$' "columns without a value go before those with one"
no_text "$dir/out" 'no room' "and nobody misses them"

# ---- at 80 columns: state, row and thread, who was waited for; what is the same in all rows goes first ----
screen() { COLUMNS=80 "$m" "$@" 2>/dev/null >"$dir/out"; }
screen log view --view mpi -n 3 $r
text "$dir/out" '^ +begin +inclusive +exclusive +view +row +state +ends +thread$' "log view"
screen log mpi -n 3 $r
text "$dir/out" '^ +begin +duration +rank +call +wait +waited +for rank$' "log mpi"
if there "$lab/mpi-shm-openmpi"; then
	screen top view --view mpi --table top -n 3 "$lab/mpi-shm-openmpi"
	text "$dir/out" '^view +row +state +count +inclusive +exclusive +running +runnable +%$' "top view"
	text "$dir/out" 'no room for interrupted, group:' "top view"
	screen top mpi --table waits -n 5 "$lab/mpi-shm-openmpi"
	text "$dir/out" '^late receiver .*' "kinds of waits are not cut for a share"
	no_text "$dir/out" '…' "top mpi"
	screen top mpi --table matrix "$lab/mpi-shm-openmpi"
	text "$dir/out" '^from +to +messages +size .*waited$' "how long messages waited"
fi

# ---- a row that gets its name later, and whose thread is a field ----
cat >"$dir/label.view" <<'END'
view l
row process "Rank {rank}" key pid thread-id tid
	label p:init as "Rank {rank}"
	begin p:enter as "{call}"
	end p:leave
END
cat >"$dir/label.scn" <<'END'
host h
trace h/kernel
trace h/ust
0ms h 0 sched_switch prev_comm="swapper/0" prev_tid=0 next_comm="p" next_tid=7
1ms h/ust 0 p:enter pid=7 tid=7 rank=-1 call="Init"
2ms h/ust 0 p:init pid=7 tid=7 rank=3
4ms h/ust 0 p:leave pid=7 tid=7 rank=3
5ms h 0 sched_switch prev_comm="p" prev_tid=7 prev_state=1 next_comm="swapper/0" next_tid=0
END
"$ctfgen" -o "$dir/label" "$dir/label.scn" || exit 1
equal "a label from a later event, and the thread of a field" \
	"$(csv top view --view "$dir/label.view" "$dir/label" --table top | cut -d, -f4,5,7,8,9)" "Rank 3,Init,3000000,3000000,3000000"

# ---- arrows: ordered keys, in the order of sending; between hosts ----
cat >"$dir/arrow.view" <<'END'
view arrow
row rank "Rank {rank}" key rank
	arrow message m:send -> m:recv key rank=peer peer=rank tag ordered
	arrow once m:ask -> m:answer key id
END
cat >"$dir/arrow.scn" <<'END'
host a
host b
trace a/ust
trace b/ust
1ms a/ust 0 m:send rank=0 peer=1 tag=5
2ms a/ust 0 m:send rank=0 peer=1 tag=5
3ms b/ust 0 m:recv rank=1 peer=0 tag=5
4ms b/ust 0 m:recv rank=1 peer=0 tag=5
5ms a/ust 0 m:ask rank=0 id=1
5ms a/ust 0 m:ask rank=0 id=2
6ms a/ust 0 m:ask rank=0 id=2
7ms b/ust 0 m:answer rank=1 id=1
8ms b/ust 0 m:answer rank=1 id=2
END
"$ctfgen" -o "$dir/arrow" "$dir/arrow.scn" || exit 1
equal "arrows" "$(csv top view -n 0 --table arrows --view "$dir/arrow.view" --sync none "$dir/arrow" | awk -F, '{ print $1/1e6, $2/1e6, $5, $6, $7 }')" "\
1 3 message Rank 0 Rank 1
2 4 message Rank 0 Rank 1
5 7 once Rank 0 Rank 1"

# ---- the same of Trace Compass's XML and of our file, on a program's own cycle ----
{
	echo 'host h'
	echo 'trace h/ust { context { s32 vtid } }'
	for cycle in 0 1 2; do
		for worker in 0 1 2 3; do
			echo "$((cycle * 1000 + 10))ms h/ust $worker mpi_imbalance:worker_start_work { vtid=$((10 + worker)) } workerno=$worker"
		done
		for worker in 0 1 2 3; do
			echo "$((cycle * 1000 + 100 + worker * (cycle + 1) * 7))ms h/ust $worker mpi_imbalance:worker_wait { vtid=$((10 + worker)) } workerno=$worker"
		done
		for worker in 0 1 2 3; do
			echo "$((cycle * 1000 + 100 + 3 * (cycle + 1) * 7))ms h/ust $worker mpi_imbalance:worker_awake { vtid=$((10 + worker)) } workerno=$worker"
		done
	done
} >"$dir/cycles.scn"
"$ctfgen" -o "$dir/cycles" "$dir/cycles.scn" || exit 1
waits() { csv log view --view "$1" "$dir/cycles" -n 0 | awk -F, '{ sub("Worker ", "", $8) } $9 == "wait" || $9 == "WORKER_WAIT" { print $8, $1, $3 }' | sort -k1,1n -k2,2n; }
# The last one's own, replaced at the instant at which it began, never was.
equal "wait is the last one's time less the own" "$(waits mpi-imbalance | awk '{ print $3/1e6 }' | xargs)" \
	"21 42 63 14 28 42 7 14 21"
xml=../shared/cases/xml-views/workload-kit/mpi-imbalance.xml
if there "$xml" && "$m" top view --view "$xml" "$dir/cycles" >/dev/null 2>"$dir/err"; then
	equal "the XML file says the same, to the ns" "$(waits "$xml" | awk '$3')" "$(waits mpi-imbalance | awk '$3')"
elif grep -q "reads no XML" "$dir/err"; then
	echo "skipped: this build reads no XML"
elif [ -e "$xml" ]; then
	fail "mpi-imbalance.xml: $(cat "$dir/err")"
fi

# ---- a picture: in the colours of the view, in all charts; others of a colour are shades of it ----
run 0 top view --view mpi-imbalance --bins 3 --plot "$dir/cycles.svg" "$dir/cycles"
drawn() { grep -oE 'fill="#[0-9a-f]+"[^>]*/><text[^>]*>[^<]*'"$1" "$dir/cycles.svg" | sed -E 's/fill="(#[0-9a-f]+)".*/\1/' | sort -u | xargs; }
equal "work is green, wait is red" "$(drawn 'mpi-imbalance, work') $(drawn 'mpi-imbalance, wait')" "#3f9b52 #d64545"
equal "of each worker another green" "$(drawn 'Worker [0-3], work')" "#23572e #317940 #3f9b52 #69b178"
text "$dir/cycles.svg" '>of each second [(](s|ms)[)]<'

# ---- the kit's own programs ----
cat >"$dir/kit.scn" <<'END'
host h
trace h/ust { context { s32 vtid } }
1ms h/ust 0 meridian_work:step_begin { vtid=7 } step="burn" id=1
2ms h/ust 0 meridian_work:step_begin { vtid=8 } step="burn" id=2
4ms h/ust 0 meridian_work:step_end { vtid=7 } step="burn" id=1 by_tid=0
7ms h/ust 0 meridian_work:step_end { vtid=8 } step="burn" id=2 by_tid=7
END
"$ctfgen" -o "$dir/kit" "$dir/kit.scn" || exit 1
equal "steps of meridian-work" "$(csv log view --view meridian-work "$dir/kit" | awk -F, '{ print $1/1e6, $2/1e6, $8, $9 }')" "\
1 4 Thread 7 burn
2 7 Thread 8 burn"

# ---- recordings ----
if there "$lab/mpi-imbalance"; then
	equal "messages matched" "$(csv top view -n 0 --table arrows --view mpi "$lab/mpi-imbalance" -n 0 | awk -F, '$3 >= 0' | wc -l)" 77
fi
if there "$public/ros2"; then
	equal "callbacks of ROS 2" "$(csv log view --view ros2 "$public/ros2" -n 0 | wc -l)" 6065
fi
if there "$public/cyg-profile"; then
	trace=$public/cyg-profile/glxgears-cyg-profile
	csv log view --view cyg-profile "$trace" -n 0 >"$dir/calls"
	equal "entries" "$(wc -l <"$dir/calls")" 2490
	# The same by a stack of one's own: entry, depth, duration.
	"$m" events --sync none --format csv --fields vtid,addr "$trace" 2>/dev/null >"$dir/events.csv"
	"$m" events --sync none "$trace" 2>/dev/null |
		sed -nE 's/^\[([0-9]+):([0-9]+):([0-9]+)\.([0-9]+)\].*func_(entry|exit):.*addr = 0x([0-9A-F]+).*/\1 \2 \3 \4 \5 \6/p' |
		awk '{ t = (($1 * 60 + $2) * 60 + $3) * 1000000000 + $4 }
			$5 == "entry" { at[n++] = t; next }
			{ n--; print t - at[n], n }' | sort >"$dir/by_stack"
	awk -F, '$12 == "whole" { print $3, $11 }' "$dir/calls" | sort >"$dir/by_view"
	same "nested as a stack says" "$dir/by_stack" "$dir/by_view"
fi
if ! command -v python3 >/dev/null; then
	echo "skipped: there is no python3, which adds up the memory by itself"
elif there "$public/memory"; then
	trace=$public/memory
	csv top view -n 0 --table values --view libc-memory "$trace" -n 0 | awk -F, '{ print $1, $2, $6, $7 }' >"$dir/held"
	python3 - "$dir/held" "$trace" "$m" <<'END' >"$dir/compared" 2>&1
import re, subprocess, sys
held, trace, m = sys.argv[1:4]
# Brute force: what is held at every 100th event, added up anew.
lines = subprocess.run([m, "events", "--sync", "none", trace], capture_output=True, text=True).stdout.splitlines()
day = 86400 * 10**9
rows, place = {}, {}
for line in open(held):
    begin, end, who, value = line.split()
    rows.setdefault(who, []).append((int(begin) % day, int(end) % day, int(value)))
now, n, bad = {}, 0, 0
for i, line in enumerate(lines):
    h, mi, s, ns = map(int, re.match(r"\[(\d+):(\d+):(\d+)\.(\d+)\]", line).groups())
    t = ((h * 60 + mi) * 60 + s) * 10**9 + ns
    who = re.search(r'procname = "([^"]*)"', line).group(1)
    size = re.search(r"size = (\d+)", line)
    vtid = re.search(r"vtid = (\d+)", line).group(1)
    ptr = re.search(r"ptr = (0x[0-9A-F]+)", line).group(1)
    mine = now.setdefault(who, {})
    if ptr == "0x0":
        continue
    if size: # two processes of a name have the same addresses; each is one thread
        mine[vtid, ptr] = int(size.group(1))
    else:
        mine.pop((vtid, ptr), None)
    if i % 100:
        continue
    k = place.get(who, 0)
    while k + 1 < len(rows[who]) and rows[who][k][1] <= t:
        k += 1
    place[who] = k
    if rows[who][k][0] <= t < rows[who][k][1]:
        n += 1
        bad += rows[who][k][2] != sum(mine.values())
print("enough" if n >= 1000 else n, bad)
END
	equal "bytes held, at 1,000 instants" "$(cat "$dir/compared")" "enough 0"
fi

# ---- what explains it ----
run 0 help view
cp "$dir/out" "$dir/page"
equal "lines of the page" "$(awk 'length($0) > 79' "$dir/page" | wc -l)" 0
sed -n '/^  view mpi "/,/^$/p' "$dir/page" >"$dir/example.view"
equal "its example" "$(csv top view --view "$dir/example.view" $r --table top_state,top_arrow | grep -v ^table | cut -d, -f3,4)" \
	"$(csv top view --view mpi $r --table top_state,top_arrow | grep -v ^table | sed 's/,message,/,to,/' | cut -d, -f3,4)"
for word in begin end set clear toggle stack mark label add take level names colour arrow row view ordered async unit thread-id amount by if; do
	text "$dir/page" "(^|[[ ,])$word([ ,]|\$)" "help view"
done
run 2 top view "$dir/a"
for view in "$SRC"/src/views/shipped/*.view; do
	name=$(basename "$view" .view)
	text "$dir/page" "^  $name  " "help view"
	text "$dir/err" "[ ,]$name[ ,]" "what to type without --view"
done
text "$dir/err" "'meridian help view'"
for verb in top log stats freq path diff requests serve report; do
	"$m" $verb --help >"$dir/out"
	text "$dir/out" "--view VIEW .*meridian help view" "$verb --help"
	"$m" --man $verb >"$dir/out"
	text "$dir/out" 'meridian-view\*\(5\)' "man page of $verb"
done
run 2 help nothing
text "$dir/err" "no verb or topic 'nothing'"

# ---- mistakes ----
wrong() { # wrong FILE-TEXT MESSAGE
	printf '%s\n' "$1" >"$dir/wrong.view"
	run 3 top view --view "$dir/wrong.view" "$dir/a"
	text "$dir/err" "$2"
}
wrong 'row x "y"' 'wrong.view:1:1: expected view and a name'
wrong $'view a\nbegin x as "y"' 'wrong.view:2:1: expected a row before'
wrong $'view a\nrow r "x" key\n' 'wrong.view:2:14: expected the name of a field'
wrong $'view a\nrow r "x" under "a" under "b"' 'wrong.view:2:28: this text is there twice'
wrong $'view a\nrow r "x\n' 'wrong.view:2:7: a text without a closing quote'
wrong $'view a\nrow r "x" thread-id' 'wrong.view:2:20: expected one field, with the thread'
wrong $'view a\nrow r "x"\nlabel e' 'the rule needs as "TEXT"'
wrong $'view a\nrow r "x"\nstack e as "a {f}"' 'stack needs as "{FIELD}"'
wrong $'view a\nrow r "x"\nbegin e as "{f"' 'a { without }'
wrong $'view a\nrow r "x"\nbegin e as "t" if a ==' 'wrong.view:3:'
wrong $'view a\nrow r "x"\nbegin e as "{none(a)}"' 'no names are declared for the table none'
wrong $'view a\nrow r "x"\nbegin e as "t"\nadd e amount 5' 'states or values, not both'
wrong $'view a\nrow r "x"\nrow  r "y"' 'wrong.view:3:6: the row r was declared before, in line 2'
wrong $'view a\nrow r "x"\nbegin e as "a {none(a)}"' 'wrong.view:3:16: no names are declared for the table none'
wrong $'view a\nrow r "x"\nbegin e as "{f:q}"' 'wrong.view:3:15: expected :x or :symbol after a field'
wrong $'view a\nrow r "x"\nadd e amount 99999999999999999999999999' 'wrong.view:3:14: the number is too large'
wrong $'view a\nrow r "x"\nadd e amount 9x' 'wrong.view:3:14: expected a whole number'
wrong $'view a\nrow r "x" unit feet' 'wrong.view:2:16: the unit is bytes, ns or count'
wrong $'view a\nrow "x"' 'expected a name for the row'
equal "the line and a caret" "$(tail -n +2 "$dir/err")" $'  row "x"\n      ^'
printf '\xef\xbb\xbfview a\nrow r "x"\nbegin app:outer_begin as "x"\n' >"$dir/wrong.view"
run 0 top view --view "$dir/wrong.view" "$dir/a"
run 2 top view --view none "$dir/a"
text "$dir/err" "no view 'none' and no such file; there are: callstack, cyg-profile, libc-memory, meridian-work, mpi"
run 2 top view "$dir/a"
text "$dir/err" "needs --view FILE"
run 2 top cpu --view mpi "$dir/a"
text "$dir/err" "--view does not apply to 'cpu'; for the states of a view: meridian top view --view mpi"
run 2 stats --view mpi "$dir/a"
text "$dir/err" "--view does not apply to 'stats' without an analysis; for .*: meridian stats view --view mpi"
printf '+1ms\t+9ms\tpart\n' >"$dir/marks.tsv"
run 2 top sched --view mpi --marks "$dir/marks.tsv" "$dir/a"
text "$dir/err" "--view does not apply to 'sched'"
run 0 top view --view mpi "$dir/a"
text "$dir/err" "view mpi: not recorded: .*mpi:\*_begin"
run 0 top view --view mpi demo/wget-cold-hot
text "$dir/out" "No states: view mpi: not recorded: meridian_mpi:init"

# ---- what is wrong with a view is said where its states are missing, and without -v ----
slip() { # slip RULES: the recording is one whose events are there
	printf 'view a\nrow r "{tid}" key tid\n%s\n' "$1" >"$dir/slip.view"
	run 0 top view --view "$dir/slip.view" "$dir/a"
	tr '\n' ' ' <"$dir/out" >"$dir/lines"
}
slip $'begin app:outer_begin as "x" key tdi\nend app:outer_end as "x" key tdi'
text "$dir/lines" "^No states: view a: 2 events of it have no field 'tdi'; those of app:outer_begin are tid, context.vtid. "
text "$dir/err" "warning: view a: 2 events of it have no field 'tdi'"
slip $'begin app:outer_begin as "{nofield}"\nend app:outer_end as "{nofield}"'
text "$dir/lines" "^No states: view a: 2 events of it have no field 'nofield'"
slip $'begin app:outer_bgin as "x"\nend app:outer_end as "x"'
text "$dir/err" 'warning: view a: no event is named app:outer_bgin: did you mean app:outer_begin?'
no_text "$dir/err" 'not recorded'
slip $'begin app:quite_another as "x"\nend app:outer_end as "x"'
text "$dir/err" 'warning: view a: no event is named app:quite_another, though others of its provider are recorded'
slip $'begin sched_swich as "x" key next_tid'
text "$dir/err" 'warning: view a: no event is named sched_swich: did you mean sched_switch?'
slip $'begin other:event as "x"\nend app:outer_end as "x"'
no_text "$dir/err" 'warning: view'
slip $'mark app:note as "{text}"'
text "$dir/lines" '^No states: 1 event of the view occurred, but none began one[.] '
slip $'begin app:*_begin as "{*}"\nend app:*_end as "{*}"'
run 0 top view --view "$dir/slip.view" --table top_value "$dir/a"
text "$dir/out" 'No values: no rule of the view'
run 0 top view --view mpi-imbalance --table waits "$dir/cycles"
tr '\n' ' ' <"$dir/out" >"$dir/lines"
text "$dir/lines" 'There are 33 states, but only events of the kernel show what blocked threads in them, and these were not recorded'
if "$m" top view --view "$dir/a.xml" "$dir/a" 2>&1 | grep -q "reads no XML"; then
	echo "skipped: this build reads no XML"
else
	printf '<tmfxml><stateProvider id="p">\n<eventHandler eventName="app:phase">\n<stateChange><stateAttribute type="location" value="x"/><stateValue type="int" value="1"/></stateChange></eventHandler></stateProvider></tmfxml>' >"$dir/w.xml"
	run 3 top view --view "$dir/w.xml" "$dir/a"
	text "$dir/err" "w.xml:3:14: stateAttribute: no location has the id x"
	printf '<!DOCTYPE x [<!ENTITY a "b">]>\n<tmfxml/>' >"$dir/w.xml"
	run 3 top view --view "$dir/w.xml" "$dir/a"
	text "$dir/err" "w.xml:1:13: a document type"
	printf '<tmfxml>\n <stateProvider>\n </tmfxml>' >"$dir/w.xml"
	run 3 top view --view "$dir/w.xml" "$dir/a"
	text "$dir/err" "w.xml:3:4: this is no well-formed XML: mismatched tag"
	printf '<tmfxml>\n<stateProvider id="p">\n<blink/>\n<eventHandler eventName="app:phase"><stateChange><stateAttribute type="constant" value="P"/><stateValue type="eventField" value="text"/></stateChange></eventHandler></stateProvider></tmfxml>' >"$dir/w.xml"
	run 0 top view --view "$dir/w.xml" "$dir/a"
	text "$dir/err" "w.xml:3:1: <blink> is not understood"
	equal "the rest works" "$(csv top view --table top_state --view "$dir/w.xml" "$dir/a" | cut -d, -f2,3 | sort | xargs)" "one,1 two,1"
	# What attributes say is no thread's: each has its time, and it goes on after the thread that wrote it.
	own() { csv top view --view "$dir/w.xml" --table top_state "$dir/$1" | cut -d, -f2-5 | sort | xargs; }
	setter() { # setter ATTRIBUTE EVENT VALUE
		printf '<eventHandler eventName="%s"><stateChange><stateAttribute type="constant" value="%s"/><stateValue type="string" value="%s"/></stateChange></eventHandler>' "$2" "$1" "$3"
	}
	printf '<tmfxml><stateProvider id="p">%s%s%s</stateProvider></tmfxml>' "$(setter A app:outer_begin long)" \
		"$(setter B app:inner_begin in)" "$(setter B app:inner_end out)" >"$dir/w.xml"
	equal "attributes do not compete for a thread" "$(own a)" "in,1,4000000,4000000 long,1,29000000,29000000 out,1,24000000,24000000"
	printf '<tmfxml><stateProvider id="p">%s</stateProvider></tmfxml>' "$(setter A app:call_begin long)" >"$dir/w.xml"
	equal "nor end with it" "$(csv log view --view "$dir/w.xml" "$dir/again" | cut -d, -f1-4,9,12)" "1000000,8000000,7000000,7000000,long,no end"
	# Segments that overlap have all of their time; what the FSM remembers are no rows.
	{
		printf '<tmfxml><pattern version="0" id="p"><patternHandler><test id="same"><if><condition><field name="tid"/><stateValue type="query"><stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="tid"/></stateValue></condition></if></test>'
		printf '<action id="keep"><stateChange><stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="tid"/><stateValue type="eventField" value="tid"/></stateChange></action>'
		printf '<action id="out"><segment><segType segName="step"/></segment></action>'
		printf '<fsm id="f" initial="s"><state id="s"><transition event="meridian_work:step_begin" target="in" action="keep"/></state>'
		printf '<state id="in"><transition event="meridian_work:step_end" cond="same" target="f" action="out"/></state><final id="f"/></fsm></patternHandler></pattern></tmfxml>'
	} >"$dir/w.xml"
	sed -E 's/(vtid=([0-9]+) \} )/\1tid=\2 /' "$dir/kit.scn" >"$dir/steps.scn"
	"$ctfgen" -o "$dir/steps" "$dir/steps.scn" || exit 1
	equal "segments that overlap" "$(own steps)" "step,2,8000000,8000000"
	# A callstack: each depth of what its group leads to is a row.
	{
		printf '<tmfxml>\n<callstack id="c"><callstackGroup><level path="T/*"/></callstackGroup><pattern version="0" id="p"><patternHandler>'
		for way in push pop; do
			printf '<action id="%s"><stateChange><stateAttribute type="constant" value="T"/><stateAttribute type="eventField" value="tid"/><stateAttribute type="constant" value="CallStack"/><stateValue type="eventName" stack="%s"/></stateChange></action>' $way $way
		done
		printf '<fsm id="f" multiple="false" initial="s"><state id="s"><transition event="app:outer_begin" target="s" action="push"/><transition event="app:inner_begin" target="s" action="push"/>'
		printf '<transition event="app:inner_end" target="s" action="pop"/><transition event="app:outer_end" target="s" action="pop"/></state></fsm></patternHandler></pattern></callstack></tmfxml>'
	} >"$dir/w.xml"
	equal "depths of a callstack" "$(csv log view --view "$dir/w.xml" "$dir/a" | awk -F, '{ print $1 / 1e6, $2 / 1e6, $7, $8, $9 }')" "\
1 9 T/7/CallStack 1 app:outer_begin
2 6 T/7/CallStack 2 app:inner_begin"
	equal "its levels as a stack" "$("$m" log view --view "$dir/w.xml" --format folded "$dir/a" 2>/dev/null | tr '\n' ' ')" \
		"h;T/7/CallStack;1;app:outer_begin 4000000 h;T/7/CallStack;1;app:outer_begin;app:inner_begin 4000000 "
	sed -i 's/path="T/way="T/' "$dir/w.xml"
	run 3 top view --view "$dir/w.xml" "$dir/a"
	text "$dir/err" 'w.xml:2:35: level: the attribute path is missing'
fi
finish
