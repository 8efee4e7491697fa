#!/usr/bin/env bash
# The other ways to record, for real: a snapshot, parts, live, again with larger buffers, costs; Ctrl-C at a terminal;
# and a recording in which nothing happened. By somebody without privileges, of events of meridian-work.
. "$SRC/tests/record/nobody.sh"
cd "$dir" || exit 1
record() { # record NAME OPTION... -- COMMAND
	local name=$1
	shift
	"${as[@]}" timeout 100 "$MERIDIAN" record --user meridian_work -o "$name" "$@" >out 2>err </dev/null
}
count() { # events of a trace
	"$MERIDIAN" events --format jsonl --sync none "$1" 2>/dev/null | grep -c '"meridian_work:step_end"'
}
pulse=("$WORK" -o truth.jsonl --ust pulse --hertz 200 --count 200)

record snap --snapshot -- "${pulse[@]}"
check "snapshot" $? 0
check "snapshot: events" "$(count snap)" 200
check "snapshot: mode" "$(jq -r .mode snap/manifest.json)" snapshot

record parts --rotate 200ms -- "${pulse[@]}"
check "parts" $? 0
check "parts: events of all" "$(count parts)" 200
holds "more than one part" test "$(find parts -name metadata | wc -l)" -gt 1

# Two buffers of a page lose events when nobody empties them, as here at the first try; the second has larger ones.
cat >hold <<'END'
#!/bin/sh
"$@" &
if [ ! -e held ]; then
	while [ ! -e truth.jsonl ]; do sleep 0.05; done
	pkill -STOP -f "^lttng-consumerd .*$PWD/"
	>held
fi
wait $!
status=$?
pkill -CONT -f "^lttng-consumerd .*$PWD/"
exit $status
END
chmod 755 hold
rm -f truth.jsonl
record grown --grow -b 4Kx2 -- ./hold "$WORK" -o truth.jsonl --ust pulse --hertz 2000 --count 8000
check "grown" $? 0
holds "grown: it was tried again" grep -q 'once more with buffers of four times the size' err
check "grown: one recording is left" "$(find grown -name metadata | wc -l)" 1
holds "grown: what was lost is said" test "$(jq '.hosts[0].discarded_events' grown/manifest.json)" -ge 0

"${as[@]}" lttng-relayd --daemonize >/dev/null 2>&1
relay=$(pgrep -n -x lttng-relayd)
# listens PORT: does somebody?
listens() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
for port in 5342 5343 5344; do
	for ((i = 0; i < 200; i++)); do
		if [ -z "$relay" ] || listens $port; then break; fi
		sleep 0.1
	done
done
if listens 5342; then
	record live --live -- "${pulse[@]}"
	check "live" $? 0
	check "live: events" "$(count live)" 200
else
	echo "skipped: no lttng-relayd listens"
fi

# Nothing happened: that is said, and nothing is proposed for it.
record empty -- sleep 0.3
check "empty" $? 0
holds "empty: said" grep -q 'no event was recorded' err
check "empty: nothing has a size" "$(grep -cE '[KM]iB|could not be checked' err)" 0
check "empty: proposed" "$(grep -c '^Next:' err)" 0

"${as[@]}" timeout 200 "$MERIDIAN" record --measure --user meridian_work -- "$WORK" -o truth.jsonl --ust pulse --hertz 500 --count 50 >out 2>err </dev/null
check "costs" $? 0
check "costs: events of a run" "$(awk '$1 == "user" { print (NF > 8) }' out)" 1
check "costs: nothing is left" "$(find . -maxdepth 1 -name 'meridian-measure*' | wc -l)" 0
"${as[@]}" timeout 100 "$MERIDIAN" record --measure --user meridian_work -- false >out 2>err </dev/null
check "costs of what fails" $? 3
holds "costs of what fails: why" grep -q 'only runs that succeed' err

# Ctrl-C as a terminal sends it, to the whole group: the command gets it, too, and what was recorded is kept.
if command -v script >/dev/null; then
	mkfifo keys
	chmod 666 keys
	"${as[@]}" script -qefc "'$MERIDIAN' record --user meridian_work -o pty -- '$WORK' -o truth.jsonl --ust pulse --hertz 200 --count 100000" /dev/null <keys >terminal 2>&1 &
	pid=$!
	exec 8>keys
	for ((i = 0; i < 200; i++)); do
		[ "$(sessions)" = 0 ] || break
		sleep 0.1
	done
	sleep 1
	printf '\003' >&8
	wait $pid
	# meridian-work ends in order, and its status is passed on.
	check "Ctrl-C: exit status" $? 0
	exec 8>&-
	holds "Ctrl-C: events" test "$(count pty)" -gt 0
	check "Ctrl-C: whole" "$(jq -r .complete pty/manifest.json)" true
fi
check "sessions" "$(sessions)" 0
check "notes of recordings" "$(find state -name '*.json' 2>/dev/null | wc -l)" 0
finish
