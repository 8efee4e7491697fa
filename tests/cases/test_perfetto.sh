#!/usr/bin/env bash
# meridian requests --format perfetto on recordings of services: a slice for each request and side, its parts in it, slices
# of one thread within each other or apart, arrows with both ends in slices.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
if ! command -v jq >/dev/null; then
	echo "skipped: jq is not there"
	exit 77
fi

# What is looked at: times as integers of ns, and of the arguments the request.
events='def ns: if . then . * 1000 | round else . end;
	[.traceEvents[] | {ph, name, cat, pid, tid, id, ts: .ts | ns, dur: .dur | ns, r: .args.id, parent: .args.parent}]'
# Of the list, what is compared: jq takes long to read the rest each time.
asked='[requests[] | .id as $r | {id, parent, begin, latency_ns, client_host, server_host, read, answered, parts: [.parts[] | select(.request == $r) | {request, cause, ns}]}]'
# "REQUEST PART NS" to a line for each request and part
sums() { awk '{ n[$1 " " $2] += $3 } END { for (k in n) printf "%s %.0f\n", k, n[k] }' | sort; }
# perfetto_is NAME TRACE...
perfetto_is() {
	local name=$1
	shift
	run 0 requests --format perfetto "$@"
	cp "$dir/out" "$dir/perfetto"
	run 0 requests --list -n 0 --json "$@"
	jq -c "$asked" "$dir/out" >"$dir/list"
	jq -c "$events" "$dir/perfetto" >"$dir/events"
	equal "$name: a slice for each request and side" \
		"$(jq '[.[] | select(.ph == "X" and .cat != "part")] | length' "$dir/events")" "$(jq '[.[] |
		(select(.client_host), select(.server_host and .read and .answered))] | length' "$dir/list")"
	equal "$name: begins" "$(jq '.otherData.begin | tonumber / 1e3 | floor' "$dir/perfetto")" \
		"$(jq '[.[].begin] | min / 1e3 | floor' "$dir/list")"
	equal "$name: latency" "$(jq -c '[.[] | select(.cat == "client") | [.r, .dur]] | sort' "$dir/events")" \
		"$(jq -c '[.[] | select(.client_host) | [.id, .latency_ns]] | sort' "$dir/list")"
	# A slice that is open when another one of its thread begins ends no earlier.
	equal "$name: within each other or apart" "$(jq '[.[] | select(.ph == "X")] | group_by(.tid) | map(sort_by(.ts, -.dur) |
		reduce .[] as $e ({open: [], n: 0}; (.open |= until(length == 0 or .[-1] > $e.ts; .[:-1])) |
			if .open != [] and .open[-1] < $e.ts + $e.dur then .n += 1 else . end | .open += [$e.ts + $e.dur]) | .n) | add' \
		"$dir/events")" 0
	# Each part is right after the slice that it is in, and within it.
	equal "$name: parts in their slice" "$(jq 'reduce (.[] | select(.ph == "X")) as $e ({n: 0};
		if $e.cat != "part" then .in = $e
		elif $e.tid != .in.tid or $e.ts < .in.ts or $e.ts + $e.dur > .in.ts + .in.dur then .n += 1 else . end) | .n' "$dir/events")" 0
	# Cut at the server's ends, but all of the time of each request that it did not spend below.
	jq -r 'foreach (.[] | select(.ph == "X")) as $e (null; if $e.cat != "part" then $e.r else . end;
		select($e.cat == "part") + " \($e.name) \($e.dur)")' "$dir/events" | sums >"$dir/got"
	jq -r '.[] | .id as $r | .parts[] | select(.request == $r) | "\($r) \(.cause) \(.ns)"' "$dir/list" |
		sums >"$dir/wanted"
	same "$name: sums of parts" "$dir/got" "$dir/wanted"
	if [ -s "$dir/got" ]; then ok; else fail "$name: no part"; fi
	equal "$name: a thread is of one process" "$(jq '[.[] | [.tid, .pid]] | unique | group_by(.[0]) | map(length) | max' "$dir/events")" 1
	equal "$name: each has its name" "$(jq '[.[] | select(.ph == "X") | .tid] | unique' "$dir/events")" \
		"$(jq '[.[] | select(.name == "thread_name") | .tid] | unique' "$dir/events")"
	# Arrows: both ends, not back in time, each in a slice of its thread.
	equal "$name: arrows have two ends" "$(jq '[.[] | select(.cat == "flow")] | group_by(.id) |
		map(select(map(.ph) != ["s", "f"] or .[0].ts > .[1].ts)) | length' "$dir/events")" 0
	equal "$name: in slices" "$(jq '[.[] | select(.ph != "M" and .cat != "part")] | group_by(.tid) | map(sort_by(.ts, .dur == null) |
		reduce .[] as $e ({n: 0}; if $e.dur then .end = $e.ts + $e.dur elif .end == null or .end <= $e.ts then .n += 1 else . end) | .n) |
		add' "$dir/events")" 0
	equal "$name: from client to server" "$(jq '[.[] | select(.ph == "s" and .name == "request")] | length' "$dir/events")" \
		"$(jq '[.[] | select(.cat == "client" or .cat == "server") | {r, cat, dur}] | group_by(.r) |
		map(select(length == 2 and all(.[]; .cat == "client" or .dur > 0))) | length' "$dir/events")"
}

# A part of it: jq takes long.
part=(--begin +2s --end +4s)
perfetto_is web-load "${part[@]}" $lab/web-load/{client,web,db}
equal "from parent to child" "$(jq '[.[] | select(.ph == "s" and .name == "child")] | length' "$dir/events")" \
	"$(jq '(map({key: .id, value: 1}) | from_entries) as $is | [.[] | select(.parent and $is[.parent])] | length' "$dir/list")"
# What was selected; with --tree, all below it.
t=("${part[@]}" $lab/web-load/{client,web,db})
run 0 requests --format perfetto -j 1 "${t[@]}"
same "-j 1" "$dir/out" "$dir/perfetto"
run 0 requests --format perfetto --kind 'load -> *' -n 5 "${t[@]}"
equal "selected" "$(jq -c "$events | [.[] | select(.ph == \"X\" and .cat != \"part\")] | [length, (map(.r) | unique | length)]" "$dir/out")" "[10,5]"
run 0 requests --format perfetto --tree -n 5 "${t[@]}"
equal "with those below" "$(jq "$events | [.[] | select(.cat == \"client\")] | length > 20 and (map(select(.parent | not)) | length == 5)" "$dir/out")" true
run 0 requests --format perfetto --from 'no?such' "${t[@]}"
equal "nothing" "$(jq -c .traceEvents "$dir/out")" '[]'
run 2 requests --format perfetto --explain "${t[@]}"
# The server alone, an event loop, windows.
perfetto_is server "${part[@]}" $lab/web-load/web
perfetto_is shop-node $lab/shop-node/{client,web,db}
perfetto_is h2-mux $lab/h2-mux/{client,web,db}
finish
