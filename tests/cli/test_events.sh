#!/usr/bin/env bash
# meridian events: formats, selections, ranges, order, threads, pipes, damage of indexes. On the
# demo's recordings, and on a generated trace that is large enough to be read in slices.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export TZ=UTC
two=demo/wget-cold-hot

# Every demo in every format: as many lines as stats counts events.
for t in demo/*/; do
	t=${t%/}
	[ "$t" = $two ] || every 3 || continue # times of that one are used below
	n=$("$m" stats --json "$t" 2>/dev/null | jq 'table("total")[].count')
	[ "${n:-0}" -gt 0 ] && ok || fail "$t: stats says '$n' events"
	"$m" events -q "$t" >"$dir/text"
	"$m" events --format jsonl "$t" 2>"$dir/err" >"$dir/jsonl"
	"$m" events -q --format csv "$t" >"$dir/csv"
	equal "$t text" "$(wc -l <"$dir/text")" "$n"
	equal "$t jsonl" "$(wc -l <"$dir/jsonl")" "$n"
	equal "$t csv" "$(wc -l <"$dir/csv")" $((n + 1))
	equal "$t json" "$("$m" events --json "$t" 2>/dev/null | grep -c '^{"time":')" "$n"
	# A line of text has the time that jsonl and csv have.
	cut -c1-40 "$dir/jsonl" | sed 's/^{"time":\([0-9]*\),.*/\1/' >"$dir/t.jsonl"
	sed 1d "$dir/csv" | cut -d, -f1 >"$dir/t.csv"
	same "$t times in jsonl and csv" "$dir/t.jsonl" "$dir/t.csv"
	sed 's/.*\(.\{9\}\)$/\1/' "$dir/t.jsonl" >"$dir/ns.jsonl"
	cut -c1-40 "$dir/text" | sed 's/^\[[0-9:]*\.\([0-9]*\)\].*/\1/' >"$dir/ns.text"
	same "$t nanoseconds in text" "$dir/ns.text" "$dir/ns.jsonl"
	# Nothing goes back in time, unless a warning says so.
	if ! grep -q backwards "$dir/err"; then
		check "$t: times do not decrease" sort -c -n "$dir/t.jsonl"
	fi
	rm "$dir"/{text,jsonl,csv}
done
run 0 events --json -n 1 demo/lost-events
text "$dir/out" '^\{"schema_version":3,"events":\[$' json
text "$dir/out" '^\],"sync":null,"diagnostics":\[\{"severity":"warning","code":"lost-events","host":"lossy"' json
text "$dir/err" 'warning: .*discarded 82557 events' stderr

# Fields.
# Any one field of an event, the first too.
printf 'host h\ntrace h/kernel\nevent e { u32 a; u32 b }\n1us h 0 e a=5 b=6\n' >"$dir/fields.scn"
check "a scenario" "$ctfgen" -o "$dir/fields" "$dir/fields.scn"
for field in "a = 5" "b = 6"; do
	run 0 events --fields "${field% =*}" "$dir/fields"
	text "$dir/out" "e: \\{ $field \\}\$" "one field"
done
run 0 events --fields name,next_tid,prev_comm -f 'name == "sched_switch"' -n 2 $two
equal "fields of text" "$(sed 's/.*) //' "$dir/out" | head -1)" \
	'client sched_switch: { prev_comm = "Client manageme", next_tid = 177 }'
run 0 events --format csv --fields name,next_tid,prev_comm -f 'name == "sched_switch"' $two
equal "fields of csv" "$(head -2 "$dir/out" | tr '\n' ' ' | sed 's/[0-9]\{19\}/T/')" \
	'time,host,cpu,name,next_tid,prev_comm T,client,0,sched_switch,177,Client manageme '
equal "columns of csv" "$(awk -F, 'NF != 6' "$dir/out" | wc -l)" 0
run 0 events --headers --json -n 1 $two
text "$dir/out" '"packet_context":\{.*"header":\{.*"payload":\{' '--headers'

