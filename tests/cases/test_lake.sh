#!/usr/bin/env bash
# meridian export on recordings of real machines: DuckDB and hyparquet, which are not ours, find in the files what
# 'meridian log' lists, row by row. The packages come from where npm gets its own; without them this is skipped.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
readers=$BUILD/lake

packages cases/lake "$readers" "DuckDB and hyparquet" || exit 77

# lake_is NAME TRACE...
lake_is() {
	local name=$1 kind n=0
	shift
	rm -rf "$dir/lake" "$dir/logs"
	mkdir "$dir/logs"
	run 0 export -o "$dir/lake" "$@"
	for kind in $(cd "$dir/lake" && ls -d kind=*); do
		kind=${kind#kind=}
		"$m" log "$kind" -n 0 --format jsonl "$@" >"$dir/logs/$kind.jsonl" 2>/dev/null
		"$m" log "$kind" -n 0 --format csv "$@" >"$dir/logs/$kind.csv" 2>/dev/null
		n=$((n + $(wc -l <"$dir/logs/$kind.jsonl")))
	done
	[ "$n" -gt 0 ] || fail "$name: no rows"
	equal "$name: rows" "$(cd "$readers" && node compare.mjs "$dir/lake" "$dir/logs" 2>&1 | head -20)" "$n"
}
check "the scenario" "$ctfgen" -o "$dir/t" "$SRC/tests/cli/export.scn"
lake_is "names of hosts" "$dir/t"
for name in shop-a mpi-3vm swap; do
	there "$lab/$name" && lake_is "$name" "$lab/$name"
done
finish
