#!/usr/bin/env bash
# Recording by ftrace and by perf, for real, on this host and on another that is a folder of it: every event that the
# kernel counted is in the trace; nothing is left, whatever ends it; what others record is not touched. As root, where
# there is a tracefs.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root can use ftrace" && exit 77; }
tracefs=
for place in /sys/kernel/tracing /sys/kernel/debug/tracing; do
	[ -n "$tracefs" ] || [ ! -d $place/instances ] || tracefs=$place
done
[ -n "$tracefs" ] || { echo "skipped: there is no tracefs" && exit 77; }
trial=$tracefs/instances/meridian-trial-$$
mkdir "$trial" 2>/dev/null && rmdir "$trial" || { echo "skipped: no instance of tracefs can be made" && exit 77; }
. "$SRC/tests/record/stub.sh"
cd "$dir/run" || exit 1
export COLUMNS=200

ours() { find $tracefs/instances -maxdepth 1 -name "meridian-$1*" | wc -l; }
others() { cat $tracefs/tracing_on $tracefs/set_event $tracefs/trace_clock; }
# number FILE KEY: the sum of this line of the statistics of all CPUs
number() { cat "$1"/cpu*.stats | sed -n "s/^$2: *//p" | awk '{ n += $1 } END { print n + 0 }'; }
events_of() { "$m" stats --by name --format csv "$1" 2>/dev/null | awk -F, 'NR > 1 && $0 !~ /_statedump_/ { n += $3 } END { print n + 0 }'; }
others >before
name=t$$

# All that the kernel has in its buffers and all that was read from them meanwhile is in the trace, and no more.
exec 7</dev/zero
run 0 record --backend ftrace -b 1Mx8 -o $name -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls / /proc >/dev/null; sleep 0.1; done'
exec 7<&-
host=$(jq -r '.hosts[0].name' $name/manifest.json)
raw=$name/$host/raw
equal "tracer" "$(jq -r '.hosts[0].tracer' $name/manifest.json)" ftrace
equal "events" "$(events_of $name)" $(($(number $raw entries) + $(number $raw 'read events')))
equal "lost" "$(jq '.hosts[0].discarded_events' $name/manifest.json)" \
	$(($(number $raw overrun) + $(number $raw 'commit overrun') + $(number $raw 'dropped events')))
(($(events_of $name) > 500)) && ok || fail "$(events_of $name) events"
equal "clock" "$(sed 's/.*\[\(.*\)\].*/\1/' $raw/trace_clock)" mono
equal "instances" "$(ours $name)" 0
others >after
same "what others record" before after
equal "probes" "$(grep -c ':mer/' $tracefs/dynamic_events)" 0
equal "nothing is noted" "$(find "$dir/state" -name '*.json' | wc -l)" 0
equal "nobody reads" "$(pgrep -fc "meridian-$name" || true)" 0
# Its host is known by the boot, and its times are those of the day.
run 0 info --format jsonl $name
text "$dir/out" "$(cat /proc/sys/kernel/random/boot_id)" "the boot"
year=$(date +%Y)
run 0 info $name
text "$dir/out" "from $year-" "the time of day"
# What is proposed answers.
for what in summary "path --comm sh" "sync"; do
	# shellcheck disable=SC2086 # words
	run 0 $what $name
done
# Kernels that leave out switches (of some containers' first tasks) are found out: nothing else may be wrong.
run "0|1" check $name
[ "$run_status" = 0 ] || text "$dir/out" 'not sound: [0-9,]+ gap'

# The recorder's own shells are not what is asked for as sh, but are found by their name.
run 0 path --list --comm sh --format csv $name
no_text "$dir/out" 'meridian-'
run 0 path --list --comm meridian-state --format csv $name
text "$dir/out" ',meridian-state,'

# What /proc had: of this process, and what it had open.
for when in before after; do
	proc=$name/$host/proc-$when
	equal "$when: name" "$(sed -n "s,^$$/task/$$/stat:$$ (\(.*\)) .*,\1,p" "$proc/tasks")" "$(cat /proc/$$/comm)"
	equal "$when: its state" "$(grep -c "^$$/task/$$/status:.*voluntary_ctxt_switches:" "$proc/tasks")" 2
	equal "$when: descriptor" "$(awk -v h="$$/fd:" '$0 == h { on = 1 } !NF { on = 0 } on && $9 == 7 { print $10, $11 }' "$proc/fds")" "-> /dev/zero"
	equal "$when: clock" "$(grep -cE '^(before|after) [0-9]{9,} [0-9]{19}$' "$proc/clock")" 2
	equal "$when: times" "$(awk -v p=$$ '$1 == p && $2 > 0 && $3 >= $2' "$proc/times" | wc -l)" 1
	for file in net/tcp net/unix net/dev partitions interrupts cpuinfo uptime sys/kernel/hostname; do
		[ -e "$proc/$file" ] && ok || fail "$when: no $file"
	done
	equal "$when: threads of the kernel have nothing open" "$(grep -c '^2/' "$proc/fds")" 0
