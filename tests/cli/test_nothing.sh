#!/usr/bin/env bash
# What is said where there is nothing to tell: never that all is well, and what to do about it. And what is
# refused, before anything is read for it.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80

# Three hosts with processors and no wake-ups or calls; one of which nothing is known but its timers.
{
	for host in a b c; do printf 'host %s\ntrace %s/kernel\n' $host $host; done
	echo
	for host in a b c; do
		cat <<EOF2
0ms $host 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="x" next_tid=100 next_prio=20
10ms $host 0 sched_switch prev_comm="x" prev_tid=100 prev_prio=20 prev_state=1 next_comm="swapper/0" next_tid=0 next_prio=20
100ms $host 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_prio=20 prev_state=0 next_comm="x" next_tid=100 next_prio=20
EOF2
	done
} >"$dir/cpus.scn"
check "a scenario" "$ctfgen" -o "$dir/cpus" "$dir/cpus.scn"
cat >"$dir/timers.scn" <<'EOF2'
host d
trace d/kernel

0ms d 0 timer_hrtimer_expire_entry hrtimer=1 now=1 function=1
1ms d 0 timer_hrtimer_expire_exit hrtimer=1
EOF2
check "a scenario" "$ctfgen" -o "$dir/timers" "$dir/timers.scn"
# Traces without a single event.
printf 'host e\ntrace e/kernel { cpus 0; declare sched_switch }\n' >"$dir/empty.scn"
check "a scenario" "$ctfgen" -o "$dir/empty" "$dir/empty.scn"
for verb in "top cpu --bins 4" "top cpu"; do
	# shellcheck disable=SC2086
	run 0 $verb "$dir/empty"
	text "$dir/out" 'No data: the traces have no events.' "$verb without events"
done
cpus="--sync none $dir/cpus" timers=$dir/timers

# shellcheck disable=SC2086
{
	# No praise for what is not known.
	run 0 summary $timers
	text "$dir/out" 'CPU and task activity unknown: sched_switch was not recorded'
	text "$dir/out" '^  meridian check '
	no_text "$dir/out" 'Nothing:|near its limit'
	run 0 summary $cpus $timers
	text "$dir/out" '^d: CPU and task activity unknown'
	text "$dir/out" '^  meridian check --host d '
	# No next step that leads to nothing.
	run 0 summary $cpus
	text "$dir/out" 'nothing is saturated: CPUs at most 10 % busy; why tasks waited is unknown'
	no_text "$dir/out" 'meridian graph|or disks'
	for words in summary "top cpu"; do
		run 2 $words --begin +99s $cpus
		text "$dir/err" 'is after the end of the recording, which is from'
	done

	# What would have to be recorded.
	for what in "graph" "stats syscall" "log syscall" "top io" "top futex"; do
		run 3 $what $cpus
		text "$dir/out" 'lttng enable-event --kernel --syscall --all' "$what"
	done
	run 3 graph $cpus
	text "$dir/out" 'No relations'
	no_text "$dir/out" '^Wait:'
	# Sums of what was not recorded are not 0.
	run 3 stats syscall --json $cpus
	equal "rows of no calls" "$(numbers errors "$dir/out" | wc -l)" 0
	run 0 summary --format csv $timers
	text "$dir/out" '^hosts,d,1000000,1,,,100,'  # busy is not 0, but not known

	# The same of all hosts is said once; -v tells it of each.
	run 3 graph $cpus
	equal "warnings" "$(grep -c 'no wake-ups' "$dir/err")" 1
	text "$dir/err" 'host a and 2 others: no wake-ups were recorded'
	run 3 graph -v $cpus
	equal "warnings with -v" "$(grep -c 'no wake-ups' "$dir/err")" 3

	# Refused before the traces are read.
	run 2 top cpu --bins 30000 --plot "$dir/x.svg" /nowhere
	text "$dir/err" '30000 bins are more than a chart can show'
	run 2 top cpu --interval 1us --plot "$dir/x.svg" $cpus
	text "$dir/err" 'more than 20000 bins'
	if [ -e "$dir/x.svg" ]; then fail "a chart that was refused"; else ok; fi
	run 0 top cpu --interval 10us --plot "$dir/x.svg" $cpus
	run 2 top cpu --bins 1048576 $cpus
	text "$dir/err" 'would have more than [0-9]+ rows; use fewer bins'
	# Many rows are written in parts, with one heading, and are those of --json.
	run 0 top cpu --bins 5000 --format csv $cpus
	equal "headings" "$(grep -c '^begin,end,' "$dir/out")" 1
	sed 1d "$dir/out" | cut -d, -f1 >"$dir/wanted"
	run 0 top cpu --bins 5000 --format jsonl $cpus
	grep -oE '^\{"begin": ?-?[0-9]+' "$dir/out" | sed 's/.*: *//' >"$dir/got"
	same "rows in parts" "$dir/got" "$dir/wanted"
	equal "bins" "$(sort -u "$dir/got" | wc -l)" 5000
	run 3 top cpu --plot /nowhere/x.svg $cpus
	text "$dir/err" '/nowhere/x.svg: cannot create: '
	run 2 top cpu --tid -1 $cpus
	text "$dir/err" "'-1' is not a number or a range"
	run 2 log period --period 'sched_* : sched_switch' $cpus
	text "$dir/err" 'quotes around a pattern'
	run 2 log period --period 'sched_switch : sched_*' $cpus
	text "$dir/err" 'quotes around a pattern'
}

# Lengths of packets that no event tells are not 0.
vote=$public/django-vote
if there "$vote"; then
	run 0 top net --table interfaces --format csv -q "$vote"
	equal "packets without length" "$(sed 1d "$dir/out" | cut -d, -f3,5,7 | sort -u)" ,,
	run 0 top net --bins 3 --json -q "$vote"
	equal "bytes over time" "$(numbers 'sent_bytes' "$dir/out" | sum)" 0
	run 0 summary -q "$vote"
	no_text "$dir/out" '0 B'
fi

# --table ? answers, without traces.
for verb in top stats; do
	run 0 $verb cpu --table '?'
	text "$dir/out" '^processes: CPU usage by process$'
	text "$dir/out" 'self_ns'
	equal "width of --table ?" "$(awk 'length($0) > 80' "$dir/out" | wc -l)" 0
done
run 0 top cpu --table '?' --format csv
# Each of them is a table.
sed 1d "$dir/out" | cut -d, -f1 >"$dir/tables"
equal "tables of cpu" "$(grep -c . "$dir/tables")" 9
while read -r table; do
	# shellcheck disable=SC2086
	run 0 top cpu --table "$table" --format csv $cpus
	head -1 "$dir/out" | tr , ' ' >"$dir/got"
	"$m" top cpu --table '?' --format csv | awk -F, -v t="$table" '$1 == t { print $3 }' >"$dir/wanted"
	same "columns of $table" "$dir/got" "$dir/wanted"
done <"$dir/tables"
run 2 top cpu --table foo x
run 2 top foo --table '?'
finish
