#!/usr/bin/env bash
# meridian path: the segments tile the task's time, all forms of output tell the same, the facts that are
# known about two recordings come out, and a task that is not there is not guessed.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80 LC_ALL=C
wget=demo/wget-cold-hot rpc=demo/clihog-srvhog-2vm

# Times have 19 digits: what awk can compute with are their last 12.
# segments: of CSV, "ns host tid cause depth"
segments() {
	sed 1d "$1" | awk -F, '{ print substr($2, 8) - substr($1, 8), $3, $4 == "" ? "-" : $4, $7, $NF }'
}
# summed FILE COLUMN: of segments, "key ns", by key
summed() {
	segments "$1" | awk -v key="$2" '{ n[$key] += $1 } END { for (k in n) printf "%s %d\n", k, n[k] }' | sort
}
# member NAME FILE: rows of a table of a JSON text, one a line
member() {
	grep -oE "\"id\":\"$1\",\"title\":(null|\"[^\"]*\"),\"columns\":\[[^]]*\],\"rows\":\[[^]]*\]" "$2" |
		sed 's/.*"rows"://' | grep -oE '\{[^}]*\}'
}

# properties NAME ARGUMENT...: what holds for every path
properties() {
	local name=$1
	shift
	run 0 path -q --format csv "$@"
	cp "$dir/out" "$dir/csv"
	run 0 path -q --json "$@"
	cp "$dir/out" "$dir/json"
	run 0 path -q --format folded "$@"
	cp "$dir/out" "$dir/folded"
	run 0 path -q --format jsonl "$@"
	cp "$dir/out" "$dir/jsonl"
	local total
	total=$(numbers total_ns "$dir/json" | head -1)
	equal "$name: contiguous" "$(sed 1d "$dir/csv" |
		awk -F, 'NR > 1 && $1 != end || $2 <= $1 { print NR } { end = $2 }')" ""
	equal "$name: sum" "$(segments "$dir/csv" | sum)" "$total"
	equal "$name: folded" "$(sed 's/.* //' "$dir/folded" | sum)" "$total"
	equal "$name: rows" "$(wc -l <"$dir/jsonl")" "$(sed 1d "$dir/csv" | wc -l)"
	equal "$name: begin" "$(sed -n 2p "$dir/csv" | cut -d, -f1)" \
		"$(numbers begin "$dir/json" | head -1)"
	equal "$name: end" "$(tail -1 "$dir/csv" | cut -d, -f2)" "$(numbers end "$dir/json" | head -1)"
	# The tables are sums of the segments.
	member by_cause "$dir/json" | sed -E 's/.*"cause": ?"([^"]*)".*"total_ns": ?([0-9]+).*/\1 \2/' | sort >"$dir/a"
	summed "$dir/csv" 4 >"$dir/b"
	same "$name: by cause" "$dir/a" "$dir/b"
	member by_host "$dir/json" | sed -E 's/.*"host": ?"([^"]*)".*"total_ns": ?([0-9]+).*/\1 \2/' | sort >"$dir/a"
	summed "$dir/csv" 2 >"$dir/b"
	same "$name: by host" "$dir/a" "$dir/b"
	for table in by_task by_host; do
		equal "$name: $table" "$(member $table "$dir/json" >"$dir/rows" && numbers total_ns "$dir/rows" | sum)" "$total"
		equal "$name: $table in flight" "$(numbers in_flight_ns "$dir/rows" | sum)" \
			"$(member path "$dir/json" >"$dir/whole" && numbers in_flight_ns "$dir/whole")"
	done
	# A link for each change of task, and nowhere else.
	segments "$dir/csv" | awk '{ who = $2 " " $3 } NR > 1 && who != before { print before, who } { before = who }' >"$dir/a"
	member links "$dir/json" | sed -E 's/.*"from_host":"([^"]*)","from_tid":([0-9]+|null),.*"to_host":"([^"]*)","to_tid":([0-9]+|null),.*/\1 \2 \3 \4/
		s/null/-/g' >"$dir/b"
	same "$name: links" "$dir/a" "$dir/b"
}
properties cold --comm wget $wget
properties hot --comm wget --nth 2 $wget
properties rpc --comm rpc-cli $rpc
properties part --comm rpc-cli --begin 1795227713500000000 --end 1795227713600000000 $rpc
properties alone --comm wget --sync none $wget
properties "one host" --comm wget $wget/client
properties shell --comm sh $wget

