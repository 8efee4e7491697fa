#!/usr/bin/env bash
# The Trace Server Protocol as bytes: who may ask, forms of answers and of errors, hostile bodies. What the answers say
# is compared with the program by test_tsp_client.sh, which needs node.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC

api() { # api METHOD PATH [BODY [HEADER...]]
	local method=$1 path=$2 body=${3-}
	shift $(($# < 3 ? $# : 3))
	ask "$method" "${root}tsp/api$path" "$body" "$@"
}
completed() {
	for _ in $(seq 100); do
		api GET /experiments
		jq -e '.[0].indexingStatus == "COMPLETED"' "$dir/body" >/dev/null && return
		sleep 0.1
	done
	fail "never indexed: $(cat "$dir/body")"
}

serve demo/wget-cold-hot
# At once: running or completed, never an error of the server.
api GET /experiments
equal "at once" "$status" 200
text "$dir/body" '"indexingStatus":"(RUNNING|COMPLETED)"'
experiment=$(jq -r '.[0].UUID' "$dir/body")
out=/experiments/$experiment/outputs
threads=org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ThreadStatusDataProvider
events=org.eclipse.tracecompass.internal.provisional.tmf.core.model.events.TmfEventTableDataProvider
api POST $out/timeGraph/$threads/tree '{"parameters":{}}'
equal "a tree at once" "$status" 200
text "$dir/body" '"status":"(RUNNING|COMPLETED)"'
completed

# --- Forms ---
api GET /health
equal "health" "$(cat "$dir/body")" '{"status":"UP"}'
text "$dir/headers" '^Content-Type: application/json$'
text "$dir/headers" '^Access-Control-Allow-Origin: \*$'
equal "never kept" "$(grep -c '^Cache-Control: no-store$' "$dir/headers")" 1
api HEAD /health
equal "HEAD" "$status" 200
api OPTIONS /traces '' "Origin: http://localhost:3000" "Access-Control-Request-Method: POST" "Access-Control-Request-Headers: content-type"
equal "OPTIONS" "$status" 204
text "$dir/headers" '^Access-Control-Allow-Origin: \*$'
text "$dir/headers" '^Access-Control-Allow-Methods: .*POST'
text "$dir/headers" '^Access-Control-Allow-Headers: .*content-type'
api OPTIONS /nothing
equal "OPTIONS of nothing" "$status" 404
api PUT "/experiments/$experiment" '{}'
equal "PUT" "$status" 405
text "$dir/headers" '^Allow: '
text "$dir/body" 'GET, DELETE, OPTIONS'
for path in /nothing / "" /traces/x /traces/x/y "/experiments/x/outputs" "$out/x" "$out/x/style" "$out/timeGraph/x/tree" "/traces/../traces"; do
	method=GET
	[[ $path != */x/style && $path != */tree ]] || method=POST
	api $method "$path"
	equal "$method $path" "$status" 404
	check "$method $path: why" jq -e ".error | length > 0" "$dir/body"
done
api GET "$out/$(printf 'x%.0s' $(seq 3000))"
equal "a long name" "$status" 404

# --- Traces: those of the server, and no others ---
api POST /traces "{\"parameters\":{\"uri\":\"$PWD/demo/wget-cold-hot/client\",\"name\":\"x\"}}"
equal "a folder of it" "$status" 200
trace=$(jq -r .UUID "$dir/body")
equal "its path" "$(jq -r .path "$dir/body")" "$(realpath demo/wget-cold-hot/client/kernel)"
for uri in / /etc/passwd "$PWD/demo" "$PWD" "$PWD/demo/shop-a/client" nowhere "" "file:///etc" ../../../..; do
	api POST /traces "{\"parameters\":{\"uri\":\"$uri\"}}"
	equal "POST $uri" "$status" 404
	text "$dir/body" "start 'meridian serve' with it"
done
api POST /traces "{\"parameters\":{\"uri\":\"file://$PWD/demo/wget-cold-hot/client/\"}}"
equal "as an address" "$(jq -r .UUID "$dir/body")" "$trace"
api DELETE "/traces/$trace"
equal "DELETE" "$(jq -r .UUID "$dir/body")" "$trace"
api GET "/traces/$trace"
equal "it is still there" "$status" 200
api GET /traces
traces=$(jq -c '[.[].UUID]' "$dir/body")
for _ in 1 2; do # never a conflict
	api POST /experiments "{\"parameters\":{\"name\":\"e\",\"traces\":$traces}}"
	equal "POST experiments" "$status $(jq -r .UUID "$dir/body")" "200 $experiment"
done
# It has all traces: one of some of them is refused, and says so; and does not change the name.
for some in "[\"$trace\"]" "[\"$trace\",\"$trace\"]" '[]'; do
	api POST /experiments "{\"parameters\":{\"name\":\"some\",\"traces\":$some}}"
	equal "POST experiments of $some" "$status" 400
	text "$dir/body" 'has all its 2 traces, not [01] of them'
done
api POST /experiments '{"parameters":{"name":"other","traces":["x"]}}'
equal "POST experiments of none" "$status" 404
api GET "/experiments/$experiment"
equal "its name" "$(jq -r .name "$dir/body")" e

# --- Numbers ---
api POST $out/timeGraph/$threads/tree '{"parameters":{}}'
cp "$dir/body" "$dir/tree"
equal "numbers of rows" "$(jq '[.model.entries[] | select(.id < 1 or .id >= 1e15)] | length' "$dir/body")" 0
text "$dir/body" "\"start\":$("$m" top cpu --json demo/wget-cold-hot 2>/dev/null | grep -oE '"begin":[0-9]+' | head -1 | cut -d: -f2),"
usage=org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider
api POST $out/XY/$usage/xy '{"parameters":{}}'
equal "long fractions" "$(grep -oE '[:,[]-?[0-9]+\.[0-9e+-]+' "$dir/body" | awk 'length($0) > 16' | wc -l)" 0
# Cells of tables are the program's numbers, of the types that its columns have.
api POST $out/data/meridian.blocked/tree '{"parameters":{}}'
equal "types of columns" "$(jq -c '.model.headers | map(select(.tooltip == ("tid", "cause", "total_ns", "max_at")) | [.name, .dataType])' "$dir/body")" \
	'[["tid","NUMBER"],["cause","STRING"],["total (ns)","DURATION"],["max at","TIMESTAMP"]]'
"$m" blocked --flat --limit 200 --json demo/wget-cold-hot 2>/dev/null |
	sed -E 's/"max_at":([0-9]+)/"max_at":"\1"/g' | jq -c '[table("waits")[] | [.tid, .cause, .total_ns, .max_at | tostring]]' >"$dir/wanted"
equal "cells" "$(jq -c '[.model.headers[].tooltip] as $keys | [.model.entries[].labels |
	[.[("tid", "cause", "total_ns", "max_at") as $key | $keys | index($key)]]]' "$dir/body")" "$(cat "$dir/wanted")"
for table in $(jq -r '.[] | select(.type == "DATA_TREE").id' <(api GET $out; cat "$dir/body")); do
	api POST $out/data/$table/tree '{"parameters":{}}'
	equal "$table: typed columns have numbers" "$(jq -c '.model as $m | [$m.entries[].labels | to_entries[] |
		select($m.headers[.key].dataType != "STRING" and .value != "" and (.value | test("^-?[0-9.]+(e[-+]?[0-9]+)?$") | not)).value]' "$dir/body")" "[]"
	equal "$table: times are whole ns" "$(jq -c '.model as $m | [$m.entries[].labels | to_entries[] |
		select(($m.headers[.key].dataType | IN("DURATION", "TIMESTAMP")) and (.value | contains(".")))] | length' "$dir/body")" 0
	equal "$table: no moment is a number, no length a moment" "$(jq -c '[.model.headers[] | select(
		((.tooltip | test("(^begin|^end|_at|^switch_in)$")) != (.dataType == "TIMESTAMP")) or
		((.tooltip | endswith("_ns")) != (.dataType == "DURATION")))]' "$dir/body")" "[]"
