#!/usr/bin/env bash
# meridian requests: what its options select, its formats, and path --request.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/wget-cold-hot
[ -d "$t" ] || t=$lab/web-load

run 0 requests $t
text "$dir/out" '^Requests by kind, from ' "heading"
text "$dir/out" '^Where the mean time went' "second table"
run 0 requests --format csv $t
equal "columns" "$(head -1 "$dir/out")" \
	"kind,port,service,count,rate,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns,out_bytes,in_bytes,most_parallel,windows,lost_events,requester_ns,network_ns,outside_ns,queued_ns,running_ns,runnable_ns,disk_ns,locks_ns,other_ns,below_ns,timed"
cp "$dir/out" "$dir/kinds"
run 0 requests --list -n 0 --format csv $t
cp "$dir/out" "$dir/list"
equal "columns of --list" "$(head -1 "$dir/out")" \
	"id,begin,end,latency_ns,kind,client_host,client_tid,client_comm,client_port,server_host,server_tid,server_comm,server_port,client,server,parent,confidence,out_bytes,in_bytes,messages,most"
equal "counts of kinds are rows of the list" "$(sed 1d "$dir/kinds" | cut -d, -f4 | sum)" "$(sed 1d "$dir/list" | wc -l)"
equal "slowest first" "$(sed 1d "$dir/list" | cut -d, -f4 | sort -c -rn 2>&1)" ""
equal "each id once" "$(sed 1d "$dir/list" | cut -d, -f1 | sort | uniq -d)" ""
# Parts of a kind are the time of its requests.
equal "sums of kinds" "$(awk -F, 'NR > 1 { for (i = 17; i <= 26; i++) n += $i } END { printf "%.0f", n }' "$dir/kinds")" \
	"$(awk -F, 'NR > 1 && $20 == 1 { n += $4 } END { printf "%.0f", n }' "$dir/list")"
run 0 requests --list --sort begin -n 0 --format csv $t
equal "by begin" "$(sed 1d "$dir/out" | cut -d, -f2 | sort -c -n 2>&1)" ""
run 0 requests --list -n 0 --format jsonl $t
equal "JSON Lines" "$(wc -l <"$dir/out")" "$(sed 1d "$dir/list" | wc -l)"

# Rates are of the time of all, as those of one bin.
run 0 requests --format csv $t
awk -F, 'NR > 1 { print $1, $4, $5 }' "$dir/out" | sort >"$dir/rates"
run 0 requests --bins 1 --format csv $t
awk -F, 'NR > 1 { print $3, $4, $5 }' "$dir/out" | sort >"$dir/got"
same "rates of kinds and of one bin" "$dir/got" "$dir/rates"

# Percentiles of few: the number that have a latency, and none of fewer than 10.
h2=$lab/h2-mux
if there "$h2"; then
	run 0 requests --json "$h2"
	equal "those with a latency" "$(jq -c '[table("kinds")[] | .timed == .count - .windows - .lost_events] | all' "$dir/out")" true
	few=$(jq -r '[table("kinds")[] | select(.timed > 0 and .timed < 10)][0] | "\(.count) \(.timed)"' "$dir/out")
	COLUMNS=200 run 0 requests "$h2"
	text "$dir/out" '^Kind .* Timed$' "column of those with a latency"
	text "$dir/out" "^[a-z0-9].* ${few% *} .*s +- +- .*s .* ${few#* }\$" "no percentiles of few"
fi
run 0 requests --list --json "$lab/web-load"
# More than are written at once: each is there, in each table, as in CSV.
"$m" requests -q --list --format csv "$lab/web-load" >"$dir/csv"
for of in requests ends; do
	equal "rows of $of" "$(jq -r --arg of "$of" 'table($of)[].id' "$dir/out" | md5sum)" "$(sed 1d "$dir/csv" | cut -d, -f1 | md5sum)"
done
equal "parts are in the order of requests" "$(jq -r 'table("parts")[].id' "$dir/out" | uniq | md5sum)" \
	"$(awk -F, 'NR > 1 && $4 > 0 { print $1 }' "$dir/csv" | md5sum)"
