#!/usr/bin/env bash
# meridian requests --format otlp on recordings of services: a span for each request and side, each below its parent in
# the same trace and within it, waits as events; and OpenTelemetry's own package reads all of it.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
reader=$BUILD/otlp

# Without it the rest is tested.
packages cases/otlp "$reader" "OpenTelemetry's package" && is_read=1

# A span a line: id, parent, trace, begin, end, kind, messages, host; and those of the list.
spans='[.resourceSpans[] | (.resource.attributes | map({key, value: .value.stringValue}) | from_entries) as $r
	| .scopeSpans[].spans[] | . + {host: $r["host.name"], program: $r["service.name"],
		request: (.attributes | map(select(.key == "meridian.request"))[0].value.stringValue)}]'
# otlp_is NAME TRACE...
otlp_is() {
	local name=$1
	shift
	run 0 requests --format otlp "$@"
	cp "$dir/out" "$dir/otlp"
	run 0 requests --list -n 0 --json "$@"
	cp "$dir/out" "$dir/list"
	jq -c "$spans" "$dir/otlp" >"$dir/spans"
	equal "$name: a span for each request and side" "$(jq length "$dir/spans")" "$(jq '[requests[] |
		(select(.client_host), select(.server_host and .read and .answered))] | length' "$dir/list")"
	equal "$name: each id once" "$(jq 'map(.spanId) | length - (unique | length)' "$dir/spans")" 0
	equal "$name: each parent is there, in the same trace" "$(jq '(map({key: .spanId, value: .traceId}) | from_entries) as $trace
		| map(select(.parentSpanId and $trace[.parentSpanId] != .traceId)) | length' "$dir/spans")" 0
	equal "$name: a trace for each request without parent" "$(jq 'map(.traceId) | unique | length' "$dir/spans")" \
		"$(jq '[requests[] | select(.parent == null)] | length' "$dir/list")"
	equal "$name: one span of each trace has no parent" "$(jq '(map(select(.parentSpanId | not)) | length) == (map(.traceId) | unique | length)' "$dir/spans")" true
	# Numbers of jq are off by less than 1 us. HTTP/2: what a server does goes on after the answer.
	[ "$name" = h2-mux ] ||
		equal "$name: within the parent" "$(jq '(map({key: .spanId, value: .}) | from_entries) as $all | map(select(.parentSpanId)
			| $all[.parentSpanId] as $p | select((.startTimeUnixNano | tonumber) < ($p.startTimeUnixNano | tonumber) - 1e3 or
				(.endTimeUnixNano | tonumber) > ($p.endTimeUnixNano | tonumber) + 1e3)) | length' "$dir/spans")" 0
	# The waits are the parts of that length.
	jq -c '[.[] | .request as $r | .events[]? | [$r, .name, (.attributes[0].value.intValue | tonumber)]] | sort[]' "$dir/spans" >"$dir/got"
	jq -c '[requests[] | .id as $r | .parts[] | select(.ns > 1000000 and .request == $r and
		.cause != "running" and .cause != "interrupted") | [$r, .cause, .ns]] | sort[]' "$dir/list" >"$dir/wanted"
	same "$name: waits" "$dir/got" "$dir/wanted"
	if [ -s "$dir/got" ]; then ok; else fail "$name: no wait"; fi
	run 0 requests --format otlp -j 1 "$@"
	same "$name: -j 1" "$dir/out" "$dir/otlp"
	[ -n "${is_read-}" ] || return
	equal "$name: OpenTelemetry's package reads it" "$(cd "$reader" && node read.js "$dir/otlp" 2>&1 | head -20)" "$(jq length "$dir/spans")"
}

otlp_is web-load $lab/web-load/{client,web,db}
# What was selected; with --tree, all below it.
t=($lab/web-load/{client,web,db})
run 0 requests --format otlp --kind 'load -> *' -n 5 "${t[@]}"
equal "selected" "$(jq "$spans | [length, (map(.request) | unique | length), (map(.traceId) | unique | length)] | join(\" \")" "$dir/out")" '"10 5 5"'
run 0 requests --format otlp --tree -n 5 "${t[@]}"
equal "with those below" "$(jq "$spans | (map(.traceId) | unique | length) == 5 and length > 40" "$dir/out")" true
run 0 requests --format otlp --from 'no?such' "${t[@]}"
equal "nothing" "$(cat "$dir/out")" '{"resourceSpans":[]}'
run 2 requests --format otlp --explain "${t[@]}"
# The server alone, the requester alone.
otlp_is server $lab/web-load/web
otlp_is requester $lab/web-load/client

for name in shop-a h2-mux; do
	t=$lab/$name
	there "$t" && otlp_is "$name" "$t"/{client,web,db}
done
finish