done
# Pointers of events as the trace shows them, other numbers as they are.
api POST $out/table/$events/lines '{"parameters":{"requested_table_index":0,"requested_table_count":3000}}'
"$m" events --limit 3000 demo/wget-cold-hot 2>/dev/null | grep -oE ' (hrtimer|function|skbaddr|expires|pid) = [0-9A-Fx]+' | tr -d ' ' | sort >"$dir/wanted"
jq -r '.model.lines[].cells[4].content' "$dir/body" | grep -oE '(^| )(hrtimer|function|skbaddr|expires|pid)=[0-9A-Fx]+' | tr -d ' ' | sort >"$dir/got"
check "there are pointers" grep -q '=0xFFFF' "$dir/wanted"
same "pointers" "$dir/got" "$dir/wanted"
# Requests: each once, as the program lists them; those at the same time on lines of their own.
"$m" requests --list -n 2000 --json demo/wget-cold-hot 2>/dev/null | jq -c '[table("requests")[] | select(.end != null and .messages == 1) | [.id, .begin, .end]] | sort' >"$dir/wanted"
api POST $out/timeGraph/meridian.services/tree '{"parameters":{}}'
equal "a row for each kind of requests" "$(jq '[.model.entries[] | select(.parentId == -1)] | length' "$dir/body")" \
	"$("$m" requests --json demo/wget-cold-hot 2>/dev/null | jq 'table("kinds") | length')"
