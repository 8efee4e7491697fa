#!/usr/bin/env bash
# Requests between any two events: requests --request 'BEGIN : END', and other verbs with one of them.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# An application's own events, on two hosts, by the id that they carry.
check ctfgen "$ctfgen" -o "$dir/asks" tests/cli/asks.scn
t=("$dir/asks/client" "$dir/asks/server")
run 0 requests --request 'ask : answer' --request-by id --list --sort begin --json "${t[@]}"
equal "each id is a request" "$(jq -c '[table("requests")[].id]' "$dir/out")" "$(seq 1 20 | jq -sc 'map("u1.\(.)")')"
equal "from the client to the server" "$(jq -c '[table("requests")[] | [.client_host, .client_tid, .client_comm, .server_host, .server_tid, .server_comm, .kind]] | unique[]' "$dir/out")" \
	'["client",10,"ask","server",20,"answer","client ask -> server answer"]'
equal "latencies, to the bound of the clocks" "$(jq '[table("requests")[].latency_ns | . > 750e3 and . < 1250e3] | all' "$dir/out")" true
equal "parts add up" "$(jq '[requests[] | ([.parts[].ns] | add) == .latency_ns] | all' "$dir/out")" true
equal "all have an end" "$(jq -c 'table("unmatched")[0]' "$dir/out")" '{"unended":0,"unbegun":0,"begun_again":0,"without_key":0}'
run 0 requests --request 'ask : answer && id >= 10' --request-by id --list --json "${t[@]}"
equal "without an end" "$(jq -c '[table("requests") | length, .[0].id[0:3]], table("unmatched")[0].unended' "$dir/out" | tr '\n' ' ')" '[10,"u1."] 10 '
text "$dir/err" '10 requests; 10 requests never ended' "a note on them"
run 0 requests --request 'ask && id < 5 : answer' --request-by id --json "${t[@]}"
equal "without a begin" "$(jq -c '[table("kinds")[0].count, table("unmatched")[0].unbegun]' "$dir/out")" '[5,15]'
text "$dir/err" '5 requests; 15 END events without an open request' "a note on the others"
# Without a key one is open at a time.
run 0 requests --request 'ask || answer : answer' --json "${t[@]}"
equal "begun again" "$(jq -c 'table("unmatched")[0].begun_again >= 1' "$dir/out")" true
text "$dir/err" '--request-by separates them' "what to do"
run 0 path --request 'ask : answer' --request-by id --request u1.3 --json "${t[@]}"
equal "a path" "$(jq -c 'table("task")[0] | [.host, .tid]' "$dir/out")" '["server",20]'
run 0 events --request 'ask : answer' --request-by id --request u1.3 --format jsonl "${t[@]}"
equal "its events" "$(jq -sc 'map(select(.name == "ask" or .name == "answer") | .payload.id) | unique' "$dir/out")" '[2]'
run 0 blocked --request 'ask : answer' --request-by id --request u1.3 "${t[@]}"

# What was found on connections is below: here each lies in one request of its client.
t=("$lab/web-load"/{client,web,db})
rule="syscall_entry_connect && payload.dport == 80 : syscall_exit_read && payload.ret > 100"
run 0 requests --request "$rule" --request-by tid --list -n 0 --sort begin --json "${t[@]}"
cp "$dir/out" "$dir/own"
"$m" requests -q --list -n 0 --sort begin --kind 'load -> *' --json "${t[@]}" >"$dir/found"
equal "as many as on connections" "$(jq 'table("requests") | length' "$dir/own")" "$(jq 'table("requests") | length' "$dir/found")"
equal "begin and end of each" "$(jq -c '[table("requests")[] | [.begin, .end, .client_tid]] | sort' "$dir/own" | md5sum)" \
	"$(jq -c '[table("requests")[] | [.begin, .end, .client_tid]] | sort' "$dir/found" | md5sum)"
equal "parts of each add up" "$(jq '[requests[] | ([.parts[].ns] | add) == .latency_ns] | all' "$dir/own")" true
equal "children are named in parts" "$(jq '[requests[] | .id as $id | [.parts[].request | select(. != $id)] | length > 0] | all' "$dir/own")" true
"$m" requests -q --request "$rule" --request-by tid -j 1 --list -n 0 --sort begin --json "${t[@]}" >"$dir/again"
same "with one thread" "$dir/again" "$dir/own"
run 0 requests --request "$rule" --request-by tid --tree -n 0 --json "${t[@]}"
cp "$dir/out" "$dir/tree"
equal "each has one found request below it" "$(jq -c '[table("requests")[] | select(.id[0:1] == "u").id] as $own |
	[table("requests")[] | select(.parent != null and .parent[0:1] == "u") | .parent] | sort == ($own | sort)' "$dir/tree")" true
equal "it is as long, and sure" "$(jq 'table("requests") | (map({key: .id, value: .}) | from_entries) as $all |
	map(select(.parent != null and .parent[0:1] == "u") | .latency_ns == $all[.parent].latency_ns and .confidence == 1) | all' "$dir/tree")" true
equal "and all of its own" "$(jq 'table("requests") | length' "$dir/tree")" "$(($(jq 'table("requests") | length' "$dir/own") +
	$("$m" requests -q --tree -n 0 --kind 'load -> *' --json "${t[@]}" | jq 'table("requests") | length')))"
