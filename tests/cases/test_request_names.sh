#!/usr/bin/env bash
# meridian requests --names on recordings of services whose nginx logged each request: each gets its own name, and none
# another one's, whatever is done to the log. The client's log says which request is which: the k-th on a connection.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

logs=$lab/shop-logs # of the programs

format='$msec pid $pid conn $connection nth $connection_requests port $remote_port uri $request_uri status $status rt $request_time'
tail=' uct $upstream_connect_time uht $upstream_header_time urt $upstream_response_time'

# Each request has a name of its own: /fast?t=1&n=5 becomes /fast/t1n5.
own_names() {
	sed -E 's/\?t=([0-9]+)&n=([0-9]+)[^ ]*/\/t\1n\2/' "$logs/$(basename "$1")/nginx.log"
}
# shifted SECONDS <log
shifted() {
	awk -v by="$1" '{ $1 = sprintf("%.3f", $1 + by) } 1'
}
# named RECORDING LOG FORMAT OPTION...: prints "right wrong without elsewhere"; the notes are in $dir/err
named() {
	local t=$1 log=$2 format=$3
	shift 3
	run 0 requests --list -n 0 --format csv --names "$log" --log-format "$format" "$@" "$t/client" "$t/web" "$t/db"
	awk '$1 == "req" { print $25, $15, "/" $9 "/t" $3 "n" $5 }' "$logs/$(basename "$t")"/{client,warmup}.log | sort -k1,1n -k2,2n >"$dir/sorted"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["server_port"] == 80 { print $c["client_port"], $c["begin"], $c["name"] ? $c["name"] : "-"; next }
		$c["name"] { elsewhere++ } END { print "x", elsewhere + 0 }' "$dir/out" >"$dir/got"
	grep -v '^x' "$dir/got" | sort -k1,1n -k2,2n | paste -d' ' - "$dir/sorted" | awk -v elsewhere="$(awk '$1 == "x" { print $2 }' "$dir/got")" '
		$1 != $4 { bad++ } $3 == "-" { none++; next } $3 == $6 { right++; next } { wrong++ }
		END { print right + 0, wrong + bad + 0, none + 0, elsewhere }'
}