api POST $out/timeGraph/meridian.services/states '{"parameters":{}}'
equal "requests" "$(jq -c '[.model.rows[].states[] | [(.label | split(" ")[0]), .start, .end]] | sort' "$dir/body")" "$(cat "$dir/wanted")"
equal "none over another one" "$(jq '[.model.rows[].states | [.[:-1], .[1:]] | transpose[] | select(.[0].end > .[1].start)] | length' "$dir/body")" 0

# Large answers are compressed for those who can unpack them.
api POST $out/timeGraph/$threads/tree '{"parameters":{}}' "Accept-Encoding: gzip, deflate"
text "$dir/headers" '^Content-Encoding: gzip$'
gzip -dc <"$dir/body" >"$dir/unpacked"
same "compressed" "$dir/unpacked" "$dir/tree"
api GET /health '' "Accept-Encoding: gzip"
no_text "$dir/headers" '^Content-Encoding'

# --- Bodies that are wrong ---
r='"requested_timerange"'
while IFS= read -r body; do
	api POST $out/timeGraph/$threads/states "$body"
	equal "body $body" "$status" 400
	check "body $body: why" jq -e '.title | length > 0' "$dir/body"
done <<END
{
[]
1
{"parameters":[]}
{"parameters":{$r:{"start":1}}}
{"parameters":{$r:{"start":2,"end":1}}}
{"parameters":{$r:{"start":"x","end":1}}}
{"parameters":{$r:{"start":-9223372036854775808,"end":9223372036854775807,"nbTimes":1}}}
{"parameters":{$r:{"start":0,"end":1e300}}}
{"parameters":{$r:{"start":0,"end":1,"nbTimes":-1}}}
{"parameters":{$r:5}}
{"parameters":{"requested_items":5}}
{"parameters":{"requested_items":["x"]}}
{"parameters":{"requested_items":[-1]}}
{"parameters":{"requested_times":[null]}}
{"parameters":{"requested_times":[1,null]}}
{"parameters":{"requested_marker_categories":["x",1]}}
{"parameters":{"requested_element":[]}}
{"parameters":{},"parameters":{}}
{} {}
$(printf '[%.0s' $(seq 5000))
END
api POST $out/timeGraph/$threads/states "{\"parameters\":{$r:{\"start\":0,\"end\":1,\"nbTimes\":2000000000},\"requested_items\":[1,2,3,999999999999999,9007199254740993]}}"
equal "rows that are not there" "$status $(jq -c .model.rows "$dir/body")" "200 []"
api POST $out/table/$events/lines '{"parameters":{"requested_table_index":0}}'
equal "no count" "$status" 400
for pattern in '(' '[' '*' '(?'; do
	api POST $out/table/$events/lines "{\"parameters\":{\"requested_table_index\":0,\"requested_table_count\":1,\"table_search_expressions\":{\"3\":\"$pattern\"},\"table_search_direction\":\"NEXT\"}}"
	equal "pattern $pattern" "$status" 400
done
api POST $out/table/$events/lines '{"parameters":{"requested_table_index":0,"requested_table_count":5,"table_search_expressions":{"3":"no such event"},"table_search_direction":"NEXT"}}'
equal "searched and not found" "$status $(jq -c .model.lines "$dir/body")" "200 []"
api POST $out/table/$events/lines '{"parameters":{"requested_table_index":18446744073709551615,"requested_table_count":1}}'
equal "an index of 64 bits" "$status" 400
api POST $out/table/$events/lines '{"parameters":{"requested_table_index":9000000000000000000,"requested_table_count":9000000000000000000}}'
equal "behind the end" "$status $(jq -c .model.lines "$dir/body")" "200 []"
ask POST "${root}tsp/api$out/timeGraph/$threads/states" "$(head -c 1100000 /dev/zero | tr '\0' ' ')"
equal "a long body" "$status" 413

# --- Who may ask: with the token everybody ---
for origin in http://evil.example vscode-webview://abc null; do
	api GET /health '' "Origin: $origin"
	equal "$origin with the token" "$status" 200
done
ask GET /tsp/api/health '' "Origin: http://evil.example"
equal "without it" "$status" 403
ask GET "${root}api/status" '' "Origin: vscode-webview://abc"
equal "elsewhere than here" "$status" 403
no_text "$dir/headers" 'Access-Control'
stop

# Without a token those of this host. Numbers are those of before the restart.
cp "$dir/tree" "$dir/tree.before"
serve --no-token demo/wget-cold-hot
completed
equal "the experiment after a restart" "$(jq -r '.[0].UUID' "$dir/body")" "$experiment"
api POST $out/timeGraph/$threads/tree '{"parameters":{}}'
same "rows after a restart" "$dir/body" "$dir/tree.before"
for origin in http://localhost:3000 http://127.0.0.1 https://localhost 'http://[::1]:80' vscode-webview://abc file://; do
	api GET /health '' "Origin: $origin"
	equal "$origin" "$status" 200
done
for origin in http://evil.example http://localhost.evil.example null http://localhost:x https://127.0.0.1.evil.example ""; do
	api GET /health '' "Origin: $origin"
	equal "$origin" "$status" 403
	no_text "$dir/headers" 'Access-Control'
done
api OPTIONS /health '' "Origin: http://evil.example"
equal "OPTIONS of elsewhere" "$status" 403
stop

# --- Marks of the traces: annotations of timelines, and bookmarks ---
mkdir -p "$dir/own" && cp -rL demo/wget-cold-hot "$dir/own/" && chmod -R u+w "$dir/own"
printf '+0.5s\t+0.75s\tcold cache\n+1s\t\tmoment\n' >"$dir/own/wget-cold-hot/marks.tsv"
serve "$dir/own/wget-cold-hot"
ready
api GET /experiments
experiment=$(jq -r '.[0].UUID' "$dir/body")
api GET "/experiments/$experiment/bookmarks"
equal "bookmarks" "$(jq -c '[.[] | [.name, ((.end - .start) / 1e6 | round)]]' "$dir/body")" '[["cold cache",250],["moment",0]]'
api POST "/experiments/$experiment/outputs/$threads/annotations" '{"parameters":{"requested_marker_categories":["Marks"]}}'
equal "annotations" "$(jq -c '[.model.annotations.Marks[] | .label]' "$dir/body") $(jq -c '.model.annotations | keys' "$dir/body")" '["cold cache","moment"] ["Marks"]'
# They can be written, too: what a viewer adds is a mark of the page and of --marks.
marks=/experiments/$experiment/bookmarks
api GET $marks
second=$(jq -r '.[1].uuid' "$dir/body")
begin=$(jq -r '.[0].start' "$dir/body")
api POST $marks "{\"parameters\":{\"name\":\"slow \\u00e9 part\",\"start\":$begin,\"end\":$((begin + 5000000))}}"
equal "made" "$status $(jq -r .name "$dir/body")" "200 slow é part"
made=$(jq -r .uuid "$dir/body")
equal "its line" "$(tail -1 "$dir/own/wget-cold-hot/marks.tsv")" "$begin"$'\t'"$((begin + 5000000))"$'\tslow é part'
api GET $marks/$made
equal "one" "$status $(jq -r .name "$dir/body")" "200 slow é part"
ask GET "${root}api/marks" ''
equal "it is on the page" "$(jq -r '.marks[2].text' "$dir/body")" "slow é part"
api PUT $marks/$second "{\"name\":\"moved\",\"start\":$((begin + 7)),\"end\":$((begin + 7))}"
equal "changed" "$status $(jq -c '[.name, .end - .start]' "$dir/body")" '200 ["moved",0]'
api GET $marks/$second
equal "the one before is none any more" "$status" 404
# A line in front of it moves it: the number alone would be another one's.
api GET $marks
equal "all" "$(jq -c '[.[].name]' "$dir/body")" '["cold cache","slow é part","moved"]'
moved=$(jq -r '.[2].uuid' "$dir/body")
sed -i '1d' "$dir/own/wget-cold-hot/marks.tsv"
api DELETE $marks/$moved
equal "of another file than was seen" "$status" 404
api GET $marks
for uuid in $(jq -r '.[].uuid' "$dir/body"); do
	api DELETE $marks/$uuid
	[ "$status" = 200 ] && gone=$((${gone:-0} + 1))
done
equal "the first one is removed; its line was in front of the others" "$gone" 1
api GET $marks
api DELETE "$marks/$(jq -r '.[0].uuid' "$dir/body")"
equal "removed" "$status $(jq -c .name "$dir/body")" '200 "moved"'
api GET $marks
equal "none is left" "$(cat "$dir/body")" "[]"
for body in '{}' '{"name":"x"}' '{"name":"x","start":5,"end":4}' '{"name":"","start":5,"end":6}' '{"name":"a\tb","start":5,"end":6}' '{"name":"a\nb","start":5,"end":6}' \
	'{"name":"a\u0007b","start":5,"end":6}' '{"name":7,"start":5,"end":6}' '{"name":"x","start":"5","end":6}'; do
	api POST $marks "$body"
	equal "no bookmark: $body" "$status" 400
	check "no bookmark: $body: why" jq -e '.title | length > 0' "$dir/body"
done
equal "nothing was written" "$(cat "$dir/own/wget-cold-hot/marks.tsv")" ""
api POST /experiments/x/bookmarks '{"name":"x","start":5,"end":6}'
equal "of another experiment" "$status" 404
api OPTIONS $marks '' "Origin: http://localhost:3000" "Access-Control-Request-Method: PUT"
text "$dir/headers" '^Access-Control-Allow-Methods: .*PUT'

printf 'broken' >"$dir/own/wget-cold-hot/marks.tsv"
api POST $marks "{\"name\":\"x\",\"start\":$begin,\"end\":$begin}"
equal "a broken file is left as it is" "$status $(cat "$dir/own/wget-cold-hot/marks.tsv")" "400 broken"
api GET "/experiments/$experiment/bookmarks"
equal "a broken file has none" "$status $(cat "$dir/body")" "200 []"
stop

# --- Virtual CPUs: of more stays than can be sent, the state that each bin is most of; they still fill each life ---
if [ -n "${KERNELWORLD-}" ]; then
	check "a world" "$KERNELWORLD" -o "$dir/world" --cpus 2 --vms 2 --vcpus 2 --duration 3s --seed 21 --statedump --hogs 1
	check "of many stays" [ "$("$m" log vm -q -n 0 --format csv "$dir/world" | wc -l)" -gt 20001 ]
	serve "$dir/world"
	completed
	out=/experiments/$(jq -r '.[0].UUID' "$dir/body")/outputs
	api POST $out/timeGraph/meridian.vcpus/tree '{"parameters":{}}'
	jq -c '[.model.entries[] | select(.hasData) | [.id, (.end - .start) / 1e6 | round]] | sort' "$dir/body" >"$dir/wanted"
	equal "vCPUs of both guests" "$(jq -r '[.model.entries[].labels[2] | select(. != "")] | sort | join(" ")' "$dir/body")" "g0 g0 g1 g1"
	api POST $out/timeGraph/meridian.vcpus/states '{"parameters":{}}'
	equal "lives" "$(jq -c '[.model.rows[] | [.entryId, ([.states[] | .end - .start] | add) / 1e6 | round]] | sort' "$dir/body")" "$(cat "$dir/wanted")"
	equal "at most a state for each bin" "$(jq '[.model.rows[] | select(.states | length > 1001)] | length' "$dir/body")" 0
	equal "without gaps" "$(jq '[.model.rows[].states | [.[:-1], .[1:]] | transpose[] | select(.[0].end != .[1].start)] | length' "$dir/body")" 0
	equal "of several states" "$(jq '[.model.rows[].states[].style.parentKey] | unique | length > 2' "$dir/body")" true
	stop
fi

finish