equal "confidence as it was computed" "$(jq -c '[table("requests")[].confidence | select(.) | . * 1000000 | . == round] | all' "$dir/out")" true

# What is selected.
kind=$(sed -n 2p "$dir/list" | cut -d, -f5)
run 0 requests --list -n 0 --kind "$kind" --format csv $t
equal "--kind" "$(sed 1d "$dir/out" | cut -d, -f5 | sort -u)" "$kind"
port=$(sed -n 2p "$dir/list" | cut -d, -f13)
run 0 requests --list -n 0 --to "$port" --format csv $t
equal "--to PORT" "$(sed 1d "$dir/out" | wc -l)" "$(awk -F, -v p="$port" 'NR > 1 && $13 == p' "$dir/list" | wc -l)"
server=$(sed -n 2p "$dir/list" | cut -d, -f5 | sed 's/.* -> //')
for to in "$server" "${server% *}"; do
	run 0 requests --list -n 0 --to "$to" --format csv $t
	equal "--to $to" "$(sed 1d "$dir/out" | wc -l)" "$(sed 1d "$dir/list" | cut -d, -f5 | grep -c -E -- "-> $to( |\$)")"
done
run 0 requests --list -n 0 --from 'no?such' --format csv $t
equal "--from nobody" "$(sed 1d "$dir/out" | wc -l)" 0
run 0 requests --list --from 'no?such' $t
text "$dir/out" '^No request matches the options' "nothing"
least=$(sed 1d "$dir/list" | cut -d, -f4 | sed -n 2p)
run 0 requests --list -n 0 --min "${least}ns" --format csv $t
equal "--min" "$(sed 1d "$dir/out" | wc -l)" 2
run 0 requests --list -n 1 $t
text "$dir/out" '^\.\.\. and [0-9,]+ more \(-n 0 shows all\)' "--limit"

# In 80 columns the list loses hosts of the last column, then threads' names, then digits of times, before it cuts words.
run 0 requests --list -n 3 $t
text "$dir/out" ' Mostly$' "head of the last column"
w=$lab/web-load
run 0 requests --list -n 50 --sort begin "$w"
equal "nothing is cut" "$(grep -c '…' "$dir/out")" 0
equal "last column" "$(sed 1,2d "$dir/out" | grep -v '^\.\.\.' | grep -c -v -E ' [0-9]+% [^ ]+$')" 0
text "$dir/out" '^r1[.]1 +03:19:12[.]242 .* client:load/248 ' "names of programs, times to the millisecond"
COLUMNS=100 run 0 requests --list -n 50 --sort begin "$w"
text "$dir/out" '^r1[.]1 +03:19:12[.]2423[0-9]* .* client:load-0/248 ' "names of threads have room"
COLUMNS=70 run 0 requests --list -n 50 --sort begin "$w"
text "$dir/out" '^r1[.]1 +228 ms +client:load/248 ' "no times"
COLUMNS=120 run 0 requests --list -n 50 --sort begin "$w"
text "$dir/out" '^r1[.]1 +03:19:12[.]2423[0-9]* .* client:load-0/248 .* [0-9]+% [a-zA-Z]+, (web|db|client)$' "all of it"
# Services by the names of their ports; bars for where the time went.
run 0 requests "$w"
equal "80 columns" "$(sed 's/[^ -~]/#/g; s/###/#/g' "$dir/out" | awk 'length($0) > 80' | wc -l)" 0
text "$dir/out" '^  python3 -> db:5432 postgres \(postgresql\), ' "service below a narrow table"
text "$dir/out" '^   80% in requests that the server made  █+[▏▎▍▌▋▊▉]?$' "a bar"
text "$dir/out" '^   4% requester, 3% on CPU, 2% queued, 2% runnable$' "small parts in a line"
COLUMNS=120 run 0 requests "$w"
text "$dir/out" '^Kind +Service +Count ' "column of services"
text "$dir/out" '^python3 -> db:5432 postgres +postgresql +2,169 ' "service"
text "$dir/out" '^nginx -> web:8000 python3 +- +723 ' "a port without a name"
text "$dir/out" '^  python3 -> db:5432 postgres, ' "service only once"
LC_ALL=C run 0 requests "$w"
text "$dir/out" '^   80% in requests that the server made  #+[-=]?$' "a bar without UTF-8"
equal "ASCII" "$(LC_ALL=C grep -c '[^ -~]' "$dir/out")" 0
COLUMNS=40 run 0 requests "$w"
text "$dir/out" '^   80% in requests that the server made$' "no room for bars"
equal "JSON" "$("$m" requests -q --json "$w" | jq -c '[table("kinds")[] | [.port, .service]] | sort')" '[[80,"http"],[5432,"postgresql"],[8000,null]]'
# Lines of culprits are wrapped.
run 0 requests --explain "$w"
equal "--explain in 80 columns" "$(sed 's/[^ -~]/#/g; s/###/#/g' "$dir/out" | awk 'length($0) > 80' | wc -l)" 0
equal "nothing is cut in --explain" "$(grep -c '…' "$dir/out")" 0
text "$dir/out" '^ {12}[^ ]' "a second line of a culprit"
COLUMNS=60 run 0 requests "$w"
text "$dir/out" '^load -> nginx +[0-9]' "a short kind"
no_text "$dir/out" '^[^ ]+ -> ?…' "a kind cut in the middle"
COLUMNS=200 run 0 requests "$w"
text "$dir/out" '^load -> web:80 nginx +http +[0-9]' "a kind that fits"

