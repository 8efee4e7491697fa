#!/usr/bin/env bash
# Recordings of trace-cmd and perf: as many events as their own tools read, from the first time to the last one; what was
# lost, and the clock, are told; compressed, in a pipe, or of another version they are the same. Cut anywhere they are read
# up to there.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
odd=$lab/stock-odd

# is_read FILE: this build can unpack it
is_read() { ! "$m" info "$1" 2>&1 | grep -q 'built without libzstd'; }
is_read "$odd/record-boot.dat" || echo "skipped: compressed recordings need libzstd"
# ns: the second number minus the first one, which are too large for awk and jq
ns() { local a b; read -r a b && echo $((b - a)); }
# events FILE: without what perf itself records of tasks, which its own tools do not show as events
events() { "$m" events -q "$1" 2>/dev/null | grep -vE ' (lttng_statedump_|perf_(comm|fork|exit):)'; }
lost() { "$m" info --json "$1" 2>/dev/null | jq '[table("traces")[].lost_events] | add'; }
while IFS='|' read -r _ name _ _ n span _; do
	name=${name// /} n=${n// /}
	[ "$name" != trace.txt ] && is_read "$odd/$name" || continue # text is not read
	events "$odd/$name" >"$dir/events"
	equal "$name: events" "$(wc -l <"$dir/events")" "$n"
	run 0 info --json "$odd/$name"
	equal "$name: its length" "$(grep -oE '"(begin|end)": ?[0-9]+' "$dir/out" | head -2 | sed 's/.*: *//' | paste -sd' ' | ns)" "$(awk '{ print $1, $3 }' <<<"$span" | ns)"
done < <(grep -E '^\| [a-z-]+(\.dat|\.data)? \| .* ' "$odd/TRUTH.md" | awk -F'|' '$5 ~ /^ [0-9]+ $/ && $6 ~ /[.][.]/')
[ "$passed" -ge 8 ] || fail "the table of TRUTH.md was not found"

# One world in three containers, of both byte orders: the same events at the same distances, whatever they are called.
made=$SRC/fuzz/corpus/recording
# Distances between these events: perf.data has others of its own between them.
text_of() {
	events "$made/$1" | sed -E 's/^\[[0-9]+:[0-9]+:([0-9]+)\.([0-9]+)\] \([^)]*\)/\1\2/' |
		awk '{ ns = $1; $1 = NR > 1 ? ns - before : 0; before = ns; print }'
}
text_of v6 >"$dir/v6"
equal "made: events" "$(wc -l <"$dir/v6")" 30
for name in v7 pipe v6-be v7-be pipe-be; do
	text_of "$name" >"$dir/other"
	same "made: $name as v6" "$dir/other" "$dir/v6"
done
equal "made: a switch" "$(sed -n '/sched_switch/{s/.*{ prev_comm/prev_comm/;p;q}' "$dir/v6")" \
	'prev_comm = "trace-cmd", prev_pid = 242, prev_prio = 120, prev_state = 256, next_comm = "rcu_preempt", next_pid = 15, next_prio = 120 }'
for form in 'v6|trace.dat 6' 'v7|trace.dat 7' 'pipe|perf.data'; do
	equal "made: ${form%|*}" "$("$m" info -q --json "$made/${form%|*}" | jq -r 'table("traces")[].format')" "${form#*|}"
done
equal "made: lost" "$("$m" info --json "$made/v6" 2>/dev/null | jq '[table("traces")[].lost_events] | add')" 7

# perf.data with its records in another order: late samples, and what is said of the recording only behind them, cost a second
# look and nothing else.
records() { # FILE: offset, size and type of each, of the pipe form
	od -An -v -tu1 -w1 "$1" | awk '{ b[n++] = $1 } END {
		for (at = 16; at < n; at += size) {
			size = b[at + 6] + 256 * b[at + 7]
			if (b[at] == 66)
				size += int((b[at + 8] + 256 * b[at + 9] + 65536 * b[at + 10] + 7) / 8) * 8
			print at, size, b[at]
		}
	}'
}
rebuilt() { # NAME, the records as above on stdin
	head -c 16 "$made/pipe" >"$dir/$1.data"
	while read -r at size _; do
		tail -c "+$((at + 1))" "$made/pipe" | head -c "$size"
	done >>"$dir/$1.data"
	"$m" events -q "$dir/$1.data" 2>/dev/null >"$dir/all.text"
	equal "$1: events" "$(wc -l <"$dir/all.text")" 31
	grep -v ' lttng_statedump_' "$dir/all.text" | sed -E 's/ \(\+[^)]*\)//' | sort >"$dir/$1.text"
	same "$1: as usual" "$dir/$1.text" "$dir/usual.text"
}
records "$made/pipe" >"$dir/records"
rebuilt usual <"$dir/records"
is_sample='$3 == 9 || $3 == 2'
{
	awk "!($is_sample)" "$dir/records"
	awk "$is_sample" "$dir/records" | tac
} >"$dir/late.order"
rebuilt late <"$dir/late.order"
{
	awk "$is_sample" "$dir/records"
	awk "!($is_sample)" "$dir/records"
} >"$dir/behind.order"
rebuilt behind <"$dir/behind.order"
{
	awk '$3 != 3 && $3 != 7' "$dir/records"
	awk '$3 == 3 || $3 == 7' "$dir/records"
} >"$dir/tasks.order"
rebuilt tasks <"$dir/tasks.order"