done
# The first one was made while it was recorded: nothing is in doubt.
run 0 info -v $name
no_text "$dir/err" 'proc-before has'
no_text "$dir/err" 'makes* no sense'

# Another host: fetched and unpacked here, and gone there.
run 0 record -q --backend ftrace --hosts h1 -o far$$ -- sleep 0.5
[ -s far$$/h1/raw/header_page ] && ok || fail "nothing was fetched"
grep -q "^$$/task/$$/stat:" far$$/h1/proc-before/tasks && ok || fail "nothing of /proc"
equal "left there" "$(find "$dir/hosts" -type f | wc -l)" 0
equal "instances" "$(ours far$$)" 0
rounds=$(jq '.hosts[0].rounds | length' far$$/manifest.json)
((rounds >= 4)) && ok || fail "$rounds rounds"

# A host with neither perl nor python3 says by a shell what its clocks show.
if [ -r /proc/timer_list ]; then
	mono() { sed -n '/^now at/{s/[^0-9]//g;p;q;}' /proc/timer_list; }
	from=$(mono)
	printf 't 7\nn\nq\nt 8\n' | sh "$SRC/src/record/scripts/agent.sh" >answer
	equal "shell: ends when dismissed" $? 0
	upto=$(mono)
	equal "shell: answers" "$(cut -d' ' -f1,2 answer | xargs)" "t 7 n 0"
	read -r _ _ arrived wall left <<<"$(tr -d . <answer | head -1)"
	((from <= arrived && arrived <= left && left <= upto)) && ok || fail "shell: $from, $arrived, $left, $upto"
	[[ $wall =~ ^[0-9]{19}$ ]] && ok || fail "shell: time of day $wall"
	sh "$SRC/src/record/scripts/agent.sh" </dev/null
	equal "shell: left alone" $? 7
fi

# Only the last events, in memory.
run 0 record -q --backend ftrace --snapshot -b 4Kx2 -o snap$$ -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls / /proc >/dev/null; done'
(($(number snap$$/"$host"/raw overrun) > 0)) && ok || fail "snapshot: nothing was overwritten"
run 0 info --json snap$$
equal "snapshot: what was overwritten is not missed" "$(jq '[table("traces")[].lost_events] | add' "$dir/out")" 0
equal "snapshot: lost" "$(jq '.hosts[0].discarded_events' snap$$/manifest.json)" 0
(($(events_of snap$$) > 0)) && ok || fail "snapshot: no event"

# Interrupted: what was recorded is kept. Killed: the host ends it by itself.
for signal in TERM KILL; do
	"$m" record -q --backend ftrace -o end$signal$$ -- sh -c 'echo $$ >begun && exec sleep 60' >/dev/null 2>"$dir/err" </dev/null &
	pid=$!
	for ((i = 0; i < 400; i++)); do
		[ ! -s begun ] || break
		sleep 0.05
	done
	sleep 0.3
	kill -$signal $pid
	wait $pid 2>/dev/null
	kill "$(cat begun)" 2>/dev/null
	rm -f begun
	for ((i = 0; i < 400; i++)); do
		[ "$(ours end$signal$$)" != 0 ] || break
		sleep 0.05
	done
	equal "$signal: instances" "$(ours end$signal$$)" 0
	(($(events_of end$signal$$) > 0)) && ok || fail "$signal: no event is kept"
done
run 0 record clean
text "$dir/err" 'endKILL' "the one that was killed"