# A file of each table.
run 0 requests --list -n 5 --format csv -o "$dir/folder/" $t
equal "files" "$(cd "$dir/folder" && echo *)" "ends.csv parts.csv requests.csv"
same "the list in a file" "$dir/folder/requests.csv" <(head -6 "$dir/list")
equal "ends of these" "$(cut -d, -f1 "$dir/folder/ends.csv" | tr '\n' ' ')" "$(head -6 "$dir/list" | cut -d, -f1 | tr '\n' ' ')"
run 2 requests -o "$dir/folder/" $t
run 2 requests --format otlp -o "$dir/folder/" $t

# One of them, as a row, a tree, and a path.
id=$(sed -n 2p "$dir/list" | cut -d, -f1)
run 0 requests --list --request "$id" --format csv $t
equal "--request" "$(sed 1d "$dir/out" | cut -d, -f1)" "$id"
run 0 requests --tree --request "$id" $t
text "$dir/out" "^ *$id [a-z]" "--tree"
text "$dir/out" '^ +0 +[0-9.]+ [mun]?s$|^ +0 +[0-9.]+ [mun]?s +[0-9.]+ [mun]?s$' "time scale"
run 0 requests --tree -n 1 --json $t
equal "a tree in JSON" "$(jq 'table("requests") | length > 0 and (map(select(.parent == null)) | length) == 1' "$dir/out")" true
run 0 requests --request "$id" --json $t
equal "JSON: version" "$(jq .schema_version "$dir/out")" 3
equal "JSON: tables" "$(jq -r '[.tables[].id] | join(",")' "$dir/out")" "requests,parts,ends"
equal "JSON: columns are those of CSV" "$(jq -r '.tables[0] | [.columns[].key], (.rows[0] | keys_unsorted) | join(",")' "$dir/out" | sort -u)" "$(head -1 "$dir/list")"
equal "JSON: keys of a part" "$(jq -r 'table("parts")[0] | keys_unsorted | join(",")' "$dir/out")" \
	"id,nth,host,tid,comm,cause,of,meanwhile,had,ns,request"
equal "JSON: keys of ends" "$(jq -r 'table("ends")[0] | keys_unsorted | join(",")' "$dir/out")" \
	"id,client_pid,client_address,server_pid,server_address,read,answered,lost_events"