# Filters: against grep on the text.
"$m" events -q $two >"$dir/all"
filter() { # filter EXPR REGEX
	"$m" events -q -f "$1" $two >"$dir/out" 2>"$dir/err" || fail "$1: $(head -3 "$dir/err")"
	equal "filter $1" "$(wc -l <"$dir/out")" "$(grep -cE "$2" "$dir/all")"
	sed 's/ (.*[0-9?])//' "$dir/out" >"$dir/a"
	grep -E "$2" "$dir/all" | sed 's/ (.*[0-9?])//' >"$dir/b"
	same "filter $1" "$dir/a" "$dir/b"
}
filter 'name == "sched_switch"' ' sched_switch: '
filter 'name == "sched_*"' ' sched_[a-z_]*: '
filter 'name == "syscall_e*_openat"' ' syscall_e[a-z]*_openat: '
filter 'name =~ "^irq_softirq_(entry|exit)$"' ' irq_softirq_(entry|exit): '
filter '$host == "server" && name == "sched_switch"' ' server sched_switch: '
filter 'next_tid == 0' ' next_tid = 0,'
filter 'next_comm == "wget"' ' next_comm = "wget"'
filter 'name == "sched_switch" && prev_prio < 0' ' sched_switch: .*prev_prio = -'
n=$(lines events -f 'name == "sched_switch"' $two)
equal "a filter and its opposite" \
	$((n + $(lines events -f '!(name == "sched_switch")' $two))) "$(wc -l <"$dir/all")"
run 2 events -f 'name ==' $two
text "$dir/err" 'filter:8: expected ' 'broken filter'
equal "output of a broken filter" "$(wc -c <"$dir/out")" 0

# Limit: the first ones.
for n in 1 7 1000; do
	"$m" events -q -n $n $two >"$dir/out"
	head -$n "$dir/all" >"$dir/want"
	same "-n $n" "$dir/out" "$dir/want"
done
equal "-n beyond the end" "$(lines events -n 99999999 $two)" "$(wc -l <"$dir/all")"

# Host, processor, thread, program.
"$m" events -q --host server $two >"$dir/out"
equal "--host" "$(wc -l <"$dir/out")" "$(grep -c ') server ' "$dir/all")"
no_text "$dir/out" '\) client ' '--host server'
equal "--host twice" "$(lines events --host client,server $two)" "$(wc -l <"$dir/all")"
"$m" events -q demo/lost-events >"$dir/lossy"
for cpu in 0 1; do
	"$m" events -q --cpu $cpu demo/lost-events | sed 's/ ([^)]*)//' >"$dir/out"
	grep "{ cpu_id = $cpu }" "$dir/lossy" | sed 's/ ([^)]*)//' >"$dir/want"
	same "--cpu $cpu" "$dir/out" "$dir/want"
done
equal "--cpu 0-1" "$(lines events --cpu 0-1 demo/lost-events)" "$(wc -l <"$dir/lossy")"
"$m" events -q --tid 177 --format jsonl $two >"$dir/out"
[ -s "$dir/out" ] && ok || fail "--tid finds nothing"
equal "--tid" "$(grep -cvE 'tid":177[,}]' "$dir/out")" 0
"$m" events -q --comm 'wg?t' --format jsonl $two >"$dir/out"
[ -s "$dir/out" ] && ok || fail "--comm finds nothing"
equal "--comm" "$(grep -cvE '"[a-z_]*(comm|name|filename)":"wget"' "$dir/out")" 0

# Adjacent ranges: together they are the whole, nothing missing, nothing twice.
ranges() { # ranges WHAT TRACE OPTIONS...
	local what=$1 t=$2 from to
	shift 2
	"$m" events -q --format jsonl "$@" "$t" >"$dir/whole"
	: >"$dir/parts"
	set -- "$@" --format jsonl
	"$m" events -q "$@" --end +0.5s "$t" >>"$dir/parts"
	from=+0.5s
	for to in +1s +1.25s +2s +5s +6.1s +100s; do
		"$m" events -q "$@" --begin $from --end $to "$t" >>"$dir/parts"
		from=$to
	done
	"$m" events -q "$@" --begin $from "$t" >>"$dir/parts"
	same "ranges of $what" "$dir/parts" "$dir/whole"
}
for t in demo/wget-cold-hot demo/lost-events demo/reader-zoo demo/cluster-10; do
	every 4 || continue
	ranges "$t" "$t"
done
ranges "sched_switch of $two" $two -f 'name == "sched_switch"'
# A clock that goes backwards, inside a packet and from one to the next: still each event once.
cat >"$dir/back.scn" <<-END
	epoch 1700000000s
	host one
	1ms 0 tick n=1
	1400ms 0 tick n=2
	200ms 0 tick n=3
	1600ms 0 tick n=4
	2500ms 0 packet
	1900ms 0 tick n=5
	700ms 1 tick n=6
	2600ms 0 tick n=7
	1100ms 0 tick n=8