# With tools like busybox': dd cannot read without waiting, date has no nanoseconds, ls no -q.
mkdir old
tool() { printf '#!/bin/sh\ncase "$*" in %s) echo "invalid option" >&2 && exit 1 ;; esac\nexec %s "$@"\n' "$2" "$(command -v "$1")" >old/"$1" && chmod +x old/"$1"; }
tool dd '*iflag=*'
tool ls '-*q*'
printf '#!/bin/sh\nexec %s "$(echo "$@" | sed s/%%N//)"\n' "$(command -v date)" >old/date
chmod +x old/date
PATH=$PWD/old:$PATH run 0 record -q --backend ftrace -o old$$ -- sh -c 'ls / >/dev/null; sleep 0.3'
equal "other tools: events" "$(events_of old$$)" $(($(number old$$/"$host"/raw entries) + $(number old$$/"$host"/raw 'read events')))
(($(events_of old$$) > 500)) && ok || fail "other tools: $(events_of old$$) events"
grep -q "^$$/task/$$/fd:\|^$$/fd:" old$$/"$host"/proc-before/fds && ok || fail "other tools: no descriptors"
[ ! -e old$$/"$host"/proc-before/clock ] && ok || fail "other tools: a time of day that is not known"

# The disk becomes full: that is said, what was recorded before is kept, and nothing is left running.
mkdir small
if mount -t tmpfs -o size=300M small$$ small 2>/dev/null; then
	run "0|3" record --backend ftrace -o small/full$$ -- sh -c 'head -c 400M /dev/zero >small/fill 2>/dev/null
		for i in 1 2 3 4 5 6 7 8; do ls -lR /usr/lib >/dev/null 2>&1; sleep 0.2; done'
	text "$dir/err" 'its disk became full|MiB are free: the recording ends here'
	equal "full: instances" "$(ours full$$)" 0
	rm -f small/fill
	(($(events_of small/full$$) > 100)) && ok || fail "full: no event is kept"
	umount small
else
	echo "skipped: no small disk can be mounted here"
fi

# Two at once: each has its own events, and the first that ends leaves the other's alone.
"$m" record -q --backend ftrace -o first$$ -- sleep 2 2>first.err &
first=$!
sleep 0.5
run 0 record -q --backend ftrace -o second$$ -- true
wait $first
equal "two at once" $? 0
(($(events_of first$$) > $(events_of second$$))) && ok || fail "two at once: $(events_of first$$) and $(events_of second$$) events"
equal "two at once: instances" "$(ours first$$)$(ours second$$)" 00

# An instance that a killed recording left is mentioned, with what removes it.
mkdir $tracefs/instances/meridian-left$$
run 0 record doctor
text "$dir/out" "meridian-left$$"
rmdir $tracefs/instances/meridian-left$$
no_text "$dir/out" '^ *sudo '

# A host that cannot enable what is asked for: nothing is left.
printf 'channel kernel k 2 4K\nkernel a\nftrace no:such\n' >none.preset
run 3 record -q --backend ftrace --for ./none.preset -o none$$ -- true
text "$dir/err" 'none of the events is there'
equal "none: instances" "$(ours none$$)" 0
[ ! -e none$$ ] && ok || fail "a folder is left"

# The lines of --dry-run, as somebody types them.
run 0 record --backend ftrace --dry-run -o typed$$ -- ls /
cp "$dir/out" lines
sh -eu lines >/dev/null 2>"$dir/err" || fail "the lines: $(head -3 "$dir/err")"
(($(events_of "$HOME/meridian-traces/typed$$") > 0)) && ok || fail "the lines record nothing"
equal "the lines: instances" "$(ours typed$$)" 0

run 0 record doctor
text "$dir/out" 'ftrace: yes, in an instance of /sys'

if command -v perf >/dev/null && perf record -q -a -e sched:sched_switch -o trial -- true >/dev/null 2>&1; then
	run 0 record -q --backend perf -o perf$$ -- sh -c 'ls / >/dev/null'
	equal "perf" "$(jq -r '.hosts[0].tracer' perf$$/manifest.json)" perf
	(($(events_of perf$$) > 0)) && ok || fail "perf: no event"
	grep -q "^$$/task/$$/stat:" perf$$/"$host"/proc-after/tasks && ok || fail "perf: nothing of /proc"
	run 0 summary perf$$
	# One that was ended by somebody else: what it has is kept, and that it is not all.
	run 3 record -q --backend perf -o ended$$ -- sh -c "sleep 1; pkill -INT -f '[e]nded$$/.*/perf.data'; for i in 1 2 3 4 5 6 7 8 9; do pgrep -f '[e]nded$$/.*/perf.data' >/dev/null || break; sleep 1; done"
	text "$dir/err" 'cannot stop recording: perf has ended by itself'
	(($(events_of ended$$) > 0)) && ok || fail "ended perf: no event"
	run 0 record -q --backend perf --hosts h2,localhost -o two$$ -- sleep 0.5
	[ -s two$$/h2/perf.data ] && ok || fail "perf: nothing was fetched"
else
	echo "skipped: perf cannot record here"
fi
finish