# The same for any number of threads.
"$m" path -q --json --comm rpc-cli -j 1 $rpc >"$dir/a"
"$m" path -q --json --comm rpc-cli -j 7 $rpc >"$dir/b"
same "threads" "$dir/a" "$dir/b"

# Two machines: what is known about the recordings (their TRUTH.md).
run 0 path -q --format csv --comm rpc-cli $rpc
cp "$dir/out" "$dir/csv"
# part HOST CAUSE: ms
part() { segments "$dir/csv" | awk -v h="$1" -v c="$2" '$2 == h && $4 == c { n += $1 } END { printf "%d", n / 1e6 }'; }
within() { if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then ok; else fail "$1: $2 is not within $3..$4"; fi; }
within "server sleeps 150 ms" "$(part server timer)" 150 153
within "client sleeps 40 ms" "$(part client timer)" 40 42
within "server computes 230 ms and a child 80" "$(part server running)" 300 370
within "client computes 50 ms" "$(part client running)" 50 150
equal "fsync is disk" "$(grep -cE ',disk,.*fsync' "$dir/csv")" \
	"$(grep -cE ',server,.*,disk,.*fsync' "$dir/csv")"
[ "$(grep -cE ',disk,.*fsync' "$dir/csv")" -gt 0 ] && ok || fail "no fsync on the path"
run 0 path -q --json --comm rpc-cli $rpc
text "$dir/out" '"host":"server","tid":238,"comm":"rpc-child","total_ns":8[0-9]{7},' child
# Without a common clock the other host is left out, not invented.
run 0 path -q --format csv --comm rpc-cli --sync none $rpc
no_text "$dir/out" ',server,' "--sync none"

# For people: the tables, the list, 80 columns.
run 0 path -q --comm rpc-cli $rpc
text "$dir/out" '^rpc-cli/228 on client, from 2026-11-21 02:21:53\.117827158 for 734 ms$' title
text "$dir/out" '^Its whole lifetime; clocks of 2 hosts aligned to client' window
text "$dir/out" '^Mostly: running, rpc-srv on server \(' verdict
text "$dir/out" '^timer +[0-9.]+ ms +[0-9.]+ %$' causes
text "$dir/out" '^server  rpc-srv/237 ' tasks
text "$dir/out" '  server   +rpc-srv/237 +timer \(clock_nanosleep\)$' 'the sleep'
awk 'length($0) > 80 + 2 * gsub(/\342\200\246/, "") { exit 1 }' "$dir/out" && ok || fail "too wide"
[ "$(wc -l <"$dir/out")" -le 75 ] && ok || fail "more than a screen or two: $(wc -l <"$dir/out") lines"
# Folded or not, the lines begin one after the other and last as long as the path.
took() { awk '/^ *At \(s\)/ { list = 1; next } list && /^ *[0-9]+\.[0-9]+ / { print $1 }' "$1"; }
took "$dir/out" >"$dir/a"
check "in the order of time" sort -n -c "$dir/a"
run 0 path -q --collapse 0 --comm rpc-cli $rpc
equal "a line for each segment" "$(took "$dir/out" | wc -l)" "$(sed 1d "$dir/csv" | wc -l)"
text "$dir/out" ', wakes rpc-' 'who woke whom'
run 0 path -q --collapse 10ms --comm rpc-cli $rpc
[ "$(took "$dir/out" | wc -l)" -lt "$(wc -l <"$dir/a")" ] && ok || fail "--collapse 10ms folds no more"
run 0 path -q --collapse 0 --limit 5 --comm rpc-cli $rpc
equal "--limit" "$(took "$dir/out" | wc -l)" 5
text "$dir/out" '^\.\.\. and [0-9]+ more \(-n 0' limit
for bad in 1 x -1ms 1parsec "" ms; do
	run 2 path --collapse "$bad" --comm rpc-cli $rpc
	text "$dir/err" '--collapse: ' "--collapse $bad"
done

