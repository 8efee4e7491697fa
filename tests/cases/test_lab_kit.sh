#!/usr/bin/env bash
# What `meridian record` recorded in the lab, and what is known of it: a page from a slow disk over three
# hosts, and meridian-work, whose own statement of what it did is compared with what is found in the traces.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
cd "$SRC" || exit 1
export XDG_CACHE_HOME=$dir/cache

# --- Both recordings are sound: three hosts, nothing lost, clocks aligned ---
for name in page-cold rpc-relay; do
	t=demo/$name
	run 0 check --strict "$t"
	run 0 sync --json "$t"
	equal "$name: hosts with aligned clocks" "$(jq '[table("hosts")[] | select(.quality != "unaligned")] | length' "$dir/out")" 3
	equal "$name: complete, nothing discarded" \
		"$(jq -c '[.complete, ([.hosts[].discarded_events] | add), .exit_status]' $t/manifest.json)" '[true,0,0]'
done

# --- The first fetch is mostly the store's disk, the second is not ---
# disk NTH: per cent of the time of the path of the NTH wget that was the cause disk
disk() {
	"$m" path -q --json --host client,web,store --comm wget --nth "$1" demo/page-cold >"$dir/path" 2>"$dir/err"
	jq '(([table("by_cause")[] | select(.cause == "disk") | .total_ns] + [0])[0] * 100 / table("path")[0].total_ns) | round' "$dir/path"
}
cold=$(disk 2) # the first is the shell that became the second wget
[ "$cold" -ge 50 ] && ok || fail "page-cold: $cold % of the first fetch were disk"
equal "page-cold: its path visits all three hosts" "$(jq -r '[table("by_host")[].host] | sort | join(" ")' "$dir/path")" "client store web"
equal "page-cold: most of it is of nginx on store" "$(jq -r 'table("by_task") | max_by(.total_ns) | "\(.comm) \(.host)"' "$dir/path")" "nginx store"
# By requests: the cold one waits for the disk, the hot one does not.
run 0 requests --list --json -n 0 demo/page-cold
jq '[requests[] | select(.kind | startswith("wget -> web")) |
	{begin, disk: ([.parts[] | select(.cause == "disk" and .host == "store") | .ns] | add // 0), latency_ns}] | sort_by(.begin)' "$dir/out" >"$dir/fetches"
equal "page-cold: two fetches" "$(jq length "$dir/fetches")" 2
equal "page-cold: disk in the first, none in the second" \
	"$(jq -c '[.[0].disk > .[0].latency_ns / 2, .[1].disk < 1000000]' "$dir/fetches")" '[true,true]'

# --- What meridian-work states is what is found ---
t=demo/rpc-relay
run 0 requests --list --json -n 0 $t
jq '[requests[] | select(.kind | startswith("rpc-client -> web"))] | sort_by(.begin) | to_entries | map(.value + {n: (.key + 1)})' \
	"$dir/out" >"$dir/calls"
jq '[requests[] | select(.kind | startswith("rpc-server -> store"))] | sort_by(.begin)' "$dir/out" >"$dir/relays"
truth() { # FILE STEP: [{id, took, cpu}]
	jq -cs --arg s "$2" '[.[] | select(.type == "step" and .step == $s) | {id, took: (.end_ns - .begin_ns), cpu: .cpu_ns, by_tid}]' \
		"$t/$1.jsonl"
}
holds() { # WHAT FILTER: of $calls, $relays and what the programs state
	if jq -en --slurpfile calls "$dir/calls" --slurpfile relays "$dir/relays" --argjson call "$(truth client call)" \
		--argjson serve "$(truth web serve)" --argjson hog "$(truth web hog)" --argjson sleep "$(truth web sleep)" \
		--argjson back "$(truth store hog)" --argjson back_serve "$(truth store serve)" \
		'($calls[0]) as $calls | ($relays[0]) as $relays |
		def parts($c; $host): [.parts[] | select(.cause == $c and .host == $host) | .ns] | add // 0;
		def near($a; $b; $percent; $ns): ($a - $b | fabs) <= $b * $percent / 100 + $ns; '"$2" >/dev/null 2>"$dir/err"; then
		ok
	else
		fail "rpc-relay: $1: $(head -2 "$dir/err")"
	fi
}
holds "nine calls, served by the thread that the client names" \
	'($calls | length) == 9 and all($calls[]; . as $r | $call[] | select(.id == $r.n) | .by_tid == $r.server_tid)'
# The first one begins with its connection, before the client wrote anything.
holds "a call takes longer than its service, and no longer than the client waited" \
	'all($calls[]; . as $r | ($serve[] | select(.id == $r.n) | .took) <= $r.latency_ns + 500000) and
	all($calls[] | select(.n > 1); . as $r | ($call[] | select(.id == $r.n) | .took) >= $r.latency_ns)'
holds "three calls slept on web, as long as that says" \
	'[$sleep[] | . as $s | $calls[] | select(.n == $s.id) | near(parts("timer"; "web"); $s.took; 2; 0)] == [true, true, true]'
holds "three calls computed on web, as much as that says" \
	'[$hog[] | . as $s | $calls[] | select(.n == $s.id) | near(parts("running"; "web"); $s.cpu; 5; 1000000)] == [true, true, true]'
holds "three calls had store compute, as much as that says" \
	'[$back[] | . as $s | $calls[] | select(.n == $s.id) | near(parts("running"; "store"); $s.cpu; 5; 1000000)] == [true, true, true]'
holds "the requests to store belong to these calls" \
	'[$relays[].parent] == [$calls[] | select(.n % 3 == 0) | .id]'
finish
