#!/usr/bin/env bash
# An event long before all others: figures are of the time that has events, on one host and on several, and a warning and
# the commands say from when on.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=2000
command -v jq >/dev/null || {
	echo "skipped: there is no jq"
	exit 77
}

# works HOST MS: half a second of it, 10 ms at a time
works() {
	cat <<-SCN
		repeat 50 every 10ms from 68400s {
			0us $1 0 sched_waking comm="app" tid=10 prio=20 target_cpu=0
			0us $1 0 sched_switch prev_comm="swapper/0" prev_tid=0 prev_state=0 next_comm="app" next_tid=10
			$2ms $1 0 sched_switch prev_comm="app" prev_tid=10 prev_state=1 next_comm="swapper/0" next_tid=0
		}
	SCN
}
stray() { echo "0s $1 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"swapper/0\" next_tid=0"; }
# made NAME: the scenario on stdin
made() { { echo 'epoch 1700000000s' && cat; } >"$dir/$1.scn" && "$ctfgen" -o "$dir/$1" "$dir/$1.scn" >/dev/null; }
# busy NAME: each host's
busy() { "$m" summary -q --json "$dir/$1" 2>/dev/null | jq -c '[.tables[] | select(.id == "hosts").rows[] | [.host, (.cpu_percent | round)]]'; }
# next NAME: what the first finding's command says of the time
next() { "$m" summary -q --json "$dir/$1" 2>/dev/null | jq -r '[.tables[].rows[].next?] | map(select(.)) | .[0]' | grep -oE -- '--begin [0-9]+'; }

{ echo 'host a' && stray a && works a 5; } | made one
equal "one host" "$(busy one)" '[["a",51]]'
equal "its command" "$(next one)" '--begin 1700068400000000000'
{ echo 'host a' && echo 'host b { ahead 5s }' && stray a && works a 5 && works b 9; } | made two
equal "one of two hosts" "$(busy two)" '[["a",51],["b",90]]'
equal "its command" "$(next two)" '--begin 1700068400000000000'
run 0 summary "$dir/two"
text "$dir/err" 'host a: no event was recorded for 19h 00min after the first event'
{ echo 'host a' && echo 'host b' && stray a && stray b && works a 5 && works b 9; } | made both
equal "both hosts" "$(busy both)" '[["a",51],["b",90]]'
# The other host was recorded in the hole: then it counts.
{ echo 'host a' && echo 'host b' && stray a && works a 5 && works b 9 | sed 's/68400s/40000s/'; } | made between
equal "from the other host's begin" "$(next between)" '--begin 1700040000000000000'
# What is asked for is not changed.
equal "a begin that was given" "$("$m" summary -q --json --begin +0s "$dir/two" | jq -c '[.tables[] | select(.id == "hosts").rows[].cpu_percent | round]')" '[0,90]'
finish