id=$(jq -r 'table("requests")[7].id' "$dir/own")
run 0 path --request "$rule" --request-by tid --request "$id" --json "${t[@]}"
equal "a path is as long" "$(jq 'table("path")[0].total_ns' "$dir/out")" "$(jq --arg id "$id" 'table("requests")[] | select(.id == $id).latency_ns' "$dir/own")"
jq -S '[table("by_cause")[] | {key: .cause, value: .total_ns}] | from_entries' "$dir/out" >"$dir/causes"
jq -S --arg id "$id" '[table("parts")[] | select(.id == $id)] | group_by(.cause) | map({key: .[0].cause, value: (map(.ns) | add)}) | from_entries' "$dir/own" >"$dir/got"
same "with the same parts" "$dir/got" "$dir/causes"
run 0 requests --request "$rule" --request-by tid --tree --request "$id" "${t[@]}"
text "$dir/out" "^$id client:load" "a waterfall"
text "$dir/out" "^  r[0-9.]+ web:nginx" "with those below it"
run 0 requests --request "$rule" --request-by tid "${t[@]}"
text "$dir/out" "^client load +723 " "by kind"
run 0 requests --request "$rule" --request-by tid --explain --json "${t[@]}"
equal "why the slow ones are slow" "$(jq 'groups | (map((.causes | map(.more_ns) | add) == .difference_ns) | all) and (map(.slow_count) | add) == 37' "$dir/out")" true
run 0 requests --request "$rule" --request-by tid --bins 4 --format csv "${t[@]}"
equal "over time" "$(sed 1d "$dir/out" | cut -d, -f4 | sum)" 723
run 0 requests --request "$rule" --request-by tid --format folded "${t[@]}"
equal "flame graphs" "$(sed 's/.* //' "$dir/out" | awk '{ n += $1 } END { printf "%.0f", n }')" "$(jq '[table("requests")[].latency_ns] | add' "$dir/own")"
text "$dir/out" '^client load;load -> web:80 nginx;' "with those below"
run 0 requests --request "$rule" --request-by tid --format otlp --tree -n 3 "${t[@]}"
equal "OpenTelemetry: roots are internal" "$(jq -c '[.resourceSpans[].scopeSpans[].spans[] | select(.parentSpanId == null) | .kind] | unique' "$dir/out")" "[1]"
equal "OpenTelemetry: parents are there" "$(jq '[.resourceSpans[].scopeSpans[].spans[]] | map(.spanId) as $ids |
	map(.parentSpanId // empty | IN($ids[])) | all' "$dir/out")" true
run 0 requests --request "$rule" --request-by tid --format perfetto --tree -n 3 "${t[@]}"
equal "Perfetto: slices of their own" "$(jq -c '[.traceEvents[] | select(.cat == "request")] | [length, (map(.args.id[:1]) | unique[])]' "$dir/out")" '[3,"u"]'
equal "Perfetto: arrows from them" "$(jq '([.traceEvents[] | select(.cat == "request") | .tid] | unique) as $own | [.traceEvents[] |
	select(.ph == "s" and .name == "child" and (.tid | IN($own[])))] | length' "$dir/out")" \
	"$(jq '[.traceEvents[] | select(.cat == "client" and (.args.parent // "" | startswith("u")))] | length' "$dir/out")"
run 0 requests --request "$rule" --request-by tid --kind '*nginx' "${t[@]}"
text "$dir/out" '^load -> web:80 nginx +http +723 ' "others, if they are asked for"

# Two of them, side by side.
read -r a b <<<"$(jq -r '[table("requests")[3, 9].id] | join(" ")' "$dir/own")"
wanted=$(jq --arg a "$a" --arg b "$b" '(table("requests") | map({key: .id, value: .latency_ns}) | from_entries) as $l | $l[$b] - $l[$a]' "$dir/own")
for ids in "--request $a,$b" "--request $a --request $b"; do
	# shellcheck disable=SC2086
	run 0 diff --request "$rule" --request-by tid $ids --json "${t[@]}"
	equal "diff $ids" "$(jq 'table("sides") | .[1].total_ns - .[0].total_ns' "$dir/out")" "$wanted"
done
run 2 diff --request "$rule" --request-by tid --request "$a" "${t[@]}"
text "$dir/err" 'two ids are required, as in --request u1.2,u1.3' "one id"

# Mistakes.
run 2 requests --request 'ask : ' "${t[@]}"
text "$dir/err" 'request:' "half a rule"
run 2 requests --request 'no_such_event : ask' "${t[@]}"
text "$dir/err" '^meridian: --request: no event of these traces can match BEGIN' "no such event"
run 2 requests --request 'answer : ask && id < 1' --request-by id "$dir/asks/client" "$dir/asks/server"
text "$dir/err" 'no request: 20 events match BEGIN and 1 matches END, but no END comes after a BEGIN' "the wrong way"
run 2 requests --request-by tid "${t[@]}"
text "$dir/err" "request-by needs --request 'BEGIN : END'" "a key alone"
run 2 path --request "$rule" "${t[@]}"
text "$dir/err" "an id is required besides the rule" "no id"
run 2 path --request "$rule" --request-by tid --request u1.9999 "${t[@]}"
text "$dir/err" "there is no request 'u1.9999'" "no such request"
run 2 path --request u1.1 "${t[@]}"
# What they cost is not defined; one line says why, and what to type.
run 2 requests --request "$rule" --cost "${t[@]}"
text "$dir/err" "may overlap, .*: meridian top cpu --period 'BEGIN : END'" "no cost of them"
run 2 task --request "$rule" --request-by tid --request u1.1 "${t[@]}"
text "$dir/err" "may overlap; .* meridian path --request 'BEGIN : END' --request-by KEY --request u1.1" "nor of one"
run 2 task --request-by tid "${t[@]}"
run 0 top cpu --period "$rule" --period-by tid "${t[@]}"
finish