# No event at all: said so, of any form; nobody takes it for missing, or for one that lacks sched_switch.
{
	head -c 16 "$made/pipe"
	awk "!($is_sample)" "$dir/records" | while read -r at size _; do
		tail -c "+$((at + 1))" "$made/pipe" | head -c "$size"
	done
} >"$dir/empty.data"
cp "$made/v6" "$dir/empty.dat" # where the pages of both CPUs are, and how many bytes
at=$(LC_ALL=C grep -abo flyrecord "$made/v6" | cut -d: -f1)
for i in 0 1; do head -c 8 /dev/zero | dd of="$dir/empty.dat" bs=1 seek=$((at + 10 + 16 * i + 8)) conv=notrunc status=none; done
for form in data dat; do
	run 0 summary "$dir/empty.$form"
	text "$dir/out" '^no events were recorded$' "empty.$form"
	no_text "$dir/out" 'sched_switch|missing|range'
	text "$dir/err" 'no events of .* were recorded: none occurred, or tracing was off'
	run 0 check "$dir/empty.$form"
	text "$dir/out" ' sound( |$)' "empty.$form"
done

# Callchains of samples (two addresses each, in front of the event's record) are kept; all else is as without.
chained=$(od -An -v -tu1 -w1 "$made/pipe" | awk '{ b[n++] = $1 } END {
	for (i = 0; i < 16; i++)
		printf "\\x%02x", b[i]
	for (at = 16; at < n; at += size) {
		size = b[at + 6] + 256 * b[at + 7]
		behind = b[at] == 66 ? int((b[at + 8] + 256 * b[at + 9] + 65536 * b[at + 10] + 7) / 8) * 8 : 0
		more = b[at] == 9 ? 24 : 0
		if (b[at] == 64)
			b[at + 32] += 32
		b[at + 6] = (size + more) % 256
		b[at + 7] = int((size + more) / 256)
		size += behind
		for (i = 0; i < size; i++) {
			if (more && i == 40)
				printf "\\x02\\0\\0\\0\\0\\0\\0\\0\\x80\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x34\\x12\\0\\0\\0\\0\\0\\0"
			printf "\\x%02x", b[at + i]
		}
	}
}')
printf '%b' "$chained" >"$dir/chained.data"
"$m" events -q "$dir/chained.data" 2>/dev/null >"$dir/all.text"
chain=', perf_callchain_size = 2, perf_callchain = \[ \[0\] = 0xFFFFFFFFFFFFFF80, \[1\] = 0x1234 \]'
equal "callchains" "$(grep -c "$chain" "$dir/all.text")" 30
grep -v ' lttng_statedump_' "$dir/all.text" | sed -E "s/ \(\+[^)]*\)//; s/$chain//" | sort >"$dir/chained.text"
same "callchains: all else" "$dir/chained.text" "$dir/usual.text"
equal "no callchains" "$(grep -c perf_callchain "$dir/usual.text")" 0