END
"$ctfgen" -o "$dir/back" "$dir/back.scn" >/dev/null || fail "ctfgen back.scn"
"$m" events --format jsonl "$dir/back" >"$dir/whole" 2>"$dir/err"
equal "events of a clock that goes backwards" "$(wc -l <"$dir/whole")" 8
text "$dir/err" 'warning: .*clock goes backwards' 'a clock that goes backwards'
for at in +0.1s +0.3s +0.75s +1.2s +1.5s +1.95s +2.55s; do
	"$m" events -q --format jsonl --end $at "$dir/back" >"$dir/parts"
	"$m" events -q --format jsonl --begin $at "$dir/back" >>"$dir/parts"
	same "two ranges of a clock that goes backwards, at $at" \
		<(sort "$dir/parts") <(sort "$dir/whole")
done
# Between two events, to the nanosecond: the begin belongs to the range, the end does not.
third=$(sed -n 3p "$dir/t.jsonl") fourth=$(awk -v t="$third" '$1 > t { print; exit }' "$dir/t.jsonl")
in_range=$(awk -v t="$third" '$1 == t' "$dir/t.jsonl" | wc -l)
clock() { date -u -d "@${1%?????????}.${1: -9}" +"%Y-%m-%dT%H:%M:%S.%N"; }
equal "a range of one moment" \
	"$(lines events --begin "$(clock "$third")Z" --end "$(clock "$fourth")Z" demo/wget-cold-hot)" \
	"$in_range"

# Order: whatever the order of the arguments; the same trace twice is read once.
"$m" events -q demo/cluster-10 >"$dir/want"
"$m" events -q demo/cluster-10/node03 demo/cluster-10/node01 demo/cluster-10/node02 >"$dir/out"
same "order of arguments" "$dir/out" "$dir/want"
"$m" events -q demo/cluster-10/node01 demo/cluster-10 demo/cluster-10/node01/kernel/ \
	demo/../demo/cluster-10 >"$dir/out"
same "the same trace twice" "$dir/out" "$dir/want"
mkdir "$dir/link"
ln -s "$PWD/demo/cluster-10/node01" "$dir/link/again"
"$m" events -q demo/cluster-10/node01 >"$dir/want"
"$m" events -q demo/cluster-10/node01 "$dir/link/again" >"$dir/out"
same "the same trace by a link" "$dir/out" "$dir/want"

