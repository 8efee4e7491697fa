#!/usr/bin/env bash
# Packets that are missing without being counted: the first, the last or all packets of a stream of a recording are
# taken away. Every verb says so, check lists it, the CPU is unknown then, and no share of a task differs from that of
# the whole recording by more than what is unknown.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=2000 # a message is a line

# u64 FILE PLACE
u64() { od -An -tu8 -j "$2" -N 8 "$1" | tr -d ' '; }
# packets FILE: the place of each packet of LTTng 2.13, and that of the end
packets() {
	local at=0 size
	size=$(stat -c %s "$1")
	while [ "$at" -lt "$size" ]; do
		echo "$at"
		at=$((at + $(u64 "$1" $((at + 56))) / 8))
	done
	echo "$size"
}
# take FILE first|last|all
take() {
	local at
	mapfile -t at < <(packets "$1")
	case $2 in
	first) tail -c +$((at[1] + 1)) "$1" >"$dir/rest" ;;
	last) head -c "${at[-2]}" "$1" >"$dir/rest" ;;
	all) : >"$dir/rest" ;;
	esac
	mv "$dir/rest" "$1"
}
# copy FOLDER HOST: to $dir/t, without the index
copy() {
	rm -rf "$dir/t" "$dir/cache"
	mkdir "$dir/t" && cp -rL "$1" "$dir/t/h" && chmod -R u+w "$dir/t"
	rm -rf "$dir"/t/h/kernel/index "$dir"/t/h/index
}
verbs=("info" "check" "stats" "events -n 1" "summary" "top cpu" "stats sched" "log sched -n 1" "freq sched" "state --at +1s"
	"requests" "blocked" "graph" "sync" "latency" "task --tid 1" "path --tid 1")
# shares TRACE: HOST/TID and ns on a CPU of each task
shares() {
	"$m" top cpu -n 0 --all -q --json "$1" 2>/dev/null |
		jq -r '.tables[]? // . | .rows[] | "\(.host)/\(.tid) \(.self_ns)"' | awk '{ n[$1] += $2 } END { for (t in n) printf "%s %.0f\n", t, n[t] }'
}
# unknown TRACE: ns of all CPUs
unknown() {
	"$m" top cpu --table cpus -q --format csv "$1" 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "unknown_ns") u = i; next } { n += $u } END { printf "%.0f\n", n }'
}
# range TRACE: ns from its first to its last event; the longest of a host
range() {
	"$m" info --json "$1" 2>/dev/null | jq '[table("traces")[] | select(.begin != null) | .end - .begin] | max // 0'
}
# close WHAT: of $dir/t and the whole recording: no task has more CPU time than in the whole one, by more than what is
# unknown, nor less. Where the only CPU is cut the recording is shorter, and before or after it all is unknown.
close_to() {
	shares "$dir/t" >"$dir/of_part"
	local u
	u=$(($(unknown "$dir/t") + whole_range - $(range "$dir/t")))
	awk -v u="$u" -v what="$1" '
		FNR == NR { whole[$1] = $2; next } { part[$1] = $2 }
		END { for (t in part) whole[t] += 0
			for (t in whole) { d = part[t] - whole[t]; if (d < 0) d = -d
			if (d > u + 1e6) { print what ": task " t " has " part[t] + 0 ", not " whole[t] " ns, unknown " u; bad = 1 } }
			exit bad }' "$dir/of_whole" "$dir/of_part" >"$dir/differences"
	if [ -s "$dir/differences" ]; then fail "$(head -2 "$dir/differences")"; else ok; fi
}
# told WHAT PATTERN
told() {
	local verb
	for verb in "${verbs[@]}"; do
		# shellcheck disable=SC2086
		"$m" $verb "$dir/t" >"$dir/out" 2>"$dir/err" </dev/null
		text "$dir/err" "$2" "$1: $verb"
	done
	"$m" check "$dir/t" >"$dir/out" 2>/dev/null
	text "$dir/out" "not sound:.*(late|early|missing|without a stream)" "$1: check"
	"$m" info "$dir/t" 2>/dev/null | grep -q "nothing lost" && fail "$1: info says that nothing is lost"
}

