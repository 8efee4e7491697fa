#!/usr/bin/env bash
# requests --cost and task --request: what requests used; all of it, and what was done for none, is what tasks used.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
# That of all tasks, and of interrupts meanwhile: no part of self_ns there.
cpu_of() { "$m" top cpu -q -a -n 0 --json "$@" | jq '[.tables[0].rows[] | .self_ns + .interrupted_ns] | add'; }

# adds_up NAME TRACE...: kinds, what was used for none, and hosts
adds_up() {
	local name=$1
	shift
	run 0 requests --cost --json "$@"
	cp "$dir/out" "$dir/json"
	equal "$name: CPU time of kinds and of none is that of all tasks" \
		"$(jq '[(table("kinds")[], table("no_request")[]).self_cpu_ns] | add // 0' "$dir/json")" "$(cpu_of "$@")"
	equal "$name: kinds are what hosts used for requests" "$(jq '([table("kinds")[].self_cpu_ns] | add // 0) == ([table("hosts")[].requests_cpu_ns] | add // 0) and
		([table("kinds")[].self_socket_sent_bytes] | add) == ([table("hosts")[].requests_socket_sent_bytes] | add)' "$dir/json")" true
	equal "$name: programs are what hosts used for none" "$(jq '([table("no_request")[].self_cpu_ns] | add // 0) == ([table("hosts")[].no_request_cpu_ns] | add // 0) and
		([table("no_request")[].self_block_written_bytes] | add) == ([table("hosts")[].no_request_block_written_bytes] | add)' "$dir/json")" true
	for jobs in 1 3; do
		"$m" requests -q -j "$jobs" --cost --json "$@" >"$dir/again"
		same "$name: with $jobs threads" "$dir/again" "$dir/json"
	done
}
adds_up web-load "$lab/web-load"/{client,web,db}
adds_up ipc-zoo "$lab/ipc-zoo"
adds_up mpi-3vm "$lab/mpi-3vm"
if there "$lab/shop-a" && there "$lab/shop-node"; then
	adds_up shop-node "$lab/shop-node"/{client,web,db}
	adds_up shop-a "$lab/shop-a"/{client,web,db}
fi
if [ -n "${KERNELWORLD:-}" ]; then
	"$KERNELWORLD" -o "$dir/world" --hosts 2 --cpus 2 --seed 5 --statedump >"$dir/log" || fail "kernelworld: $(cat "$dir/log")"
	adds_up kernelworld "$dir/world"
fi

t=("$lab/web-load"/{client,web,db})
run 0 requests --cost --json "${t[@]}"
cp "$dir/out" "$dir/json"
equal "tables" "$(jq -r '[.tables[].id] | join(",")' "$dir/json")" "kinds,no_request,hosts"
equal "a kind at the bottom has nothing below it" "$(jq '[table("kinds")[] | select(.kind | endswith("postgres")) | .self_cpu_ns == .total_cpu_ns] | all' "$dir/json")" true
equal "those above have more" "$(jq '[table("kinds")[] | select(.kind | startswith("load ")) | .total_cpu_ns > 2 * .self_cpu_ns] | all' "$dir/json")" true
# The part of the time that is asked for.
run 0 requests --cost --json --begin +1s --end +3s "${t[@]}"
equal "a part of the time" "$(jq '[table("hosts")[] | .requests_cpu_ns + .no_request_cpu_ns] | add' "$dir/out")" "$(cpu_of --begin +1s --end +3s "${t[@]}")"
run 0 requests --cost --json --kind '*postgres' "${t[@]}"
equal "one kind costs the same" "$(jq -c 'table("kinds")' "$dir/out")" "$(jq -c '[table("kinds")[] | select(.kind | endswith("postgres"))]' "$dir/json")"
run 0 requests --cost --kind '*postgres' "${t[@]}"
text "$dir/out" '^Cost of requests by kind, from ' "heading"
text "$dir/out" '^other requests ' "requests of other kinds"
text "$dir/out" '^no request ' "none"
text "$dir/out" '^all tasks .*100' "sum"
run 0 requests --cost "${t[@]}"
no_text "$dir/out" '^other requests ' "all requests"
run 0 requests --cost --format csv "${t[@]}"
equal "tables of CSV" "$(grep -v '^table,' "$dir/out" | grep . | cut -d, -f1 | sort -u | tr '\n' ' ')" "hosts kinds no_request "

