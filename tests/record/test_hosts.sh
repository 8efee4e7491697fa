#!/usr/bin/env bash
# Recording ten hosts: whatever fails wherever, and whenever somebody interrupts, no session is left on any
# host, and host and step are named.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/record/stub.sh"
cd "$dir/run" || exit 1

# All is well: sessions on all hosts, made before any starts, gone at the end; traces are here, and not there.
run 0 record -q --hosts $ten -o good -- true
equal "sessions" "$(sessions)" 0
equal "created" "$(grep -c 'lttng create' "$dir/log")" 10
equal "destroyed" "$(grep -c 'lttng destroy' "$dir/log")" 10
last_event=$(grep -n 'enable-event' "$dir/log" | tail -1 | cut -d: -f1)
first_start=$(grep -n 'lttng start' "$dir/log" | head -1 | cut -d: -f1)
((first_start > last_event)) && ok || fail "a host starts before others are ready"
equal "fetched" "$(find good -name stream | wc -l)" 10
equal "whole" "$(cat good/h3/kernel/stream)" "metadata of h3"
equal "left there" "$(find "$dir/hosts" -name stream | wc -l)" 0
equal "manifest" "$(jq -r '[.complete, (.hosts | length), .exit_status] | @csv' good/manifest.json)" 'true,10,0'
spread=$(jq .start_spread_ns good/manifest.json)
((spread > 0)) && ok || fail "no spread: $spread"
equal "rounds" "$(jq '[.hosts[] | select((.rounds | length) < 4)] | length' good/manifest.json)" 0
equal "beacons" "$(jq '[.hosts[].beacons_unanswered] | add' good/manifest.json)" 0
# The first host asks nobody: nothing is known of its packets, not that none was answered.
equal "who asks nobody" "$(jq -c '[.hosts[] | select(.beacons_answered == null) | .name]' good/manifest.json)" '["h0"]'
equal "nothing is noted" "$(find "$dir/state" -name '*.json' | wc -l)" 0
equal "no process" "$(pgrep -fc "$dir/bin" || true)" 0
# What --dry-run prints is what was done, but for the session's name and what the host does not have.
run 0 record --dry-run --for path
text "$dir/out" '^lttng enable-channel --kernel --num-subbuf 8 --subbuf-size 1024K meridian-kernel$'
equal "the same channels" "$(grep 'h0 lttng enable-channel' "$dir/log" | sed -E 's/^h0 //; s/ --session [^ ]+//')" \
	"$(grep enable-channel "$dir/out")"
# The command's exit status.
run 7 record -q --hosts h0,h1 -o seven -- sh -c 'exit 7'
run 3 record -q --hosts h0 -o none -- /nonexistent/command
text "$dir/err" '^meridian: error: /nonexistent/command: cannot run'
equal "sessions" "$(sessions)" 0

# Every step fails at every host.
for step in create enable-channel enable-event start stop destroy; do
	for host in 0 1 2 3 4 5 6 7 8 9; do
		every 7 || continue
		rm -rf x "$dir"/hosts/*/lttng-traces
		case $step in
		destroy) fail_at h$host "$step" once ;;
		*) fail_at h$host "$step" ;;
		esac
		"$m" record -q --hosts $ten -o x -- true >"$dir/out" 2>"$dir/err" </dev/null
		got=$?
		heal
		equal "$step at h$host: sessions" "$(sessions)" 0
		if [ $step = destroy ]; then
			equal "$step at h$host is tried again" $got 0
			continue
		fi
		equal "$step at h$host" $got 3
		text "$dir/err" "h$host: cannot .*the stub says no" "$step at h$host"
		if [ $step != stop ]; then
			equal "$step at h$host: left here" "$(ls)" "$(ls -d good none seven 2>/dev/null)"
			equal "$step at h$host: left there" "$(find "$dir/hosts" -name stream | wc -l)" 0
		fi
	done
done
for host in 0 4 9; do
	touch "$dir/fail.ssh.h$host"
	run 3 record -q --hosts $ten -o x -- true
	text "$dir/err" "h$host: cannot connect: .*Connection refused"
	heal
done
# One that cannot be undone is said, noted, and cleaned up later.
fail_at h4 destroy
run 3 record -q --hosts $ten -o stuck -- true
text "$dir/err" "h4: cannot remove the session"
text "$dir/err" "meridian record clean"
equal "one is left" "$(sessions)" 1
heal
run 0 record clean
equal "and then none" "$(sessions)" 0
run 0 record clean
text "$dir/out" "no recording was left over"

# Ctrl-C at many moments, also with slow hosts.
export STUB_SLOW=0.05
for ms in 50 200 400 600 800 1000 1300 1600 2000 2500; do
	rm -rf x
	"$m" record -q --hosts h0,h1,h2 -o x -- sleep 1 >"$dir/out" 2>"$dir/err" </dev/null &
	pid=$!
	sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
	kill -TERM $pid 2>/dev/null
	wait $pid
	got=$?
	case $got in 130 | 143 | 0 | 3) ok ;; *) fail "interrupted at $ms ms: exit $got: $(head -2 "$dir/err")" ;; esac
	equal "interrupted at $ms ms: sessions" "$(sessions)" 0
done

# kill -9: hosts end by themselves, or the next run offers to. Counted from the recording's note, as before it
# nothing was begun, and how long that takes depends on what else runs.
for ms in 0 100 1000; do
	rm -rf x
	"$m" record -q --hosts h0,h1,h2 -o x -- sleep 30 >/dev/null 2>&1 </dev/null &
	pid=$!
	for ((i = 0; i < 400; i++)); do
		[ -z "$(find "$dir/state" -name '*.json')" ] || break
		sleep 0.05
	done
	sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
	kill -9 $pid
	wait $pid 2>/dev/null
	run 0 record --hosts h5 -o y$ms -- true
	text "$dir/err" "was killed and may still be running: 'meridian record clean'"
	run 0 record clean
	equal "killed at $ms ms: sessions" "$(sessions)" 0
	equal "killed at $ms ms: folder of its connections" "$(find /tmp -maxdepth 1 -name "meridian-ssh-$pid-*" | wc -l)" 0
done
unset STUB_SLOW

# Names that are no hosts and no events go nowhere.
for bad in '-oProxyCommand=x' 'a;b' 'a b' '$(x)' 'a@' '@a'; do
	run 2 record --hosts "$bad" --dry-run
done
run 2 record --add 'x;y' --dry-run
run 2 record --hosts h1,h1 -- true
run 2 record --for nothing
run 2 record wget
text "$dir/err" 'put -- before a command'

# Traces that stay are fetched later, from where it ended.
run 0 record -q --hosts h1,h2 --keep-remote -o late -- true
equal "they stay" "$(find late -name stream | wc -l)" 0
mkdir -p late/h1/kernel && printf 'meta' >late/h1/kernel/stream
run 0 record -q fetch late
equal "resumed" "$(cat late/h1/kernel/stream)" "metadata of h1"
equal "the other" "$(cat late/h2/kernel/stream)" "metadata of h2"
run 0 record fetch late
text "$dir/out" "here already"
finish
