#!/usr/bin/env bash
# --period: what of the time is looked at, the periods themselves, across machines, and what is refused.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80

# Requests begin on one machine and end on the other 1 ms later, 10 ms apart.
"$ctfgen" -o "$dir/two" tests/cli/asks.scn
two=$dir/two
rows() { sed 1d "$dir/out"; } # of CSV

run 0 log period --period 'ask : answer' --period-by id --format csv "$two"
equal "periods" "$(rows | wc -l)" 20
equal "on one clock" "$(rows | awk -F, '$3 < 900000 || $3 > 1100000' | wc -l)" 0
equal "from where to where" "$(rows | cut -d, -f5,7,8,9,11,12 | sort -u)" "client,10,ask,server,20,answer"
equal "keys" "$(rows | cut -d, -f4 | tr '\n' ' ')" "$(seq 0 19 | tr '\n' ' ')"
run 0 log period --period 'ask : answer' --period-by id --sync none --format csv "$two"
equal "as recorded" "$(rows | awk -F, '$3 != 6000000' | wc -l)" 0
run 0 log period --period 'ask : answer' --period-by id --format csv --limit 3 "$two"
equal "a limit" "$(rows | wc -l)" 3
run 0 log period --period 'ask : answer' --period-by id --begin +50ms --end +80ms --format csv "$two"
equal "a range" "$(rows | cut -d, -f4 | tr '\n' ' ')" "5 6 7 "
run 2 log period --period 'ask : answer' --period-by id --begin +250ms "$two"
text "$dir/err" 'none of the 20 periods lies between --begin and --end'

# Only what is in periods counts; shares are of the time looked at.
run 0 top cpu --period 'ask : answer' --period-by id --host client --json "$two"
equal "CPU time" "$(numbers covered_ns "$dir/out" | head -1)" "$(numbers self_ns "$dir/out" | head -1)"
text "$dir/out" '"percent": ?100' 'all of it'
equal "the periods" "$(jq -c 'table("periods")[0] | [.count, .unended]' "$dir/out")" "[20,0]"
run 0 top cpu --period 'ask : answer' "$two"
text "$dir/out" ', 20.0 ms of$' 'the heading'
no_text "$dir/err" 'never ended' 'nothing to tell'
run 0 top cpu --period 'ask : answer && id >= 10' "$two"
text "$dir/err" '10 periods; 10 BEGIN events while a period was open \(--period-by' 'what does not fit'
run 0 top cpu --period 'ask && id < 10 : answer && id < 9' --period-by id "$two"
text "$dir/err" '9 periods; 1 period never ended' 'no end'
run 0 stats period --period 'ask : answer' --period-min 1us --period-max 1s "$two"
run 2 stats period --period 'ask : answer' --period-min 1s "$two"
text "$dir/err" '20 periods found, none with a duration between --period-min'

# What is refused, and the next step.
run 2 log period "$two"
text "$dir/err" "'period' needs --period 'BEGIN : END'"
run 2 log period --period 'ask : answer' --tid 10 "$two"
text "$dir/err" "--tid does not apply to 'period'"
run 2 top cpu --period-by tid "$two"
text "$dir/err" "--period-by needs --period"
run 2 top cpu --period 'ask' "$two"
text "$dir/err" "period:4: expected .* ':' before the other event, found the end"
text "$dir/err" '^  +\^$' 'the place'
run 2 top cpu --period 'ask : nothing' "$two"
text "$dir/err" "no event of these traces can match END \('meridian stats --by name'"
run 2 top cpu --period 'ask && id > 100 : answer' "$two"
text "$dir/err" "no event matches BEGIN"
run 2 top cpu --period 'ask : answer' --period-by idd "$two"
text "$dir/err" "no event of these traces has a field .idd."
text "$dir/err" "40 events match, none has all fields of this key"
run 2 stats --period 'ask : answer' "$two"
text "$dir/err" "option --period does not apply to 'stats' without an analysis"

# Every analysis takes it, on any number of threads alike, and bins sum up to the rows.
t=demo/wget-cold-hot
for a in cpu sched io net mem faults syscall irq futex poll period; do
	"$m" top $a --period 'syscall_entry_read : syscall_exit_read' --period-by tid --format csv -j 1 $t \
		>"$dir/one" 2>/dev/null </dev/null
	run "0|3" top $a --period 'syscall_entry_read : syscall_exit_read' --period-by tid --format csv -j 4 $t
	same "$a: threads" "$dir/one" "$dir/out"
done

# Names of events of applications have a colon: no quotes are needed if the one between the two has blanks around it.
"$ctfgen" -o "$dir/app" - <<'EOF2' || fail "ctfgen"
host a
1ms 0 "app:begin" id=1
3ms 0 "app:end" id=1
4ms 0 "app:begin" id=2
9ms 0 "app:end" id=2
EOF2
run 0 top period --period 'app:begin : app:end' --period-by id --format csv "$dir/app"
cp "$dir/out" "$dir/plain"
run 0 top period --period '"app:begin":"app:end"' --period-by id --format csv "$dir/app"
same "names with colons" "$dir/plain" "$dir/out"
run 0 top period --period 'app:begin && id == 2 : app:end' --period-by id --format csv "$dir/app"
run 2 top period --period 'app:begin:app:end' --period-by id "$dir/app"
finish