# Which task: the first that was started; the note says how to get at others.
run 0 path --json --comm wget $wget
text "$dir/err" 'note: 2 tasks match; showing number 1, wget/232 on client \(--nth K' note
equal "first" "$(member task "$dir/out" | grep -o '"tid":[0-9]*')" '"tid":232'
run 0 path --json --comm wget --nth 2 $wget
equal "second" "$(member task "$dir/out" | grep -o '"tid":[0-9]*')" '"tid":236'
no_text "$dir/err" 'tasks match' 'no note when it was said'
run 0 path --json --comm 'wg?t*' --tid 236 --host 'cl*' $wget
equal "by all of them" "$(member task "$dir/out" | grep -o '"tid":[0-9]*')" '"tid":236'
# A name from before exec finds the task too; its life is the whole one.
run 0 path --json --comm sh --tid 232 $wget
member task "$dir/out" >"$dir/task"
text "$dir/task" '^\{"host":"client","tid":232,"pid":232,"comm":"wget"' 'after exec'
run 0 path --list --json --comm wget $wget
equal "--list" "$(numbers tid "$dir/out" | tr '\n' ' ')" "232 236 "
run 0 path -q --list $wget
text "$dir/out" '^Nth +Host +TID +PID +Name +Begin +Duration$' list
text "$dir/out" '^\.\.\. and [0-9]+ more' 'a screenful'

# None: what there is instead.
run 2 path --comm wegt $wget
text "$dir/err" "no task named 'wegt' \(did you mean wget\?\); there are: .*path --list" 'similar name'
run 2 path --comm wget --host server $wget
text "$dir/err" "no task named 'wget' on server" 'on the wrong host'
run 2 path --tid 99999 $wget
text "$dir/err" 'no task with tid 99999' tid
run 2 path --comm wget --nth 3 $wget
text "$dir/err" '--nth 3: only 2 tasks match' nth
run 2 path $wget
text "$dir/err" 'which task\? choose one with --comm NAME or --tid N' 'neither'
run 2 path --comm wget --begin +2s $wget
text "$dir/err" "'wget' between --begin and --end; the first matching task lived from \+0\.7" 'out of the window'
run 2 path --list --format dot --comm wget $wget
run 2 path --comm wget
run 3 path --comm wget "$dir/nowhere"

# Graphs: a node for each task, a box for each host; stacks for speedscope.
run 0 path -q --format dot --comm rpc-cli $rpc
equal "boxes" "$(grep -c 'subgraph cluster_' "$dir/out")" 2
text "$dir/out" 'label="rpc-srv/237\\n' node
text "$dir/out" 'label="network [0-9]+x\\n' edge
if command -v dot >/dev/null; then check "Graphviz reads it" dot -Tsvg -o "$dir/svg" "$dir/out"; fi
run 0 path -q --format speedscope --comm rpc-cli $rpc
text "$dir/out" '^\{"\$schema":"https://www.speedscope.app/file-format-schema.json"' speedscope
equal "opened and closed" "$(grep -oE '"type":"O"' "$dir/out" | wc -l)" "$(grep -oE '"type":"C"' "$dir/out" | wc -l)"
if command -v jq >/dev/null; then check "JSON" jq -e '.profiles[0].events | length > 10' "$dir/out"; fi

# A picture: a lane for each task on the path, and each cause with its time, as the text has it.
run 0 path --comm wget --nth 1 --plot "$dir/path.svg" $wget
if command -v xmllint >/dev/null; then check "XML" xmllint --noout "$dir/path.svg"; fi
equal "tasks" "$(grep -cE 'text-anchor="end">(wget/232|nginx/152|python3/154|kernel) on ' "$dir/path.svg")" 4
"$m" path -q --comm wget --nth 1 --json $wget | grep -oE '"cause": ?"[a-z]+"' | sort -u | wc -l >"$dir/causes"
equal "causes" "$(grep -cE '<rect class="c[0-9]+" x="[0-9]+" y="[0-9]+" width="12"' "$dir/path.svg")" "$(cat "$dir/causes")"
run 0 path --comm wget --nth 1 --plot - $wget
same "the picture alone" "$dir/out" "$dir/path.svg"
run 2 path --list --plot "$dir/x.svg" $wget
text "$dir/err" '--plot draws the path'

# No scheduling events: said, with what to record.
"$ctfgen" -o "$dir/net" tests/tools/two-hosts.scn
run 3 path --comm wget "$dir/net/server"
text "$dir/err" 'no scheduling events \(sched_switch\)' 'what to record'
finish
