#!/usr/bin/env bash
# Events of recordings of trace-cmd and perf are those that their own tools print, in every field: same_text.py. Where a
# tool is not installed its files are left out. And --tid finds what the tool shows of a thread.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

command -v python3 >/dev/null || { echo "skipped: there is no python3" && exit 77; }
dats= perfs=
there "$lab/ftrace-lttng" && dats=$(compgen -G "$lab/ftrace-lttng/*/*.dat") && perfs=$(compgen -G "$lab/ftrace-lttng/*/perf.data")
there "$lab/stock-ft" && dats+=" $lab/stock-ft/db/trace.dat"
dats+=" $(compgen -G "$lab/stock-odd/*.dat")" perfs+=" $(compgen -G "$lab/stock-odd/perf-*")"
command -v trace-cmd >/dev/null || { echo "skipped: trace-cmd is not installed" && dats=; }
perf version >/dev/null 2>&1 || { echo "skipped: perf is not installed" && perfs=; }
[ -n "$dats$perfs" ] || exit 77
# can_read FILE: do both programs unpack it?
can_read() { ! "$m" info "$1" 2>&1 | grep -q 'built without libzstd'; }

# same_events FILE [RAW]: $dir/ours is what meridian reads, $dir/report what the tool prints
same_events() {
	"$m" events -q --format jsonl "$1" >"$dir/ours" 2>"$dir/err" || fail "$1: $(head -1 "$dir/err")"
	if python3 "$SRC/tests/ftrace/same_text.py" "$dir/ours" "$dir/report" ${2:+"$2"} >"$dir/differ" 2>&1; then
		ok
	else
		fail "${1#"$lab"/}: $(cut -c1-300 "$dir/differ")"
	fi
}
for file in $dats; do
	every 4 && can_read "$file" || continue
	# Other versions of trace-cmd may not have been built to unpack what this one wrote.
	if ! trace-cmd report -t "$file" >"$dir/report" 2>"$dir/err" || ! trace-cmd report -R -t "$file" >"$dir/raw" 2>"$dir/err"; then
		echo "skipped: trace-cmd does not read ${file#"$lab"/}: $(head -1 "$dir/err")"
		continue
	fi
	same_events "$file" "$dir/raw"
done
for file in $perfs; do
	every 4 && can_read "$file" || continue
	if ! perf script --ns -F comm,tid,cpu,time,event,trace -i "$file" >"$dir/report" 2>"$dir/err"; then
		echo "skipped: perf does not read ${file#"$lab"/}: $(tail -1 "$dir/err")"
		continue
	fi
	same_events "$file"
done

# One that differs is found: a value, a field's name, an event less.
if [ -s "$dir/ours" ]; then
	differs() { # WHAT: $dir/other is not the same
		if python3 "$SRC/tests/ftrace/same_text.py" "$dir/other" "$dir/report" >"$dir/differ" 2>&1; then
			fail "$1 is not found: $(cat "$dir/differ")"
		else
			ok
		fi
	}
	sed '0,/"next_prio":/s/"next_prio":/"next_prio":1/' "$dir/ours" >"$dir/other" && differs "a value"
	sed '0,/"next_prio":/s/"next_prio":/"next_priority":/' "$dir/ours" >"$dir/other" && differs "a name"
	sed '$d' "$dir/ours" >"$dir/other" && differs "an event"
fi

# Of a thread: what happened on its CPU, and what names it.
file=$lab/ftrace-lttng/server/perf.data
if there "$file"; then
	"$m" events -q --tid 165 --format jsonl "$file" | grep -vE "_statedump_|perf_(fork|exit|comm)" >"$dir/ours"
	equal "--tid: on its CPU" "$(grep -c '"common_pid":165[,}]' "$dir/ours")" 4939
	equal "--tid: others" "$(grep -v '"common_pid":165[,}]' "$dir/ours" | grep -vcE '"(pid|next_pid|child_pid)":165[,}]')" 0
	equal "--tid: its wake-ups" "$(grep -v '"common_pid":165[,}]' "$dir/ours" | grep -c sched_waking)" 20
fi
finish