for name in shop-a:824 shop-node:407; do
	t=$lab/${name%:*} n=${name#*:}
	own_names "$t" >"$dir/log"
	equal "$name: all" "$(named "$t" "$dir/log" "$format$tail")" "$n 0 0 0"
	gzip -kf "$dir/log"
	equal "$name: compressed" "$(named "$t" "$dir/log.gz" "$format$tail")" "$n 0 0 0"
	# Lines in another order, some of them twice, and some gone.
	awk 'NR % 7 { print } NR % 5 == 0 { print }' "$dir/log" | sort -k8,8 >"$dir/some"
	kept=$(sort -u "$dir/some" | wc -l)
	equal "$name: some" "$(named "$t" "$dir/some" "$format$tail")" "$kept 0 $((n - kept)) 0"
	# Clocks that are off: found, and corrected.
	for by in 0.1 -0.1 1 -3600; do
		shifted "$by" <"$dir/log" >"$dir/moved"
		equal "$name: by $by" "$(named "$t" "$dir/moved" "$format$tail")" "$n 0 0 0"
	done
	shifted 300000 <"$dir/log" >"$dir/moved"
	equal "$name: of another day" "$(named "$t" "$dir/moved" "$format$tail")" "0 0 $n 0"
	# The clock was set in the middle; five lines are too few to know.
	{ head -200 "$dir/log"; tail -n +201 "$dir/log" | shifted 0.1; } >"$dir/moved"
	equal "$name: set" "$(named "$t" "$dir/moved" "$format$tail" | cut -d' ' -f2,4)" "0 0"
	sed -n 200,204p "$dir/log" | shifted 0.1 >"$dir/moved"
	equal "$name: five lines" "$(named "$t" "$dir/moved" "$format$tail")" "0 0 $n 0"
	# Without the client's port, what is near to one request only; and which service must be said.
	awk '{ print $1, $11, $13, $15 }' FS=' ' "$dir/log" >"$dir/plain"
	named "$t" "$dir/plain" '$msec $request_uri $status $request_time' --names-to nginx >"$dir/result"
	equal "$name: without ports" "$(cut -d' ' -f2,4 "$dir/result")" "0 0"
	[ "$(cut -d' ' -f1 "$dir/result")" -gt $((n / 4)) ] || fail "$name: without ports $(cat "$dir/result")"
	equal "$name: of two services" "$(named "$t" "$dir/plain" '$msec $request_uri $status $request_time')" "0 0 $n 0"
	shifted 0.1 <"$dir/plain" >"$dir/moved"
	equal "$name: without ports, by 0.1" \
		"$(named "$t" "$dir/moved" '$msec $request_uri $status $request_time' --names-to nginx | cut -d' ' -f2,4)" "0 0"
done

t=$lab/shop-a
rm -f "$dir/log.gz"
# Kinds by name: as many as the client's log has of each.
cp "$logs/shop-a/nginx.log" "$dir/log"
run 0 requests --names "$dir/log" --log-format "$format$tail" --group-by name --json "$t/client" "$t/web" "$t/db"
equal "by name" "$(jq -r '[table("kinds")[] | "\(.kind) \(.count)"] | sort | join(",")' "$dir/out")" \
	"$(cat "$logs"/shop-a/{client,warmup}.log | awk '$1 == "req" { n["/" $9]++ } END { for (x in n) print x, n[x] }' | sort | paste -sd,)"
run 0 requests --names "$dir/log" --log-format "$format$tail" --group-by status --json "$t/client" "$t/web" "$t/db"
equal "by status" "$(jq -r '[table("kinds")[] | "\(.kind) \(.count)"] | join(",")' "$dir/out")" "200 824"
run 0 requests --names "$dir/log" --log-format "$format$tail" --name '/l*' --list -n 0 --json "$t/client" "$t/web" "$t/db"
equal "of one name" "$(jq -r '[table("requests")[] | .name + " " + .status] | unique | join(",")' "$dir/out")" "/lock 200"

# Spans of the application, with the clock of their host or 100 ms off: below the right request, or refused.
# Times of the trace's clock become those of the wall clock. ns since 1970 have more digits than a number of awk.
read -r mono real < <(awk -F, '$2 == "web" { print $6, $7; exit }' "$t/clock.csv")
awk -v mono="$mono" -v seconds="${real:0:10}" -v ns="${real:10}" '
	function at(t,  all) { all = ns + t - mono; return sprintf("%d%09d", seconds + int(all / 1e9), all % 1e9) }
	BEGIN { printf "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}}]},\"scopeSpans\":[{\"spans\":[" }
	{ for (i = 1; i <= NF; i++) v[$i] = $(i + 1); for (i = 1; i <= NF; i++) if ($i == "resp") done = $(i + 2)
		printf "%s{\"traceId\":\"%016x%016x\",\"spanId\":\"%08x%08x\",\"name\":\"/%s/t%dn%d\",\"kind\":2,\"startTimeUnixNano\":\"%s\",\"endTimeUnixNano\":\"%s\",\"attributes\":[{\"key\":\"client.port\",\"value\":{\"intValue\":\"%d\"}}]}",
			(NR > 1 ? "," : ""), v["t"] + 1, v["n"] + 1, v["t"] + 1, v["n"] + 1, v["ep"], v["t"], v["n"], at(v["recv"]), at(done), v["peer"] }
	END { print "]}]}]}" }' "$logs/shop-a/app.log" >"$dir/spans.json"
own_names "$t" >"$dir/log"
run 0 requests --list -n 0 --json --names "$dir/log" --log-format "$format$tail" "$t/client" "$t/web" "$t/db"
jq '[table("requests")[] | select(.name) | {key: .id, value: .name}] | from_entries' "$dir/out" >"$dir/names"
for by in 0 100 -100; do
	jq -c --argjson by "$by" 'def moved: ((.[:13] | tonumber) + $by | tostring) + .[13:];
		.resourceSpans[].scopeSpans[].spans |= map(.startTimeUnixNano |= moved | .endTimeUnixNano |= moved)' \
		"$dir/spans.json" >"$dir/moved.json"
	run 0 requests --list -n 0 --json --names "$dir/moved.json" "$t/client" "$t/web" "$t/db"
	jq -r --slurpfile names "$dir/names" '[table("requests")[] | select(.server_port == 8000)] |
		"\(map(select(.name and .name == $names[0][.parent])) | length) \(map(select(.name and .name != $names[0][.parent])) | length)"' \
		"$dir/out" >"$dir/result"
	equal "spans by $by ms: wrong" "$(cut -d' ' -f2 "$dir/result")" 0
	[ "$(cut -d' ' -f1 "$dir/result")" -ge 640 ] || fail "spans by $by ms: $(cat "$dir/result")"
	[ "$by" = 0 ] || text "$dir/err" "clock of shop is about [0-9.]+ ms (ahead of|behind) that of web" "spans by $by ms"
done
# What is exported is below the spans, in their traces.
run 0 requests --format otlp --names "$dir/spans.json" "$t/client" "$t/web" "$t/db"
spans='[.resourceSpans[].scopeSpans[].spans[]]'
equal "below spans" "$(jq --slurpfile given "$dir/spans.json" "($spans | map({key: .spanId, value: .traceId}) | from_entries) as \$ours
	| (\$given[0] | $spans | map({key: .spanId, value: .traceId}) | from_entries) as \$theirs
	| [$spans[] | select(.parentSpanId)] | map(select((\$ours[.parentSpanId] // \$theirs[.parentSpanId]) != .traceId)) | length" "$dir/out")" 0
[ "$(jq --slurpfile given "$dir/spans.json" "(\$given[0] | $spans | map({key: .spanId, value: 1}) | from_entries) as \$theirs
	| [$spans[] | select(.parentSpanId and \$theirs[.parentSpanId])] | length" "$dir/out")" -ge 640 ] || fail "few are below spans"

# What cannot be.
run 2 requests --group-by name "$t/web"
text "$dir/err" "need --names FILE" "--group-by alone"
run 2 requests --names "$dir/log" "$t/web"
text "$dir/err" "--log-format nginx, apache" "no format"
run 2 requests --names "$dir/log" --log-format '$status' "$t/web"
text "$dir/err" "have no time" "no time"
run 3 requests --names "$dir/none" "$t/web"
finish