equal "JSON: the time that was looked at" "$(jq '.tables[0].rows[0] as $r | .begin <= $r.begin and $r.end <= .end' "$dir/out")" true
latency=$(jq 'requests[0].latency_ns' "$dir/out")
equal "parts follow one another" "$(jq -c 'table("parts") | map(.nth) == [range(1; length + 1)] and (map(.ns) | add) == '"$latency" "$dir/out")" true
jq -S '[requests[0].parts[] | select(.cause == "queued") | .ns] | add // 0' "$dir/out" >"$dir/queued"
run 0 path --request "$id" --json $t
equal "its path is as long" "$(jq 'table("path")[0].total_ns' "$dir/out")" "$latency"
jq '[table("by_cause")[] | select(.cause == "queued") | .total_ns] | add // 0' "$dir/out" >"$dir/got"
same "queued in both" "$dir/got" "$dir/queued"
run 0 path --request "$id" $t
text "$dir/out" 'By cause' "path as text"

# Flame graphs: the time of the requests without a parent, or of a kind.
all=$(awk -F, 'NR > 1 && $16 == "" { n += $4 } END { printf "%.0f", n }' "$dir/list")
run 0 requests --format folded $t
cp "$dir/out" "$dir/folded"
equal "folded: sum" "$(sed 's/.* //' "$dir/folded" | awk '{ n += $1 } END { printf "%.0f", n }')" "$all"
equal "folded: a line for each stack" "$(sed 's/ [0-9]*$//' "$dir/folded" | LC_ALL=C sort -c -u 2>&1)" ""
equal "folded: the time of a kind's own parts" "$(grep -F "$kind;network " "$dir/folded" | grep -v ';.*;' | sed 's/.* //')" \
	"$(awk -F, -v k="$kind" 'NR > 1 && $1 == k { print $18 }' "$dir/kinds")"
run 0 requests --format folded --kind "$kind" $t
equal "folded: of a kind" "$(sed 's/;.*//' "$dir/out" | sort -u)" "$kind"
run 0 requests --format speedscope $t
equal "speedscope" "$(jq -r '.shared.frames as $f | .profiles[0] as $p | $p.samples | to_entries[] |
	"\(.value | map($f[.].name) | join(";")) \($p.weights[.key])"' "$dir/out" | diff - "$dir/folded")" ""
equal "speedscope: end" "$(jq '.profiles[0] | .endValue == (.weights | add) and .type == "sampled"' "$dir/out")" true
run 2 requests --format folded --explain $t

# Its events: of its tasks, within its time, on all hosts; the calls that began and ended it among them.
w=$lab/web-load
id=$("$m" requests -q --list -n 1 --kind 'load -> *' --format csv "$w/client" "$w/web" "$w/db" | sed -n 2p | cut -d, -f1)
run 0 requests --request "$id" --json "$w/client" "$w/web" "$w/db"
jq -r 'requests[0] | .begin, .end' "$dir/out" >"$dir/ends"
client=$(jq 'requests[0].client_tid' "$dir/out")
jq -r 'table("parts")[].host' "$dir/out" | sort -u >"$dir/hosts"
run 0 events --request "$id" --format csv "$w/client" "$w/web" "$w/db"
cp "$dir/out" "$dir/events"
run 0 events --request "$id" --format jsonl "$w/client" "$w/web" "$w/db"
jq -r .host "$dir/out" | sort -u >"$dir/got"
same "events of all its hosts" "$dir/got" "$dir/hosts"
equal "in time order" "$(jq .time "$dir/out" | sort -c -n 2>&1)" ""
equal "the first and the last event are those of the request" "$(jq .time "$dir/out" | sed -n '1p;$p')" "$(cat "$dir/ends")"
equal "events of one CPU at a time for the requester" \
	"$(jq -s --argjson tid "$client" 'map(select(.host == "client" and .name == "sched_switch" and
		.payload.next_tid != $tid and .payload.prev_tid != $tid)) | length' "$dir/out")" 0