n=0
while read -r recording stream; do
	[ -e "$lab/$recording" ] || continue
	every 3 || continue
	n=$((n + 1))
	copy "$lab/$recording"
	"$m" check "$dir/t" 2>&1 | grep -qE "packets of CPU|streams? (begins?|ends?|missing)|without a stream" && fail "$recording, whole: something is missing"
	shares "$dir/t" >"$dir/of_whole"
	whole_range=$(range "$dir/t")
	# One has clock events alone, no tasks.
	[ "${recording%%/*}" = long-ntp ] || equal "$recording: tasks and their time" "$([ "$(wc -l <"$dir/of_whole")" -gt 5 ] && [ "$whole_range" -gt 1000000000 ] && echo yes)" yes
	for what in first last all; do
		file=$(find "$dir/t" -name "$stream" | head -1)
		n_packets=$(($(packets "$file" | wc -l) - 1))
		if [ "$n_packets" -lt 2 ] && [ $what != all ]; then continue; fi
		copy "$lab/$recording"
		take "$(find "$dir/t" -name "$stream" | head -1)" $what
		cpu=${stream##*_}
		case $what in
		first) told "$recording, $what" "the first packets of CPU $cpu are missing" ;;
		last) told "$recording, $what" "the last packets of CPU $cpu are missing" ;;
		all) if [ -n "$(find "$dir/t" -name 'ch_*' -size +0)" ]; then
			told "$recording, $what" "the stream of CPU $cpu is missing"
			equal "$recording, $what: unknown" "$(($(unknown "$dir/t") > whole_range / 2))" 1
		else # nothing else is left
			told "$recording, $what" "no events of [0-9,]+ kinds, such as [a-z_]+, were found"
		fi ;;
		esac
		close_to "$recording, $what"
		copy "$lab/$recording"
	done
done <<-END
	web-load/web ch_0
	web-load/web ch_1
	mpi-3vm/n1/kernel ch_0
	mpi-3vm/n3/kernel ch_1
	cpu-mem-io/worker ch_1
	shop-a/web ch_0
	reader-zoo/restart ch_0
	login-tree/vm ch_0
	long-ntp/alpha ch_0
END
[ $n -ge 1 ] || fail "no recording was looked at"

# --- a host in two traces, cut at a packet: as one session after the other ---
if there "$lab/web-load"; then
	copy "$lab/web-load"
	mkdir "$dir/t/second"
	cp -r "$dir/t/h/web/kernel" "$dir/t/second/kernel"
	rm -rf "$dir/t/second/kernel/index" "$dir/t/h/web/kernel/index"
	# Another trace UUID in the metadata and in each packet.
	old=$(grep -aoE 'uuid = "[0-9a-f-]{36}"' "$dir/t/second/kernel/metadata" | head -1 | cut -d'"' -f2)
	new=${old:0:35}$(tr 0-9a-f 1-9a-f0 <<<"${old:35:1}")
	sed -i "s/$old/$new/" "$dir/t/second/kernel/metadata"
	for s in "$dir"/t/second/kernel/ch_*; do
		take "$s" first
		while read -r at; do
			[ "$at" -lt "$(stat -c %s "$s")" ] &&
				printf "\\x${new:34:2}" | dd of="$s" bs=1 seek=$((at + 19)) conv=notrunc status=none
		done < <(packets "$s")
	done
	for s in "$dir"/t/h/web/kernel/ch_*; do take "$s" last; done
	"$m" requests -q --format csv "$lab/web-load" >"$dir/whole" 2>/dev/null
	"$m" requests -q --format csv "$dir/t" >"$dir/two" 2>"$dir/err"
	same "requests of a host in two traces" "$dir/two" "$dir/whole"
	"$m" top cpu -q -n 0 --all --host web --format csv "$lab/web-load" >"$dir/whole" 2>/dev/null
	"$m" top cpu -q -n 0 --all --host web --format csv "$dir/t" >"$dir/two" 2>/dev/null
	same "CPU time of a host in two traces" "$dir/two" "$dir/whole"
	"$m" info "$dir/t" >"$dir/out" 2>&1
	no_text "$dir/out" "missing" "a host in two traces"
fi