# What perf itself records of tasks: as much as the kernel's own events of the same, and nothing from before these.
"$m" events -q "$odd/perf-noclock.data" 2>/dev/null >"$dir/events"
for pair in perf_fork:sched_process_fork perf_exit:sched_process_exit; do
	equal "tasks: ${pair%:*}" "$(grep -c " ${pair%:*}: " "$dir/events")" "$(grep -c ":${pair#*:}: " "$dir/events")"
done
equal "tasks: programs" "$(grep -c ' perf_comm: .*exec = 1' "$dir/events")" "$(grep -c ':sched_process_exec: ' "$dir/events")"
equal "forks are counted once" "$("$m" top rates --json "$odd/perf-noclock.data" 2>/dev/null | jq '.. | objects | select(has("forks")) | .forks' | head -1)" 16

# What was lost, and where a clock is of no use.
! is_read "$odd/record-lost.dat" || equal "lost in between" "$(lost "$odd/record-lost.dat")" 134112
! is_read "$odd/extract-lost.dat" || equal "lost at the beginning" "$(lost "$odd/extract-lost.dat")" 240257
equal "lost by perf" "$(lost "$odd/perf-lost.data")" 13693
for name in record-local.dat extract-wrongclock.dat perf-noclock.data; do
	is_read "$odd/$name" || continue
	"$m" info "$odd/$name" 2>&1 | grep -q 'fits no other recording' && ok || fail "$name: nothing is said of the clock"
done
for name in record-boot.dat two-buffers.dat perf-z.data; do
	is_read "$odd/$name" || continue
	"$m" info "$odd/$name" 2>&1 | grep -q 'fits no other recording' && fail "$name: its clock is fine" || ok
done

# Pages as one copies them: per_cpu and events, as they lie in tracefs. A clock that counts no ns is said to.
if there "$lab/stock-raw"; then
	from=$lab/stock-raw/client/raw
	mkdir -p "$dir/pages/per_cpu/cpu0"
	cp "$from/cpu0.raw" "$dir/pages/per_cpu/cpu0/trace_pipe_raw"
	cp -r "$from/events" "$from/uname" "$dir/pages"
	run 3 info "$dir/pages"
	text "$dir/err" 'copy /sys/kernel/tracing/events into this folder'
	cp "$from/header_page" "$dir/pages/events"
	cp "$from/trace_clock" "$dir/pages"
	events "$from" >"$dir/whole"
	events "$dir/pages" >"$dir/part"
	[ -s "$dir/part" ] && ok || fail "no events of per_cpu and events"
	# The time of day lies beside the one only.
	for i in whole part; do sed -E 's/^\[[^]]*\] \(\+[^)]*\) \S+ //' "$dir/$i" >"$dir/$i.text"; done
	same "pages as in tracefs" "$dir/part.text" "$dir/whole.text"
	# A page says that events before it were lost, and not how many; the buffer's own count does.
	printf '\200' | dd of="$dir/pages/per_cpu/cpu0/trace_pipe_raw" bs=1 seek=$((4096 * 3 + 11)) conv=notrunc status=none
	printf 'entries: 0\noverrun: 50\ncommit overrun: 0\n' >"$dir/pages/per_cpu/cpu0/stats"
	equal "lost in all" "$(lost "$dir/pages")" 50
	rm "$dir/pages/per_cpu/cpu0/stats"
	equal "lost, who knows how many" "$(lost "$dir/pages")" 1
	cp "$from/cpu0.raw" "$dir/pages/per_cpu/cpu0/trace_pipe_raw"
	echo 'overrun: 7' >"$dir/pages/per_cpu/cpu0/stats"
	equal "lost behind the last page" "$(lost "$dir/pages")" 7
	# An event that was recorded, but did not happen, is none that is missing.
	! "$m" check -q "$from" 2>/dev/null | grep -q 'sched_pi_setprio' && ok || fail "check: sched_pi_setprio is missing"
	echo '[uptime] mono' >"$dir/pages/trace_clock"
	run 3 info "$dir/pages"
	text "$dir/err" "the clock 'uptime', which are no ns"
	# A clock is called what the recording calls it, also where that is no name in CTF.
	echo 'local [x86-tsc] mono' >"$dir/pages/trace_clock"
	equal "its clock" "$("$m" info -q --json "$dir/pages" 2>/dev/null | jq -r 'table("traces")[0] | "\(.format): \(.clock_name)"')" 'raw pages: x86-tsc'
	# Two recordings of one host, both without the time of day: it is named once.
	echo mono >"$dir/pages/trace_clock"
	echo 01234567-89ab-cdef-0123-456789abcdef >"$dir/pages/boot_id"
	cp -r "$dir/pages" "$dir/again"
	equal "two recordings of a host" "$("$m" info -q --json "$dir/pages" "$dir/again" 2>/dev/null | jq -c '[table("hosts", "traces") | length]')" '[1,2]'
	equal "no time of day" "$("$m" info -q "$dir/pages" "$dir/again" 2>/dev/null | grep 'the time of day' | cut -d: -f1)" "$(cut -d' ' -f2 "$dir/pages/uname")"
fi

# Cut: what lies before the cut, in the same words; never more.
cut_at() { # FILE BYTES
	head -c "$2" "$odd/$1" >"$dir/cut-$1"
	"$m" events -q "$dir/cut-$1" >"$dir/part" 2>"$dir/err"
	local status=$?
	[ $status -le 3 ] || fail "$1 cut at $2: exit $status"
	sed -E 's/ \(\+[^)]*\)//' "$dir/part" >"$dir/part.text"
	equal "$1 cut at $2: not in the whole one" "$(grep -vxFc -f "$dir/whole.text" "$dir/part.text")" 0
	n_part=$(wc -l <"$dir/part")
}
for name in record-boot.dat perf-pipe.data perf-noclock.data; do
	is_read "$odd/$name" || continue
	"$m" events -q "$odd/$name" 2>/dev/null | sed -E 's/ \(\+[^)]*\)//' >"$dir/whole.text"
	size=$(wc -c <"$odd/$name")
	for share in 3 30 60 90 99; do
		cut_at "$name" $((size * share / 100))
	done
	equal "$name: nothing is left of nearly all" $((n_part > 0)) 1
done
finish