run 0 events --request "$id" --host db -f 'name == "sched_switch"' --format jsonl "$w/client" "$w/web" "$w/db"
equal "with --host and --filter" "$(jq -r '.host + " " + .name' "$dir/out" | sort -u)" "db sched_switch"
run 2 events --request r99999.1 $t
text "$dir/err" "there is no request 'r99999.1'" "events of no such request"

# Its waits: those of its path, task by task.
for id in $("$m" requests -q --list -n 3 --format csv "$lab/shop-a"/{client,web,db} | sed 1d | cut -d, -f1); do
	run 0 path --request "$id" --json "$lab/shop-a"/{client,web,db}
	jq -S '[table("by_cause")[] | select(.cause == "futex" or .cause == "disk") | {key: .cause, value: .total_ns}] |
		from_entries' "$dir/out" >"$dir/waits"
	# What kernels of other hosts did is of these waits, too: they are answered before any task runs.
	jq '[.begin, .end, ([(table("by_cause")[] | select(.cause == "network").total_ns), (table("by_task")[] | select(.tid == null).total_ns)] | add)]' "$dir/out" >"$dir/whole"
	run 0 blocked --request "$id" --json "$lab/shop-a"/{client,web,db}
	jq -S '[table("waits")[] | select(.cause == "futex" or .cause == "disk")] | group_by(.cause) |
		map({key: .[0].cause, value: (map(.total_ns) | add)}) | from_entries' "$dir/out" >"$dir/got"
	same "waits of $id are those of its path" "$dir/got" "$dir/waits"
	equal "its time, and at most its network of $id" "$(jq --slurpfile whole "$dir/whole" '[.begin, .end] == $whole[0][0:2] and
		(table("waits") | map(select(.cause == "network").total_ns) | add) <= $whole[0][2]' "$dir/out")" true
	equal "totals of $id" "$(jq '([table("waits")[] | .max_ns <= .total_ns and .total_ns <= .max_ns * .count] | all) and table("meanwhile") == []' \
		"$dir/out")" true
done
# A wait in connect is one wait, also while a kernel answers its packet; what that did is no time of the network, in the parts
# as in the path.
fetch=("$lab/wget-cold-hot"/{client,server})
run 0 blocked --request r1.1 --json "${fetch[@]}"
equal "connect: once, 20 ms" "$(jq -c 'table("waits")[] | select(.call == "connect") | [.count, (.total_ns / 1e6 | round)]' "$dir/out")" "[1,20]"
run 0 path --request r1.1 --json "${fetch[@]}"
jq -S '[table("by_cause")[] | {key: .cause, value: .total_ns}] | from_entries' "$dir/out" >"$dir/waits"
equal "kernels are on its path" "$(jq '[table("segments")[] | select(.tid == null and .cause == "interrupted")] | length > 0' "$dir/out")" true
run 0 requests --tree --request r1.1 --json "${fetch[@]}"
jq -S '[requests[0].parts[] | {key: .cause, value: .ns}] | group_by(.key) |
	map({key: .[0].key, value: (map(.value) | add)}) | from_entries' "$dir/out" >"$dir/parts"
same "causes of parts are those of the path" "$dir/parts" "$dir/waits"
run 0 blocked --request "$id" --depth 2 "$lab/shop-a"/{client,web,db}
run 2 blocked --request "$id" --comm wget $t
text "$dir/err" 'does not work with --comm' "waits of a request and task"
run 2 blocked --request r99999.1 $t
text "$dir/err" "there is no request 'r99999.1'" "waits of no such request"