# Each of them.
run 0 requests --cost --list --json "${t[@]}"
cp "$dir/out" "$dir/list"
equal "requests of a kind" "$(jq -S '[table("requests")[] | {kind, self_cpu_ns, self_socket_sent_bytes}] | group_by(.kind) |
	map({key: .[0].kind, value: [length, (map(.self_cpu_ns) | add), (map(.self_socket_sent_bytes) | add)]}) | from_entries' "$dir/list")" \
	"$(jq -S '[table("kinds")[] | {key: .kind, value: [.count, .self_cpu_ns, .self_socket_sent_bytes]}] | from_entries' "$dir/json")"
equal "the most expensive first" "$(jq '[table("requests")[].total_cpu_ns] | . == (sort | reverse)' "$dir/list")" true
run 0 requests --cost --list --sort begin --format csv -n 0 "${t[@]}"
equal "by begin" "$(sed 1d "$dir/out" | cut -d, -f2 | sort -c -n 2>&1)" ""
run 0 requests --cost --list -n 2 "${t[@]}"
text "$dir/out" '^\.\.\. and [0-9,]+ more' "--limit"

# One of them, as a tree of tasks.
for id in $(jq -r 'table("requests")[0, 7, 100, 2000].id' "$dir/list"); do
	run 0 task --request "$id" --json "${t[@]}"
	jq -S --arg id "$id" 'table("requests")[] | select(.id == $id) | [.total_cpu_ns, .total_interrupted_ns, .total_socket_sent_bytes, .self_cpu_ns]' "$dir/list" >"$dir/one"
	jq -S '[table("request")[0].cpu_ns, (.tables[0].rows | map(.interrupted_ns) | add), .tables[1].rows[0].total_socket_sent_bytes]' "$dir/out" >"$dir/got"
	equal "$id: its tasks are what it cost" "$(jq -c . "$dir/got")" "$(jq -c '.[0:3]' "$dir/one")"
	equal "$id: totals" "$(jq '.tables[0].rows | .[0].total_ns == (map(.self_ns) | add) and .[0].depth == 0' "$dir/out")" true
done
run 0 task --request "$id" "${t[@]}"
text "$dir/out" "^Request $id, " "heading"
run 0 task --request "$id" --format csv "${t[@]}"
equal "CSV has the tasks" "$(head -1 "$dir/out" | cut -d, -f1-4)" "depth,host,tid,pid"
run 2 task --request "$id" --table residual "${t[@]}"
text "$dir/err" 'path --request' "where the rest is"
run 2 task --request "$id" --comm nginx "${t[@]}"
run 2 task --request "$id" --compat flightbox "${t[@]}"
run 2 task --request r99999.1 "${t[@]}"
text "$dir/err" "there is no request 'r99999.1'" "no such request"
run 2 requests --cost --explain "${t[@]}"

# One table of three: the same rows, without the column that says which.
for format in csv jsonl; do
	"$m" requests -q --cost --format $format "${t[@]}" >"$dir/all"
	for table in kinds no_request hosts; do
		run 0 requests --cost --table $table --format $format "${t[@]}"
		if [ $format = csv ]; then
			grep "^$table," "$dir/all" | cut -d, -f2- >"$dir/wanted"
			sed -i 1d "$dir/out"
		else
			grep -F "{\"table\":\"$table\"," "$dir/all" | sed "s/\"table\":\"$table\",//" >"$dir/wanted"
		fi
		same "--table $table --format $format" "$dir/out" "$dir/wanted"
	done
done
run 0 requests --cost --table hosts --json "${t[@]}"
equal "JSON of one" "$(jq -c '[.tables[] | .id, (.rows | length)]' "$dir/out")" '["hosts",3]'
run 0 requests --cost --table hosts "${t[@]}"
text "$dir/out" '^Host +CPU for requests +For none$' "hosts, for people"
run 0 requests --cost --table no_request "${t[@]}"
no_text "$dir/out" ' -> ' "no kinds"
run 2 requests --table hosts "${t[@]}"
text "$dir/err" 'table selects a table of --cost' "a table of what"
finish
