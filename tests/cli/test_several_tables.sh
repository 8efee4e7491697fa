#!/usr/bin/env bash
# Several tables at once: rows say which table they are of, --table all has all tables of an analysis, and
# -o FOLDER/ writes each one to a file of its own, as --table ID prints it alone.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
cd "$SRC" || exit 1
demo=demo/wget-cold-hot
jq=$(command -v jq)

# tables ANALYSIS: their ids
tables() { "$m" top "$1" --table list --format csv | sed 1d | cut -d, -f1; }
# names FOLDER ENDING: of the files, without it
names() { (cd "$1" && ls) | sed "s/\.$2\$//"; }

# In one stream: the column "table" in front, a heading for each table in CSV.
run 0 top cpu --table all --format csv $demo
equal "each table has a heading" "$(grep -c '^table,' "$dir/out")" "$(tables cpu | wc -l)"
equal "and a name in its rows" "$(grep -v '^table,' "$dir/out" | grep . | cut -d, -f1 | uniq)" "$(tables cpu)"
run 0 top cpu --table all --format jsonl $demo
equal "so in JSON Lines" "$(sed 's/^{"table":"//; s/".*//' "$dir/out" | uniq)" "$(tables cpu)"
run 0 top cpu --table all --format json $demo
[ -z "$jq" ] || equal "so in JSON" "$(jq -r '.tables[].id' "$dir/out")" "$(tables cpu)"
run 0 top cpu --table cpus,all $demo
equal "each once" "$(grep -c '^CPU usage by CPU' "$dir/out")" 1
run 2 top cpu --table alle $demo
run 2 top cpu --table all --min 1ms $demo # not all of them have durations
run 0 stats syscall --table all --format csv $demo
text "$dir/out" '^table,'
run 0 top cpu --table bins --format csv $demo
equal "bins without --bins" "$(sed 1d "$dir/out" | cut -d, -f1 | sort -u | wc -l)" 20

# In a folder: as each one alone. It is made, or is there.
for format in csv jsonl json; do
	out=$dir/$format/
	[ $format = csv ] && mkdir "$out" && out=$dir/$format
	run 0 top cpu --table all --format $format -o "$out" $demo
	equal "$format: nothing else" "$(wc -c <"$dir/out")" 0
	equal "$format: files" "$(names "$dir/$format" $format)" "$(tables cpu | sort)"
	for id in $(tables cpu); do
		run 0 top cpu --table "$id" --format $format $demo
		same "$format: $id" "$dir/$format/$id.$format" "$dir/out"
	done
done
run 0 freq syscall -n 2 --format csv -o "$dir/freq/" $demo
run 0 freq syscall -n 2 --format csv $demo
same "histograms, with a limit" "$dir/freq/freq.csv" "$dir/out"
run 0 top cpu --format csv -o "$dir/one.csv" $demo
equal "a file is no folder" "$(head -c 5 "$dir/one.csv")" host,
run 0 top cpu --format csv --csv-safe -o "$dir/safe/" $demo
run 0 top cpu --format csv $demo
same "--csv-safe" "$dir/safe/top.csv" "$dir/out"

# Other verbs.
run 0 stats --format csv -o "$dir/stats/" $demo
equal "stats" "$(names "$dir/stats" csv | tr '\n' ' ')" "by_host by_name by_stream losses total "
run 0 stats --json -o "$dir/stats/" $demo
run 0 stats --json $demo
equal "stats: a document for each table" "$(jq -c '.tables[].id' "$dir"/stats/*.json)" "$(jq -c '.tables[].id' "$dir/out" | sort)"
run 0 summary --format jsonl -o "$dir/summary/" $demo
equal "summary" "$(names "$dir/summary" jsonl | tr '\n' ' ')" "cpus findings hosts io links requests top waits "
run 0 sync --format csv -o "$dir/sync/" $demo
equal "sync" "$(names "$dir/sync" csv | tr '\n' ' ')" "clock_map clocks contradictions host_details hosts loopback messages pair_details \
pairs pieces slews steps vcpus vm_details vms "
equal "sync: heading" "$(head -1 "$dir/sync/pairs.csv" | cut -d, -f1-3)" a,b,quality
run 0 sync --at client:+1s --format csv -o "$dir/sync/" $demo
run 0 sync --compare --format csv -o "$dir/sync/" $demo
equal "sync --at, --compare" "$(cd "$dir/sync" && echo at.csv g*.csv me*.csv)" "at.csv given.csv messages.csv methods.csv"
for args in latency "info --streams" check "layout demo/wget-cold-hot/client sched_switch"; do
	where=$demo
	[ "${args%% *}" = layout ] && where=
	# shellcheck disable=SC2086
	run 0 $args --json $where
	cp "$dir/out" "$dir/whole"
	# shellcheck disable=SC2086
	run 0 $args --format csv -o "$dir/of-${args%% *}/" $where
	equal "$args: files" "$(names "$dir/of-${args%% *}" csv)" "$(jq -r '.tables[].id' "$dir/whole" | sort)"
	equal "$args: their rows" "$(cat "$dir/of-${args%% *}"/*.csv | wc -l)" "$(jq '[.tables[] | (.rows | length) + 1] | add' "$dir/whole")"
