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
	"kind,count,rate,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns,out_bytes,in_bytes,most_parallel,windows,lost_events,requester_ns,network_ns,queued_ns,running_ns,runnable_ns,disk_ns,locks_ns,other_ns,below_ns"
cp "$dir/out" "$dir/kinds"
run 0 requests --list -n 0 --format csv $t
cp "$dir/out" "$dir/list"
equal "columns of --list" "$(head -1 "$dir/out")" \
	"id,begin,end,latency_ns,kind,client_host,client_tid,client_comm,client_port,server_host,server_tid,server_comm,server_port,client,server,parent,confidence,out_bytes,in_bytes,messages,most"
equal "counts of kinds are rows of the list" "$(sed 1d "$dir/kinds" | cut -d, -f2 | sum)" "$(sed 1d "$dir/list" | wc -l)"
equal "slowest first" "$(sed 1d "$dir/list" | cut -d, -f4 | sort -c -rn 2>&1)" ""
equal "each id once" "$(sed 1d "$dir/list" | cut -d, -f1 | sort | uniq -d)" ""
# Parts of a kind are the time of its requests.
equal "sums of kinds" "$(awk -F, 'NR > 1 { for (i = 15; i <= 23; i++) n += $i } END { printf "%.0f", n }' "$dir/kinds")" \
	"$(awk -F, 'NR > 1 && $20 == 1 { n += $4 } END { printf "%.0f", n }' "$dir/list")"
run 0 requests --list --sort begin -n 0 --format csv $t
equal "by begin" "$(sed 1d "$dir/out" | cut -d, -f2 | sort -c -n 2>&1)" ""
run 0 requests --list -n 0 --format jsonl $t
equal "JSON Lines" "$(wc -l <"$dir/out")" "$(sed 1d "$dir/list" | wc -l)"

# What is selected.
kind=$(sed -n 2p "$dir/list" | cut -d, -f5)
run 0 requests --list -n 0 --kind "$kind" --format csv $t
equal "--kind" "$(sed 1d "$dir/out" | cut -d, -f5 | sort -u)" "$kind"
port=$(sed -n 2p "$dir/list" | cut -d, -f13)
run 0 requests --list -n 0 --to "$port" --format csv $t
equal "--to PORT" "$(sed 1d "$dir/out" | wc -l)" "$(awk -F, -v p="$port" 'NR > 1 && $13 == p' "$dir/list" | wc -l)"
run 0 requests --list -n 0 --from 'no?such' --format csv $t
equal "--from nobody" "$(sed 1d "$dir/out" | wc -l)" 0
run 0 requests --list --from 'no?such' $t
text "$dir/out" '^No request matches the options' "nothing"
least=$(sed 1d "$dir/list" | cut -d, -f4 | sed -n 2p)
run 0 requests --list -n 0 --min "${least}ns" --format csv $t
equal "--min" "$(sed 1d "$dir/out" | wc -l)" 2
run 0 requests --list -n 1 $t
text "$dir/out" '^\.\.\. and [0-9,]+ more \(-n 0 shows all\)' "--limit"

# One of them, as a row, a tree, and a path.
id=$(sed -n 2p "$dir/list" | cut -d, -f1)
run 0 requests --list --request "$id" --format csv $t
equal "--request" "$(sed 1d "$dir/out" | cut -d, -f1)" "$id"
run 0 requests --tree --request "$id" $t
text "$dir/out" "^ *$id [a-z]" "--tree"
run 0 requests --tree -n 1 --json $t
equal "a tree in JSON" "$(jq '.requests | length > 0 and (map(select(.parent == null)) | length) == 1' "$dir/out")" true
run 0 requests --request "$id" --json $t
equal "JSON: version" "$(jq .schema_version "$dir/out")" 2
equal "JSON: keys" "$(jq -r '.requests[0] | keys | join(",")' "$dir/out")" \
	"answered,begin,bytes_in,bytes_out,client,confidence,end,id,kind,latency_ns,parent,parts,read,server"
equal "JSON: keys of an end" "$(jq -r '.requests[0].server | keys | join(",")' "$dir/out")" "address,comm,host,pid,port,tid"
equal "JSON: keys of a part" "$(jq -r '.requests[0].parts[0] | keys | join(",")' "$dir/out")" "cause,comm,host,ns,of,request,tid"
latency=$(jq '.requests[0].latency_ns' "$dir/out")
jq -S '[.requests[0].parts[] | select(.cause == "queued") | .ns] | add // 0' "$dir/out" >"$dir/queued"
run 0 path --request "$id" --json $t
equal "its path is as long" "$(jq .total_ns "$dir/out")" "$latency"
jq '[.by_cause[] | select(.cause == "queued") | .total_ns] | add // 0' "$dir/out" >"$dir/got"
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
	"$(awk -F, -v k="$kind" 'NR > 1 && $1 == k { print $16 }' "$dir/kinds")"
run 0 requests --format folded --kind "$kind" $t
equal "folded: of a kind" "$(sed 's/;.*//' "$dir/out" | sort -u)" "$kind"
run 0 requests --format speedscope $t
equal "speedscope" "$(jq -r '.shared.frames as $f | .profiles[0] as $p | $p.samples | to_entries[] |
	"\(.value | map($f[.].name) | join(";")) \($p.weights[.key])"' "$dir/out" | diff - "$dir/folded")" ""
equal "speedscope: end" "$(jq '.profiles[0] | .endValue == (.weights | add) and .type == "sampled"' "$dir/out")" true
run 2 requests --format folded --explain $t

# Why the slow ones are slow.
w=$lab/web-load
run 0 requests --explain --kind 'load -> *' --json "$w/client" "$w/web" "$w/db"
equal "differences of parts add up" "$(jq '(.causes | map(.ns) | add) == .difference_ns' "$dir/out")" true
equal "means" "$(jq '.slow.mean_ns - .typical.mean_ns == .difference_ns and .slow.count == 8' "$dir/out")" true
equal "the greatest first" "$(jq '[.causes[].ns] | . == (sort | reverse)' "$dir/out")" true
equal "keys" "$(jq -r 'keys | join(",")' "$dir/out")" "causes,diagnostics,difference_ns,kind,schema_version,sentence,slow,sync,typical"
equal "keys of a cause" "$(jq -r '.causes[0] | keys | join(",")' "$dir/out")" "cause,comm,culprits,host,ns,of,share,slow_ns,typical_ns"
equal "the N slowest" "$("$m" requests -q --explain --slowest 20 --kind 'load -> *' --json "$w/client" "$w/web" "$w/db" | jq .slow.count)" 20
equal "above a time" "$("$m" requests -q --explain --above 100ms --kind 'load -> *' --json "$w/client" "$w/web" "$w/db" | jq .slow.count)" \
	"$("$m" requests -q --list -n 0 --min 100ms --kind 'load -> *' --format csv "$w/client" "$w/web" "$w/db" | sed 1d | wc -l)"
run 0 requests --explain --kind 'load -> *' "$w/client" "$w/web" "$w/db"
text "$dir/out" 'Slow requests take [0-9.]+ ms more than typical ones: ' "the sentence"
run 2 requests --explain --list $t
run 2 requests --above 1ms $t

# What cannot be.
run 2 requests --request r99999.1 $t
text "$dir/err" "there is no request 'r99999.1'" "no such request"
run 2 path --request r1 $t
run 2 path --request "$id" --comm wget $t
text "$dir/err" 'does not work with --comm' "request and task"
run 2 requests --sort size $t
finish