# Two of them: their paths, by programs. A pool's threads are one program.
shop=("$lab/shop-a"/{client,web,db})
"$m" requests -q --list -n 2 --format csv "${shop[@]}" | sed 1d | cut -d, -f1,4 >"$dir/two"
{ IFS=, read -r a a_ns && IFS=, read -r b b_ns; } <"$dir/two"
run 0 diff --request "$a" "$b" --json "${shop[@]}"
cp "$dir/out" "$dir/diff"
equal "both requests" "$(jq -r '[table("sides")[] | .request, .total_ns] | join(" ")' "$dir/out")" "$a $a_ns $b $b_ns"
equal "differences of requests add up" "$(jq '(table("parts") | map(.delta_ns) | add) == table("diff")[0].delta_ns' "$dir/out")" true
equal "names of processes" "$(jq -r 'table("by_task")[].comm // empty' "$dir/out" | grep -c '^shop-')" 0
run 0 diff --request "$a,$b" --json "${shop[@]}"
same "ids with a comma" "$dir/out" "$dir/diff"
run 0 diff --request "$a" --request "$b" --json "$(dirname "${shop[0]}")" --against "$(dirname "${shop[0]}")"
jq -S 'del(.diagnostics, .tables[].rows[].sync_file?) | del(.tables[].rows[] | .sync_likely_p50_ns?, .sync_bound_p50_ns?, .sync_bound_max_ns?)' "$dir/diff" >"$dir/one"
jq -S 'del(.diagnostics, .tables[].rows[].sync_file?) | del(.tables[].rows[] | .sync_likely_p50_ns?, .sync_bound_p50_ns?, .sync_bound_max_ns?)' "$dir/out" >"$dir/got"
same "B in other traces" "$dir/got" "$dir/one"
run 0 diff --request "$a" "$b" "${shop[@]}"
text "$dir/out" "^A  $a: " "ids in the heading"
run 1 diff --request "$b" "$a" --fail-above 1ns "${shop[@]}"
run 2 diff --request "$a" "${shop[@]}"
text "$dir/err" 'two ids are required' "one request"
run 2 diff --request "$a" "$b"
text "$dir/err" 'which traces' "no traces"
run 2 diff --request "$a,r99999.1" "${shop[@]}"
text "$dir/err" "there is no request 'r99999.1'" "no such second request"
run 2 diff --request "$a,$b" --nth 2 "${shop[@]}"
text "$dir/err" 'does not work with --nth' "request and --nth"

# Over time: by the bin in which each began.
run 0 requests --bins 4 --format csv "${shop[@]}"
cp "$dir/out" "$dir/bins"
equal "columns of bins" "$(head -1 "$dir/out")" "begin,end,kind,count,rate,p50_ns,p90_ns,p99_ns,max_ns"
"$m" requests -q --format csv "${shop[@]}" | sed 1d | awk -F, '{ print $1, $4, $10 }' | sort >"$dir/kinds"
sed 1d "$dir/bins" | awk -F, '{ n[$3] += $4; if ($9 > max[$3]) max[$3] = $9 } END { for (k in n) print k, n[k], max[k] }' |
	sort >"$dir/got"
same "counts and the slowest of all bins" "$dir/got" "$dir/kinds"
equal "bins follow one another" "$(sed 1d "$dir/bins" | awk -F, 'NR > 1 && $3 == kind && $1 != end { print } { kind = $3; end = $2 }')" ""
IFS=, read -r from to kind count _ p50 p90 _ < <(sed -n 3p "$dir/bins")
"$m" requests -q --list -n 0 --sort begin --kind "$kind" --format csv "${shop[@]}" | sed 1d |
	awk -F, -v from="$from" -v to="$to" '$2 >= from && $2 < to { print $4 }' | sort -n >"$dir/latencies"