# --- two sessions at once: one is used ---
"$ctfgen" -o "$dir/both" "$SRC/tests/cli/two_sessions.scn"
for verb in "top net" "stats sched" "top sched" "blocked" "top cpu"; do
	# shellcheck disable=SC2086
	"$m" $verb -q "$dir/both/h/a" >"$dir/one" 2>/dev/null
	# shellcheck disable=SC2086
	"$m" $verb "$dir/both" >"$dir/two" 2>"$dir/err"
	same "$verb of two sessions" "$dir/two" "$dir/one"
	text "$dir/err" "two sessions recorded this host at the same time" "$verb"
done
"$m" check "$dir/both" >"$dir/out" 2>&1
text "$dir/out" "two sessions recorded this host at the same time" check
no_text "$dir/out" "a filter or 'lttng track'" check

# --- a snapshot beside a session, whose first packets are gone: the session has every switch ---
cat >"$dir/beside.scn" <<'END'
epoch 1700000000s
host h { boot 100s }
trace h/all { domain kernel }
trace h/late { domain kernel }
repeat 20 every 10ms {
	0ms h/all 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="app" next_tid=10 next_prio=20
	4ms h/all 0 sched_switch prev_comm="app" prev_tid=10 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
}
repeat 3 every 10ms from 170ms {
	1ms h/late 0 syscall_entry_getpid
	2ms h/late 0 syscall_exit_getpid ret=10
}
END
"$ctfgen" -o "$dir/beside" "$dir/beside.scn"
printf '\7' | dd of="$dir/beside/h/late/channel0_0" bs=1 seek=64 conv=notrunc status=none # its packet's number
equal "a snapshot beside a session: unknown" "$(unknown "$dir/beside")" 0
"$m" top cpu -q "$dir/beside" >"$dir/out" 2>&1
text "$dir/out" "10 +app +80.0 ms" "a snapshot beside a session"
"$m" top cpu "$dir/beside" >"$dir/out" 2>&1
text "$dir/out" "the first packets of CPU 0 are missing" "a snapshot beside a session"

# --- sched_switch as small tracers write it ---
cat >"$dir/names.scn" <<'END'
epoch 1700000000s
host board
trace board/kernel { without cpu_id; tracer barectf "3.1.2"; header plain }
event sched_switch { string16 prev_comm; s32 prev_pid; s32 prev_prio; s64 prev_state; string16 next_comm; s32 next_pid; s32 next_prio }
repeat 10 every 10ms {
	0ms 0 sched_switch prev_comm="idle" prev_pid=0 prev_prio=20 prev_state=0 next_comm="one" next_pid=5 next_prio=20
	4ms 0 sched_switch prev_comm="one" prev_pid=5 prev_prio=20 prev_state=1 next_comm="idle" next_pid=0 next_prio=20
}
END
"$ctfgen" -o "$dir/names" "$dir/names.scn"
"$m" top cpu "$dir/names" >"$dir/out" 2>&1
text "$dir/out" "5 +one +40.0 ms" "prev_pid and next_pid"
no_text "$dir/out" "has no" "prev_pid and next_pid"
# Of it the metadata alone: not nothing lost, nor an event that did not occur.
cp -r "$dir/names" "$dir/alone"
find "$dir/alone" -type f ! -name metadata -exec sh -c ': >"$1"' _ {} \;
for verb in info "top cpu" summary blocked; do
	# shellcheck disable=SC2086
	"$m" $verb "$dir/alone" >"$dir/out" 2>"$dir/err"
	text "$dir/err" "no events of sched_switch were found" "metadata alone: $verb"
	no_text "$dir/out" "nothing lost|none occurred" "metadata alone: $verb"
done
"$m" check "$dir/alone" >"$dir/out" 2>&1
text "$dir/out" "not sound: 1 channel without a stream" "metadata alone"
for verb in info check; do
	"$m" $verb --json "$SRC/demo/wget-cold-hot/client" "$dir/alone" >"$dir/out" 2>/dev/null
	equal "metadata alone: JSON of $verb" "$(jq -c '. as $d | [table("traces_missing")[] | . as $m | [.streams_begin_late, .streams_end_early,
		.streams_missing, .channels_missing, ($d | table("traces")[$m.row - 1].path == $m.path)]]' "$dir/out")" '[[0,0,0,1,true]]'
