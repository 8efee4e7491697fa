#!/usr/bin/env bash
# What there is while traces are read for the first time: hosts and bytes at once, clocks when they are aligned, CPUs
# as far as they are read. And that what was read once is not read again: requests and the summary come from the store.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# busy_of_server, busy_of_program: "HOST NANOSECONDS", by host
busy_of_server() { jq -r '.hosts[] | "\(.host) \([.busy_ns[]] | add)"' "$dir/body" | sort; }
busy_of_program() {
	"$m" top cpu --bins 1 --json -q "$@" | jq -r '.tables[0].rows[] | select(.of == "host") | "\(.host) \(.busy_ns)"' | sort
}
for traces in demo/cold-disk demo/shop-a demo/lost-events; do
	rm -rf "$XDG_CACHE_HOME"
	serve "$traces"
	ask GET "${root}api/overview" ''
	equal "$traces: hosts at once" "$(jq -r '.hosts[].host' "$dir/body" | sort | tr '\n' ' ')" \
		"$("$m" info --json -q "$traces" | jq -r 'table("hosts")[].host' | sort | tr '\n' ' ')"
	check "$traces: bytes at once" jq -e 'all(.hosts[]; ([.bytes[]] | add) > 0)' "$dir/body"
	for _ in $(seq 300); do
		ask GET "${root}api/status" ''
		equal "status while it is read" "$status" 200
		ask GET "${root}api/overview" ''
		equal "overview while it is read" "$status" 200
		check "$traces: read from begin to end" jq -e \
			'all(.hosts[]; .busy_ns == null or ([.busy_ns[] | . != null] | . == (sort | reverse)))' "$dir/body"
		grep -q '"stage":"reading"' <<<"$(ask GET "${root}api/status" ''; cat "$dir/body")" || break
		sleep 0.05
	done
	ready
	check "$traces: begin and end" jq -e '.begin < .end' "$dir/body"
	ask GET "${root}api/overview" ''
	busy_of_server >"$dir/got"
	busy_of_program "$traces" >"$dir/wanted"
	same "$traces: how busy" "$dir/got" "$dir/wanted"
	jq -r '.hosts[] | "\(.host) \([.unknown_ns[]] | add)"' "$dir/body" | sort >"$dir/got"
	"$m" top cpu --bins 1 --json -q "$traces" | jq -r '.tables[0].rows[] | select(.of == "host") | "\(.host) \(.unknown_ns)"' | sort >"$dir/wanted"
	same "$traces: what is unknown" "$dir/got" "$dir/wanted"
	stop
	# The second time nothing is read, so nothing of CPUs is known yet.
	serve "$traces"
	ready
	ask GET "${root}api/overview" ''
	equal "$traces: from the cache" "$(jq -c '[.hosts[] | has("busy_ns")] | unique' "$dir/body")" "[false]"
	stop
done

# Answers of the store, made just now and opened again, are those of the traces.
for traces in demo/shop-a demo/rpc-relay demo/page-cold demo/cold-disk; do
	[ -d "$traces" ] || continue
	rm -rf "$XDG_CACHE_HOME"
	for words in "requests" "requests --explain" "summary --limit 0"; do
		# shellcheck disable=SC2086 # words
		"$m" $words --no-store --json -q "$traces" >"$dir/wanted.${words// /_}"
	done
	for time in first second; do
		serve "$traces"
		ready
		for words in "requests" "requests --explain" "summary --limit 0"; do
			ask GET "${root}api/run?w=$(sed 's/ /\&w=/g' <<<"$words")&w=--json" ''
			same "$words of $traces, the $time time" "$dir/body" "$dir/wanted.${words// /_}"
		done
		stop
		rm -f "$XDG_CACHE_HOME"/meridian/answer-*
	done
done

# Hosts one by one are seen before their clocks are aligned, as the program does: offsets that contradict each other within
# a host are reconciled.
serve "$lab/mpi-3vm"
ready
for verb in info check; do
	ask GET "${root}api/run?w=$verb&w=--json" ''
	"$m" "$verb" --json "$lab/mpi-3vm" >"$dir/wanted" 2>/dev/null
	same "$verb of hosts whose offsets contradict each other" "$dir/body" "$dir/wanted"
done
text "$dir/wanted" 'reconciled'
stop
finish