equal "requests of a bin" "$(wc -l <"$dir/latencies")" "$count"
equal "half of them take at most p50" "$(awk -v p50="$p50" '$1 <= p50 { n++ } END { print (n >= NR / 2 && n <= NR / 2 + 2) }' "$dir/latencies")" 1
equal "one in ten takes more than p90" "$(awk -v p90="$p90" '$1 <= p90 { n++ } END { print (n >= 0.9 * NR && n <= 0.9 * NR + 1) }' "$dir/latencies")" 1
run 0 requests --interval 2s -n 1 --plot "$dir/chart.svg" --json "${shop[@]}"
equal "bins of an interval, of one kind" "$(jq -c 'table("bins") | [(map(.end - .begin) | unique)[] / 1e9, (map(.kind) | unique | length)]' "$dir/out")" "[2,1]"
equal "panels of the chart" "$(grep -c '>Requests by kind<\|>Half of the requests\|>99 % of the requests' "$dir/chart.svg")" 3
run 0 requests --plot "$dir/chart.svg" "${shop[@]}"
text "$dir/out" '^Where the mean time went' "the table as without --plot"
run 0 requests --bins 4 "${shop[@]}"
text "$dir/out" '^Requests by kind over time' "heading of bins"
run 0 requests --bins 4 --kind 'no?such' "${shop[@]}"
text "$dir/out" '^No request matches' "bins of nothing"
run 2 requests --bins 4 --list "${shop[@]}"
text "$dir/err" 'do not work with --list' "bins and rows"
run 2 requests --bins 0 "${shop[@]}"
run 2 requests --bins 2 --interval 1s "${shop[@]}"
run 2 requests --interval 1ns "${shop[@]}"
text "$dir/err" 'choose a longer one' "too many bins"

# Why the slow ones are slow.
w=$lab/web-load
run 0 requests --explain --kind 'load -> *' --json "$w/client" "$w/web" "$w/db"
equal "differences of parts add up" "$(jq 'groups | [.[] | (.causes | map(.more_ns) | add) == .difference_ns] | all' "$dir/out")" true
equal "means" "$(jq '[table("groups")[] | .slow_mean_ns - .typical_mean_ns == .difference_ns] | all' "$dir/out")" true
equal "the slowest 20th of 723, in groups" "$(jq '[table("groups")[].slow_count] | add' "$dir/out")" 37
equal "the first group is the one whose main cause cost most" \
	"$(jq 'def who: [.by, .host, .program, .cause, .of]; def known: .more_ns as $ns | .cause != "queued" and $ns > 0 and (.culprits | map(.ns) | add // 0) > $ns / 2 and
			([.culprits[] | select(.what | startswith("had the connection")) | .ns] | add // 0) <= $ns / 3;
		[groups[] | .slow_count as $n | .causes[] | select(.more_ns > 0) | {who: who, ns: (.more_ns * $n)}] as $all |
		[groups[] | ([.causes[] | select(known)][0] | who) as $main | [$all[] | select(.who == $main) | .ns] | add] as $costs |
		$costs == ($costs | sort | reverse)' "$dir/out")" true
equal "the greatest first" "$(jq '[groups[] | [.causes[].more_ns] | . == (sort | reverse)] | all' "$dir/out")" true
equal "tables" "$(jq -r '[.tables[].id] | join(",")' "$dir/out")" "causes,culprits,groups"
equal "keys of a cause" "$(jq -r 'table("causes")[0] | keys_unsorted | join(",")' "$dir/out")" \
	"more_ns,percent,slow_ns,typical_ns,host,program,cause,of,by,culprits,group"
equal "keys of a group" "$(jq -r 'table("groups")[0] | keys_unsorted | map(select(test("^(shape|worker)_") | not)) | join(",")' "$dir/out")" \
	"group,kind,by,slow_count,slow_mean_ns,typical_count,typical_mean_ns,typical_same_shape,typical_request,difference_ns,first_begin,last_begin,others_meanwhile,covered_percent,sentence"
equal "culprits are of the row whose text names them" "$(jq '[groups[].causes[] | .culprits | length] | add' "$dir/out") $(jq '[table("causes") as $c |
	table("culprits")[] | .what as $what | $c[.row - 1].culprits | contains($what)] | all' "$dir/out")" "$(jq 'table("culprits") | length' "$dir/out") true"
cp "$dir/out" "$dir/all"
run 0 requests --explain -n 2 --kind 'load -> *' --json "$w/client" "$w/web" "$w/db"
equal "--limit is of each group, with its culprits" "$(jq -c '[groups[] | .causes | map(.more_ns, (.culprits | map(del(.row))))]' "$dir/out")" \
	"$(jq -c '[groups[] | .causes[:2] | map(.more_ns, (.culprits | map(del(.row))))]' "$dir/all")"