done
cat >"$dir/state.scn" <<'END'
epoch 1700000000s
host board
trace board/kernel { without cpu_id; tracer barectf "3.1.2"; header plain }
event sched_switch { s32 prev_tid; s32 next_tid }
repeat 10 every 10ms {
	0ms 0 sched_switch prev_tid=0 next_tid=5
	4ms 0 sched_switch prev_tid=5 next_tid=6
	6ms 0 sched_switch prev_tid=6 next_tid=0
}
END
"$ctfgen" -o "$dir/state" "$dir/state.scn"
for verb in check "top cpu"; do
	# shellcheck disable=SC2086
	"$m" $verb "$dir/state" >"$dir/out" 2>&1
	text "$dir/out" "sched_switch has no prev_state: what a task does after it leaves a CPU is unknown" "$verb"
done
"$m" top cpu -q --format csv "$dir/state" 2>/dev/null >"$dir/out"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "runnable_ns") r = i; next } $r > 0 { exit 1 }' "$dir/out" ||
	fail "no prev_state: somebody is runnable: $(head -2 "$dir/out")"
"$m" top cpu "$dir/state" >"$dir/out" 2>&1
text "$dir/out" "40.0 ms" "no prev_state"

# --- an event long before all others ---
cat >"$dir/early.scn" <<'END'
epoch 1700000000s
host h
0s h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="swapper/0" next_tid=0 next_prio=20
repeat 100 every 10ms from 7200s {
	0us h 0 sched_waking comm="app" tid=10 prio=20 target_cpu=0
	10us h 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="app" next_tid=10 next_prio=20
	5ms h 0 sched_switch prev_comm="app" prev_tid=10 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
}
END
"$ctfgen" -o "$dir/early" "$dir/early.scn"
"$m" summary "$dir/early" >"$dir/out" 2>&1
text "$dir/out" "no event was recorded for 2h 00min after the first event" "an early event"
text "$dir/out" "the other events begin at \\+7200s" "an early event"
text "$dir/out" "50\\.[0-9] %|50 %" "an early event: the CPU is busy"

# --- a clock that starts again at 0; zeros behind the last packet; metadata without a byte ---
mkdir "$dir/wrap" "$dir/none"
cat >"$dir/wrap/metadata" <<'END'
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
clock { name = c; freq = 1000000000; offset = 0; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := t;
stream { event.header := struct { t timestamp; u8 id; }; };
event { name = tick; id = 1; };
END
for ((i = 0; i < 40; i++)); do # each 5 ms; 2^26 ns is 67.1 ms
	v=$(((60000000 + i * 5000000) % (1 << 26)))
	printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((v & 255)) $((v >> 8 & 255)) $((v >> 16 & 255)) $((v >> 24)))\\0\\0\\0\\0\\1"
done >"$dir/wrap/stream"
"$m" info --count "$dir/wrap" >"$dir/out" 2>&1
text "$dir/out" "40 events" "a clock that wraps, as recorded"
"$m" check "$dir/wrap" >"$dir/out" 2>&1
text "$dir/out" "the clock goes backwards 3 times" "a clock that wraps, as recorded"
# ... and what would read it is said, by check and by whatever reads the events.
text "$dir/out" "a counter of 26 bits that starts again at 0: read with --clock-wrap 26 " "a clock that wraps, check"
"$m" events "$dir/wrap" >/dev/null 2>"$dir/out"
text "$dir/out" "a counter of 26 bits that starts again at 0: read with --clock-wrap 26 " "a clock that wraps, events"
for wrap in 26 67.108864ms; do
	"$m" info --count --clock-wrap $wrap "$dir/wrap" >"$dir/out" 2>&1
	text "$dir/out" "195 ms" "--clock-wrap $wrap"
	no_text "$dir/out" "backwards" "--clock-wrap $wrap"
done
run 2 info --clock-wrap 64 "$dir/wrap"
run 2 info --clock-wrap x "$dir/wrap"
head -c 4096 /dev/zero >>"$dir/names/board/kernel/channel0_0"
run 0 stats "$dir/names"
text "$dir/err" "4096 bytes of zeros follow the last packet"
: >"$dir/none/metadata"
run 3 info "$dir/none"
text "$dir/err" "metadata is empty: the tracer did not finish"
finish