done
task="task --comm wget --nth 1"
# shellcheck disable=SC2086
{
	run 0 $task --format csv $demo
	equal "task: one table" "$(head -1 "$dir/out" | cut -d, -f1-3)" depth,host,tid
	cp "$dir/out" "$dir/accounting"
	run 0 $task --table all --format csv $demo
	equal "task: all tables" "$(grep -c '^table,' "$dir/out")" 5
	equal "task: their names" "$(grep -v '^table,' "$dir/out" | grep . | cut -d, -f1 | uniq | tr '\n' ' ')" \
		"blocking accounting resources residual relations "
	run 0 $task --format csv -o "$dir/task/" $demo
	equal "task: files" "$(names "$dir/task" csv | tr '\n' ' ')" "accounting blocking relations residual resources task "
	same "task: a file" "$dir/task/accounting.csv" "$dir/accounting"
	run 0 $task --json -o "$dir/task/" $demo
	[ -z "$jq" ] || equal "task: JSON" "$(jq -r '.tables[].id' "$dir/task/residual.json" "$dir/task/task.json" | tr '\n' ' ')$(jq -r '.tables[0].rows[0].comm' "$dir/task/task.json")" "residual task wget"
	run 0 $task --list --format csv -o "$dir/task/" $demo
	check "task: list" test -s "$dir/task/tasks.csv"
	# Of a path, waits and a difference there is one table in CSV; a folder has what is beside it, too.
	run 0 path --comm wget --format csv $demo
	cp "$dir/out" "$dir/segments"
	run 0 path --comm wget --format csv -o "$dir/path/" $demo
	same "path: segments" "$dir/path/segments.csv" "$dir/segments"
	equal "path: files" "$(names "$dir/path" csv | tr '\n' ' ')" \
		"by_cause by_host by_task links other_clients path segment_cpus segment_packets segments task "
	run 0 blocked --comm wget --format csv -o "$dir/blocked/" $demo
	equal "blocked: files" "$(names "$dir/blocked" csv | tr '\n' ' ')" "left_out meanwhile waits "
	run 0 diff --comm wget --format jsonl -o "$dir/diff/" $demo
	equal "diff: files" "$(names "$dir/diff" jsonl | tr '\n' ' ')" "by_cause by_host by_task diff part_shares parts sides "
}

# What cannot be.
run 2 top cpu -o "$dir/csv" $demo
text "$dir/err" 'a folder needs --format csv, jsonl or json' 'a folder of text'
run 3 top cpu --format csv -o "$dir/none/deeper/" $demo
mkdir -p "$dir/taken/top.csv"
run 3 top cpu --format csv -o "$dir/taken" $demo
text "$dir/err" 'taken/top.csv: cannot write: Is a directory'
run 3 events --format csv -o "$dir/csv" $demo # one table: a file
if [ -w /dev/full ]; then
	mkdir "$dir/full"
	for id in $(tables cpu); do ln -s /dev/full "$dir/full/$id.csv"; done
	run 5 top cpu --table all --format csv -o "$dir/full" $demo
	text "$dir/err" 'cannot write to .*full/top.csv: No space left'
fi
run 0 completion bash
text "$dir/out" 'processes.* all' 'completion'

# A key says the unit of its values: for every table of every analysis, and of other verbs.
keys() { # keys FILE: of the headings of its tables
	sed -n '1p; /^table,/p' "$1" | tr , '\n' | sort -u
}
for analysis in $("$m" top --format csv | sed 1d | cut -d, -f1 | grep -v period); do
	[ "$analysis" = view ] && analysis="view --view mpi"
	# shellcheck disable=SC2086
	run "0|3" top $analysis --table all -n 1 --format csv $demo
	keys "$dir/out" >>"$dir/keys"
done
for args in sync "sync --compare" "sync --at client:+1s" latency "latency -m" stats "path --list" "path --tid 235" blocked \
	"blocked --tid 235" "info --streams" "$task --table all" "diff --tid 235 --against $demo" graph summary; do
	# shellcheck disable=SC2086
	run 0 $args --format csv $demo
	keys "$dir/out" >>"$dir/keys"
done
equal "keys without unit" \
	"$(sort -u "$dir/keys" | grep -E '(^|_)(rate|drift|share|duration|latency|median|max|min|mean|stddev|p50|p90|p99|size|offset|bound|beta|delay|runnable|self|children|residual)$')" ""
finish
