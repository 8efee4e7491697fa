#!/usr/bin/env bash
# meridian info: the documented JSON, one host for all traces of a machine, two for two machines of
# one name, one clock for kernel and user space.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC

run 0 info --json demo/wget-cold-hot
keys() { jq -r --arg table "$1" '.tables[] | select(.id == $table).columns | map(.key) | join(" ")' "$dir/out"; }
equal "document" "$(jq -r 'keys_unsorted | join(" ")' "$dir/out")" "schema_version begin end tables sync diagnostics"
equal "tables" "$(jq -r '[.tables[].id] | join(" ")' "$dir/out")" "traces traces_missing info hosts"
equal "keys of traces" "$(keys traces)" "host host_id path domain tracer format streams packets bytes events lost_events \
lost_packets begin end clock_name clock_freq_hz clock_offset_ns clock_uuid"
equal "keys of info, hosts" "$(keys info), $(keys hosts)" "unread_traces events, host host_id"
equal "version" "$(numbers schema_version "$dir/out")" 3
equal "hosts" "$(jq -r '[table("hosts")[].host] | join(" ")' "$dir/out")" "client server"
text "$dir/out" '"domain": ?"kernel"' json
text "$dir/out" '"tracer": ?"lttng-modules 2\.13' json
text "$dir/out" '"format": ?"CTF 1\.8"' json
equal "diagnostics" "$(jq -c .diagnostics "$dir/out")" '[]'
# The whole begins with the first trace and ends with the last.
numbers begin "$dir/out" | sort -n | head -1 >"$dir/first"
numbers end "$dir/out" | sort -n | tail -1 >"$dir/last"
equal "begin" "$(numbers begin "$dir/out" | head -1)" "$(cat "$dir/first")"
equal "end" "$(numbers end "$dir/out" | head -1)" "$(cat "$dir/last")"
# Its first event is the begin, its last the end, not the headers of the packets: these begin 4 s before.
"$m" events -q --sync none --format jsonl demo/wget-cold-hot | sed 's/^{"time":\([0-9]*\),.*/\1/' >"$dir/times"
equal "first event" "$(head -1 "$dir/times")" "$(cat "$dir/first")"
equal "last event" "$(tail -1 "$dir/times")" "$(cat "$dir/last")"

for t in demo/*/; do
	n=$(lines events "$t")
	run 0 info --count --json "$t"
	equal "events of $t" "$(jq 'table("info")[].events' "$dir/out")" "$n"
	equal "events of the traces of $t" "$(jq '[table("traces")[].events] | add' "$dir/out")" "$n"
	run 0 info --json "$t"
	equal "without --count" "$(jq -c '[table("info", "traces")[].events] | unique' "$dir/out")" '[null]'
	run 0 info --count --streams --json "$t"
	check "streams of the traces of $t" jq -e '. as $d | [table("traces") | to_entries[] | .key as $i | .value as $t |
		[$d | table("streams_of_traces")[] | select(.row == $i + 1).stream] as $of | [$of[] as $n | $d | table("streams")[$n - 1]] |
		length == $t.streams and ([.[].events] | add // 0) == $t.events and ([.[].packets] | add // 0) == $t.packets] | all' "$dir/out"
	run 0 info "$t"
	awk 'length($0) > 100 { exit 1 }' "$dir/out" && ok || fail "the table of $t is too wide"
done
run 0 info --json demo/lost-events
equal "lost events" "$(numbers lost_events "$dir/out" | sum)" 89678
equal "lost events in diagnostics" "$(numbers count "$dir/out" | sum)" 89678
equal "keys of a diagnostic" "$(jq -r '.diagnostics[0] | keys_unsorted | join(" ")' "$dir/out")" \
	"severity code host path stream packet offset_bits count message"
for f in jsonl csv table; do
	run 0 info --format $f demo/wget-cold-hot
	text "$dir/out" server "$f"
done

# Errors: what and where, nothing on stdout.
run 3 info "$dir/nowhere"
text "$dir/err" "error: .*$dir/nowhere" 'no such directory'
mkdir "$dir/empty"
run 3 info "$dir/empty"
text "$dir/err" "error: .*$dir/empty" 'an empty directory'
equal "stdout beside an error" "$(wc -c <"$dir/out")" 0

# Hosts: same name but other clock are two, other name but same clock and kernel plus user space one.
cat >"$dir/twins.scn" <<-'END'
	epoch 1700000000s
	host a { hostname "twin"; boot 100s; uuid "11111111-2222-4333-8444-555555555555" }
	host b { hostname "twin"; boot 7s; uuid "11111111-2222-4333-8444-666666666666" }
	trace a/kernel { }
	trace a/ust { offset 3us }
	trace b/kernel { }
	1ms a/kernel 0 sched_switch prev_comm="x" next_tid=1
	2ms b/kernel 0 sched_switch prev_comm="y" next_tid=2
	3ms a/kernel 0 sched_switch prev_comm="z" next_tid=3
	3002us a/ust 0 app:tick n=1
	4ms a/kernel 0 sched_switch prev_comm="z" next_tid=3
END
"$ctfgen" -o "$dir/twins" "$dir/twins.scn" >/dev/null || fail "ctfgen twins.scn"
run 0 info --json "$dir/twins"
hosts() { jq 'table("hosts") | length' "$dir/out"; }
traces() { jq 'table("traces") | length' "$dir/out"; }
equal "two machines of one name" "$(hosts)" 2
equal "traces of three" "$(traces)" 3
equal "names of the two" "$(jq '[table("hosts")[].host] | unique | length' "$dir/out")" 2
text "$dir/out" '"code": ?"clock-offset-reconciled"' 'offsets of one clock'
# The user space trace is on the kernel's clock: its event is at 3.002 ms, not 3.005.
equal "reconciled" "$("$m" events -q --format jsonl -f 'name == "app:tick"' "$dir/twins" |
	sed 's/^{"time":\([0-9]*\),.*/\1/')" 1700000000003002000
