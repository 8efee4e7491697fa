#!/usr/bin/env bash
# POST /api/query: the rows of 'meridian query', limits, mistakes, who may ask, and the session after a cancelled query.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache
if "$m" query .quit 2>&1 | grep -q 'built without SQLite'; then
	echo "skipped: this build has no SQLite"
	exit 77
fi
traces=$SRC/demo/shop-a
serve "$traces"
ready
# query WANTED-STATUS SQL [ARGUMENTS]
query() {
	ask POST "${root}api/query${3:-}" "$2"
	equal "status of $2" "$status" "$1"
}
for sql in 'select * from sched' 'select host, kind, count(*) as n, avg(duration_ns) as mean_ns from irq group by 1, 2' \
	'select * from requests_kinds' 'select * from sync_hosts' 'select null as x, 1 as y; select 2 as z'; do
	query 200 "$sql" "?rows=1000000"
	"$m" query -q --json "$traces" "$sql" 2>/dev/null | jq -c '[.tables[] | {id, columns, rows: (.rows | sort_by(tojson))}]' >"$dir/wanted"
	jq -c '[.tables[] | {id, columns, rows: (.rows | sort_by(tojson))}]' "$dir/body" >"$dir/got"
	same "$sql" "$dir/got" "$dir/wanted"
done
query 200 'select tid from sched' '?rows=7'
equal "rows" "$(jq -c '[(.tables[0].rows | length), [.diagnostics[] | select(.code == "query-rows") | .message]]' "$dir/body")" \
	'[7,["result 1 has the first 7 rows alone, and there are more: LIMIT and OFFSET choose which"]]'
query 200 'select tid from sched limit 7' '?rows=7'
equal "no more rows" "$(jq '[.diagnostics[] | select(.code == "query-rows")] | length' "$dir/body")" 0
query 200 'select count(*) as n from mpi'
equal "not recorded" "$(jq -r '.diagnostics[] | select(.code == "query-not-recorded") | .message' "$dir/body")" \
	"mpi has no rows: the traces lack the events that it is made of"
query 503 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c' '?seconds=1'
text "$dir/body" 'took more than 1 s: ask about a part of the time'
query 200 'select count(*) as n from sched' # the session goes on
while IFS='|' read -r sql said; do
	query 400 "$sql"
	text "$dir/body" "$said"
done <<-'E2'
	select * from shed|did you mean sched
	select latency from sched|character 8, at 'latency from sched'
	delete from sched|only reads
	attach 'x' as y|only reads
	select load_extension('x')|only reads
	 ; |no query
E2
for arguments in '?rows=0' '?rows=x' '?rows=1000001' '?seconds=0' '?seconds=-1' '?seconds=99999'; do query 400 'select 1' "$arguments"; done
ask POST "${root}api/query" 'select 1' 'Origin: http://evil.example'
equal "of another site" "$status" 403
ask POST "/wrongtoken/api/query" 'select 1'
equal "without the token" "$status" 403
ask GET "${root}api/query" ''
equal "tables" "$(jq -r '.tables[0].rows[].name' "$dir/body")" "$("$m" query .tables --format csv | tail -n +2 | cut -d, -f1)"
equal "columns" "$(jq -r '.tables[0].rows[] | select(.name == "sched") | .columns' "$dir/body" | tr -d '"' | sed 's/, /,/g')" \
	"$("$m" query -q --format csv "$traces" 'select * from sched limit 0')"
ask DELETE "${root}api/query" ''
equal "DELETE" "$status" 405
stop
finish
