#!/usr/bin/env bash
# Waits, requests and messages as facts like all others: they agree with what blocked, requests and latency say,
# in any window and of any host, and are the same from a store.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# answer FILE ARGUMENT...: its tables
answer() {
	local to=$1
	shift
	run 0 "$@" --json -q
	cp "$dir/out" "$dir/$to"
}
# picked WHAT FILE JQ FILE JQ: both pick the same, and something
picked() {
	jq -c "$3" "$dir/$2" >"$dir/a"
	jq -c "$5" "$dir/$4" >"$dir/b"
	same "$1" "$dir/a" "$dir/b"
	picked=$((picked + $(wc -l <"$dir/a")))
}

# Stolen time is in blocked, too, but no wait. Waits without length count there, but have none here.
cause='group_by([.class, .cause])[] | [.[0].class, .[0].cause, (map(.total_ns) | add)] | select(.[2] > 0)'
of_blocked="table(\"waits\") | map(select(.cause != \"stolen\" and .cause != \"hypervisor\")) | $cause"
object='group_by([.kind, .object])[] | [.[0].kind, .[0].object, (map(.total_ns) | add)] | select(.[2] > 0)'
key='.host, .tid, .kind, .call, .object, .cause, .class'
row="[$key, .by, .total_ns]"
ranks='.p50_ns, .p90_ns, .p99_ns, .p999_ns, .max_ns'

# agree RECORDING OPTION...
agree() {
	local t=$1 picked=0
	shift
	answer blocked blocked --flat --all "$@" "$t"
	answer waits top waits --all "$@" "$t"
	picked "waits: $t $*" blocked "$of_blocked" waits "table(\"top\") | $cause"
	answer waits top waits --all --group-by class,cause "$@" "$t"
	picked "waits by cause: $t $*" blocked "$of_blocked" waits "table(\"top\") | $cause"
	answer waits top waits --all --group-by kind,object "$@" "$t"
	picked "objects: $t $*" \
		blocked "${of_blocked%% | group_by*} | $object" waits "table(\"top\") | $object"
	# A row of blocked has who ended its waits if that was one.
	answer waits top waits --all --group-by host,thread,kind,call,object,cause,class,by_host,by "$@" "$t"
	picked "who ended waits: $t $*" \
		blocked "[table(\"waits\")[] | select(.by != null and .total_ns > 0) | $row]|sort[]" \
		waits "[table(\"top\") | group_by([$key])[] | select(length == 1)[0] | select(.by != null) | $row]|sort[]"
	[ "${1:-}" = --comm ] && return
	answer requests requests --all "$@" "$t"
	answer stats stats requests "$@" "$t"
	picked "latencies: $t $*" \
		requests "table(\"kinds\") | map(select(.timed > 0)) | sort_by(.kind)[] | [.kind, .timed, $ranks, .mean_ns]" \
		stats "table(\"stats\") | sort_by(.kind)[] | [.kind, .count, $ranks, (.total_ns / .count | floor)]"
	answer top top requests --all "$@" "$t"
	picked "kinds: $t $*" \
		requests 'table("kinds") | sort_by(.kind)[] | [.kind, .count, .timed, .p50_ns, .out_bytes, .in_bytes]' \
		top 'table("top") | sort_by(.kind)[] | [.kind, .count, .timed, .p50_ns, .sent_bytes, .received_bytes]'
	answer list requests --list --all "$@" "$t"
	answer log log requests --all "$@" "$t"
	picked "requests: $t $*" \
		list 'table("requests") | sort_by(.id)[] | [.id, .parent, .kind, .begin, .end, .server_port, .client_comm]' \
		log 'table("log") | sort_by(.id)[] | [.id, .parent, .kind, .begin, .end, .port, .client]'
	[ $picked -gt 10 ] || fail "$t $*: hardly anything to compare"
}

# messages RECORDING: what latency says of those of all time
messages() {
	local picked=0
	answer latency latency -n 0 "$1"
	answer stats stats messages "$1"
	picked "messages: $1" \
		latency 'table("latencies") | sort_by([.from, .to])[] | [.from, .to, .count, .min_ns, .max_ns, (.mean_ns | round)]' \
		stats 'table("stats") | sort_by([.from_host, .to_host])[] | [.from_host, .to_host, .count, .min_ns, .max_ns, .mean_ns]'
	[ $picked -gt 0 ] || fail "$1: no messages"
}

# from_store RECORDING: whatever is asked for
from_store() {
	local t=$1 words
	while read -r -a words; do
		run 0 "${words[@]}" --format csv -q --no-store "$t"
		cp "$dir/out" "$dir/read"
		run 0 "${words[@]}" --format csv -q --store "$t"
		same "from a store: ${words[*]} $t" "$dir/read" "$dir/out"
	done <<-E
		log waits
		stats waits --begin +1s --end +2s
		top waits --bins 5 --group-by by_host,by,call
		log requests
		freq requests
		top requests --bins 5
		top requests --group-by client_host,client,server --min 1ms
		log messages
		top messages --bins 5
		stats messages --group-by sender,receiver --filter content=="data"
	E
}

for t in shop-a web-lossy rpc-relay; do
	there "$lab/$t" || continue
	every 3 || continue
	agree "$lab/$t"
	agree "$lab/$t" --begin +1s --end +2500ms
	agree "$lab/$t" --host web
	agree "$lab/$t" --comm 'nginx'
done
there "$lab/page-cold" && agree "$lab/page-cold" # waits for disks
for t in cluster-10 router-3vm kvm-nested; do
	there "$lab/$t" && every 3 && messages "$lab/$t"
done
for t in shop-a web-lossy; do
	there "$lab/$t" && every 2 && from_store "$lab/$t"
done

# A request, or a message, counts once: at its server, or its sender, unless only the other end is chosen.
t=$lab/shop-a
there "$t" || finish
one() {
	run 0 "$@" --format csv -q "$t"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "count") c = i; next } { n += $c } END { print n + 0 }' "$dir/out"
}
n=$(one top requests --name 'load2*')
equal "requests of the client" "$(one top requests --name 'load2*' --host client)" "$n"
equal "requests of both" "$(one top requests --name 'load2*' --host client --host web)" "$n"
equal "requests of threads" "$(one top requests --comm 'load2*')" "$n"
equal "requests by thread of the server" "$(one top requests --group-by tid,comm --name 'load2*')" "$n"
equal "CPUs do not matter" "$(one top requests --name 'load2*' --cpu 0)" "$n"
here=$(one top messages --filter 'from_host == "client"') there=$(one top messages --filter 'to_host == "client"')
equal "messages of a host" "$(one top messages --host client)" $((here + there))
equal "messages of all hosts" "$(one top messages)" "$(one top messages --host client --host web --host db)"

# People see the waits that somebody felt, and how many others there are.
run 0 top waits -q "$t"
no_text "$dir/out" ' idle  '
text "$dir/out" '[0-9] idle waits, '
left=$(joined "$dir/out" | grep -oE '[0-9,]+ idle waits, [^;.]*' | head -1)
run 0 log waits -n 0 -q "$t"
equal "idle waits, one by one" "$(joined "$dir/out" | grep -oE '[0-9,]+ idle waits, [^;.]*' | head -1)" "$left"
run 0 top waits --all -q "$t"
text "$dir/out" ' idle  '
# What is meant does everything for somebody, as in blocked.
run 0 top waits --comm nginx --group-by class --format csv -q "$t"
text "$dir/out" '^request,'
finish