# Rotated chunks: one logical trace with the events of all.
n=0
for chunk in demo/reader-zoo/chunks/archives/*/; do n=$((n + $(lines events "$chunk"))); done
equal "chunks" "$(lines events demo/reader-zoo/chunks)" "$n"
equal "traces of chunks" "$("$m" info --json demo/reader-zoo/chunks | jq 'table("traces") | length')" 1

# An index that is missing or lies changes nothing; the lie is a warning.
cp -r demo/lost-events/lossy/kernel "$dir/k"
chmod -R u+w "$dir/k"
sed 's/ ([^)]*)//' "$dir/lossy" >"$dir/want"
lying() { # lying WHAT
	"$m" events --format text "$dir/k" 2>"$dir/err" | sed 's/ ([^)]*)//' >"$dir/out"
	same "$1" "$dir/out" "$dir/want"
	text "$dir/err" 'warning: .*index (disagrees|.*(damaged|wrong|ignored|not used))' "$1"
}
idx=$dir/k/index/ch_0.idx
cp "$idx" "$dir/idx"
patch() { # patch OFFSET BYTES...: of the index
	cp "$dir/idx" "$idx"
	printf "$2" | dd of="$idx" bs=1 seek="$1" conv=notrunc status=none
}
# Header of 16 bytes; entries of 72: offset, packet size, content size, begin, end, discarded, ...
patch $((16 + 7 * 72 + 6)) '\x7f' && lying "index: offset of packet 7"
patch $((16 + 3 * 72 + 13)) '\xff' && lying "index: size of packet 3"
patch $((16 + 3 * 72 + 22)) '\x01' && lying "index: content of packet 3"
patch $((16 + 5 * 72 + 28)) '\x55' && lying "index: begin of packet 5"
patch $((16 + 5 * 72 + 34)) '\x55' && lying "index: end of packet 5"
# What is no index is not looked at.
patch 0 '\x00'
"$m" events -q "$dir/k" | sed 's/ ([^)]*)//' >"$dir/out"
same "index: magic" "$dir/out" "$dir/want"
head -c 200 "$dir/idx" >"$idx" && lying "index: cut"
patch $((16 + 5 * 72 + 28)) '\x55'
text <("$m" events -n 1 --json "$dir/k" 2>/dev/null) '"code":"index-mismatch"' 'lying index'
rm -r "$dir/k/index"
"$m" events -q "$dir/k" | sed 's/ ([^)]*)//' >"$dir/out"
same "no index" "$dir/out" "$dir/want"

# Slices: more than one thread gives the same bytes, in every format and selection.
"$ctfgen" --big kernel --events 600000 --packet 16384 -o "$dir/big" >/dev/null || fail "ctfgen"
[ "$(du -sm "$dir/big" | cut -f1)" -gt 17 ] && ok || fail "the big trace is too small for threads"
threads() { # threads OPTIONS...
	"$m" events -q -j1 "$@" "$dir/big" >"$dir/j1"
	[ -s "$dir/j1" ] && ok || fail "no output: $*"
	for j in 2 4; do
		"$m" events -q -j$j "$@" "$dir/big" >"$dir/jn"
		if cmp -s "$dir/j1" "$dir/jn"; then ok; else fail "-j1 and -j$j differ: $*"; fi
	done
	rm -f "$dir/jn"
}
threads
equal "events of the big trace" "$(wc -l <"$dir/j1")" 600000
sed 's/^\[\([0-9:]*\.[0-9]*\)\].*/\1/' "$dir/j1" >"$dir/times"
check "the big trace is in order" env LC_ALL=C sort -c "$dir/times"
threads --format jsonl
check "the big trace has no event twice" sh -c '[ -z "$(sort "$1" | uniq -d | head -1)" ]' - "$dir/j1"
threads --json
threads --format csv --fields name,next_tid
threads -f 'name == "sched_switch" && cpu_id < 4'
threads --cpu 3,5
threads --begin +20ms --end +130ms
a=$(lines events -j2 --end +33.333ms "$dir/big") b=$(lines events -j1 --begin +33.333ms "$dir/big")
equal "two ranges of the big trace" $((a + b)) 600000

# | head is quiet and quick, a full disk is an error, Ctrl-C ends at once.
TIMEFORMAT=%U # CPU time, in seconds: how busy the machine is makes no difference
for j in 1 2; do
	{ time "$m" events -j$j "$dir/big" >"$dir/all" 2>/dev/null; } 2>"$dir/all_cpu"
	{ time {
		"$m" events -j$j "$dir/big" 2>"$dir/err" | head -1 >"$dir/out"
		status=${PIPESTATUS[0]}
	}; } 2>"$dir/head_cpu"
	equal "lines of head" "$(wc -l <"$dir/out")" 1
	equal "stderr with head" "$(cat "$dir/err")" ""
	[ "$status" -eq 0 ] || [ "$status" -eq 141 ] && ok || fail "exit $status with head"
	awk 'NR == FNR { all = $1; next } { exit $1 > all / 2 + 0.05 }' "$dir/all_cpu" "$dir/head_cpu" && ok ||
		fail "head takes $(cat "$dir/head_cpu") s of CPU, all of it $(cat "$dir/all_cpu")"
	if [ -c /dev/full ]; then
		"$m" events -j$j "$dir/big" >/dev/full 2>"$dir/err"
		equal "exit with a full disk" $? 5
		text "$dir/err" 'error: cannot write to standard output' 'a full disk'
	fi
	# The reader sleeps, so the run waits in the middle of a write: it ends while there still is a reader.
	mkfifo "$dir/fifo"
	sleep 1000 <"$dir/fifo" &
	sleeper=$!
	timeout -k 100 --preserve-status -s INT 0.3 "$m" events -j$j "$dir/big" >"$dir/fifo" 2>"$dir/err"
	equal "exit after Ctrl-C" $? 130
	kill -0 $sleeper && ok || fail "Ctrl-C: the reader ended first"
	no_text "$dir/err" 'error' 'Ctrl-C'
	kill $sleeper 2>/dev/null
	wait $sleeper 2>/dev/null
	rm "$dir/fifo"
done

finish