equal "--sync none" "$("$m" events -q --sync none --format jsonl -f 'name == "app:tick"' "$dir/twins" |
	sed 's/^{"time":\([0-9]*\),.*/\1/')" 1700000000003005000
run 0 info --sync none --json "$dir/twins"
no_text "$dir/out" 'clock-offset-reconciled' '--sync none'

if there "$lab/mpi-3vm"; then
	run 0 info --json "$lab/mpi-3vm"
	equal "hosts of mpi-3vm" "$(hosts)" 3
	equal "traces of mpi-3vm" "$(traces)" 6
	equal "user space traces of mpi-3vm" "$(jq '[table("traces")[] | select(.domain == "ust")] | length' "$dir/out")" 3
	equal "clocks reconciled in mpi-3vm" "$(jq '[.diagnostics[] | select(.code == "clock-offset-reconciled")] | length' "$dir/out")" 3
	numbers begin "$dir/out" >"$dir/auto"
	run 0 info --sync none --json "$lab/mpi-3vm"
	no_text "$dir/out" clock-offset-reconciled '--sync none'
	numbers begin "$dir/out" >"$dir/none"
	equal "begins that --sync none moves" "$(paste "$dir/auto" "$dir/none" | awk '$1 != $2' | wc -l)" 3
	equal "by a few microseconds" "$(paste "$dir/auto" "$dir/none" |
		awk '{ a = substr($1, 9); b = substr($2, 9); d = a - b; if (d < 0) d = -d; if (d > 5000) n++ }
		     END { print n + 0 }')" 0
fi

# A trace that cannot be read is no trace of which nothing was lost.
"$ctfgen" -o "$dir/unread" "$dir/twins.scn" >/dev/null || fail "ctfgen twins.scn"
: >"$dir/unread/b/kernel/metadata"
run 3 info "$dir/unread"
text "$dir/out" '; 1 trace could not be read; nothing lost in the others' 'said on stdout'
text "$dir/out" 'Could not be read: .*metadata is empty: the tracer did not finish' 'which, and why'
run 3 info --json "$dir/unread"
equal "unread_traces" "$(numbers unread_traces "$dir/out")" 1
run 0 info --json "$dir/twins"
equal "all were read" "$(numbers unread_traces "$dir/out")" 0

# Traces of processes differ in the middle of their paths, which is what is cut: each has its own name.
names="shop-server-1001-20261129-101010 shop-server-1002-20261129-101011 shop-worker-1003-20261129-101011"
{
	echo 'host h'
	for name in $names; do echo "trace h/ust/pid/$name/64-bit { domain ust }"; done
	echo
	for name in $names; do echo "1ms h/ust/pid/$name/64-bit 0 a:x v=1"; done
} >"$dir/pid.scn"
check "traces of processes" "$ctfgen" -o "$dir/pid" "$dir/pid.scn"
for words in info "stats --by stream"; do
	# shellcheck disable=SC2086
	COLUMNS=80 run 0 $words "$dir/pid"
	equal "$words: names" "$(grep -oE '(server|worker)-100[1-3]' "$dir/out" | sort -u | wc -l)" 3
	equal "$words: width" "$(awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' "$dir/out" | wc -l)" 0
done
finish