equal "the N slowest" "$("$m" requests -q --explain --slowest 20 --kind 'load -> *' --json "$w/client" "$w/web" "$w/db" |
	jq '[table("groups")[].slow_count] | add')" 20
equal "the mean of the slowest" "$("$m" requests -q --explain --slowest 3 --kind 'load -> *' --json "$w/client" "$w/web" "$w/db" | jq '.tables[2].rows[0].slow_mean_ns')" \
	"$("$m" requests -q --list -n 0 --kind 'load -> *' --json "$w/client" "$w/web" "$w/db" | jq '[table("requests")[].latency_ns] | sort | .[-3:] | add / 3 | floor')"
equal "above a time" "$("$m" requests -q --explain --above 100ms --kind 'load -> *' --json "$w/client" "$w/web" "$w/db" |
	jq '[table("groups")[].slow_count] | add')" \
	"$("$m" requests -q --list -n 0 --min 100ms --kind 'load -> *' --format csv "$w/client" "$w/web" "$w/db" | sed 1d | wc -l)"
run 0 requests --explain --kind 'load -> *' "$w/client" "$w/web" "$w/db"
tr '\n' ' ' <"$dir/out" >"$dir/flat"
text "$dir/flat" '(Slow requests to nginx on web wait|In slow requests [a-z0-9]+ on (db|web) (waits|computes)) [0-9.]+ ms (more|longer)' \
	"the sentence"
text "$dir/out" '^Who, and what' "culprits, a line each"
run 2 requests --explain --list $t
run 2 requests --above 1ms $t
run 0 requests --explain --kind 'no?such' $t
text "$dir/out" '^No request matches the options' "explain nothing"
run 0 requests --explain --kind 'no?such' --json $t
equal "explain nothing in JSON" "$(jq -c '[.tables[] | .id, (.rows | length)]' "$dir/out")" '["causes",0,"culprits",0,"groups",0]'
run 0 requests --tree --min 100s $t
text "$dir/out" '^No request matches the options' "a tree of nothing"
# Choices that leave nothing to compare.
n=$("$m" requests -q --list -n 0 --kind 'load -> *' --format csv "$w/client" "$w/web" "$w/db" | sed 1d | wc -l)
refused() { # WORDS OPTION...: a usage error that says so
	local words=$1
	shift
	run 2 requests "$@" "$w/client" "$w/web" "$w/db"
	text "$dir/err" "$words" "refused: $*"
}
refused 'choose at least 1' --explain --slowest 0
refused 'choose a time above 0' --explain --above 0
refused "$n of $n requests of load -> .* choose a lower number" --explain --slowest 100000 --kind 'load -> *'
refused "choose a longer time" --explain --above 1ns --kind 'load -> *'
refused "no request of load -> .* took longer than that; the slowest took " --explain --above 100s --kind 'load -> *'
refused '1 request of .* with a known latency' --explain --kind 'load -> *' --min "$("$m" requests -q --json "$w/client" "$w/web" "$w/db" |
	jq 'table("kinds")[] | select(.kind | startswith("load -> ")).max_ns')ns"
refused 'needs --list or --tree' --sort begin
refused 'use one of them' --list --tree
refused 'does not work with --kind' --request "$id" --kind 'load -> *'

# Clocks as recorded: each host shows its own ends, and a note says why none are joined.
run 0 requests --sync none --list -n 0 --format csv $t
text "$dir/err" 'note: --sync none .* are not joined' "hosts apart"
equal "no request over hosts" "$(awk -F, 'NR > 1 && $6 != "" && $10 != "" && $6 != $10' "$dir/out" | wc -l)" 0
run 0 requests $t
equal "no note" "$(grep -c 'sync none' "$dir/err")" 0

# What cannot be.
run 2 requests --request r99999.1 $t
text "$dir/err" "there is no request 'r99999.1'" "no such request"
run 2 path --request r1 $t
run 2 path --request "$id" --comm wget $t
text "$dir/err" 'does not work with --comm' "request and task"
run 2 requests --sort size $t
finish
