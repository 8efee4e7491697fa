#!/usr/bin/env bash
# meridian top, log, freq and stats ANALYSIS: counts done by hand, what options do and where they are
# refused; and of every analysis that there is: the same rows in all formats, lines that fit.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80
"$ctfgen" -o "$dir/f" tests/cli/faults.scn
f=$dir/f
rows() { sed 1d "$dir/out"; } # of CSV
jq=$(command -v jq)

# What there is.
for verb in top log freq; do
	run 0 $verb
	text "$dir/out" "^Usage: meridian $verb ANALYSIS" "$verb alone"
	equal "$verb alone: width" "$(awk 'length($0) > 79' "$dir/out" | wc -l)" 0
done
run 0 top
text "$dir/out" '^  faults +page faults' 'the list'
run 0 freq --format csv
rows | cut -d, -f1 | sort >"$dir/with"
run 0 top --format csv
without=$(rows | cut -d, -f1 | sort | comm -23 - "$dir/with" | head -1) # an analysis that has no freq
run 0 freq
[ -z "$without" ] || no_text "$dir/out" "^  $without " 'an analysis without freq'
run 2 top fautls "$f"
text "$dir/err" "no analysis 'fautls' \(did you mean faults\?\); there are: .*faults" 'a wrong word'
run 2 top "$f"
text "$dir/err" 'the analysis comes before the traces' 'no word'
run 2 top faults
text "$dir/err" 'usage: meridian top faults' 'no trace'
[ -z "$without" ] || run 2 freq "$without" "$f"
[ -z "$without" ] || text "$dir/err" "'$without' has no 'freq'; it has: .*top" 'no such verb'
run 3 top faults "$dir/nothing"

# Nothing to show: why, and what would show something.
run 3 top mem "$f"
text "$dir/out" '^lttng enable-event --kernel kmem_mm_page_alloc,' 'what to record'
run 0 top poll -q demo/wget-cold-hot
text "$dir/out" 'The events were recorded, but none occurred' 'none occurred'

# Rows.
run 0 top faults --format csv "$f"
printf '%s\n' host,tid,pid,comm,faults,percent,minor,major,kernel,wait_ns,max_wait_ns,max_at \
	alpha,100,,reader,4,40,3,0,1,,, beta,200,,reader,4,40,4,0,0,,, alpha,101,,writer,2,20,2,0,0,,, >"$dir/want"
same "top" "$dir/want" "$dir/out"
run 0 top faults -j 1 --format csv "$f"
same "one thread" "$dir/want" "$dir/out"
run 0 log faults --format csv "$f"
equal "log: all" "$(rows | wc -l)" 10
equal "log: in order" "$(rows | cut -d, -f1 | sort -c -n 2>&1)" ""
equal "log: first" "$(rows | head -1)" "1700000000005000000,beta,200,,reader,0,minor,,0x7000"
run 0 log faults --format csv --limit 3 "$f"
equal "log: three" "$(rows | cut -d, -f9 | tr '\n' ' ')" "0x7000 0x1000 0x5000 "
run 0 log faults --format csv --limit 3 --sort time -r "$f"
equal "log: the last three" "$(rows | cut -d, -f9 | tr '\n' ' ')" "0xa000 0x9000 0x6000 "
run 0 log faults --limit 3 "$f"
text "$dir/out" '^\.\.\. and 7 more \(-n 0 shows all\)' 'what a limit leaves out'
run 0 log faults --limit 0 "$f"
no_text "$dir/out" 'more \(' 'no limit'

# Order.
run 0 top faults --sort +minor --format csv "$f"
equal "least first" "$(rows | cut -d, -f7 | tr '\n' ' ')" "2 3 4 "
run 0 top faults --sort tid -r --format csv "$f"
equal "greatest first" "$(rows | cut -d, -f2 | tr '\n' ' ')" "200 101 100 "
run 2 top faults --sort minr "$f"
text "$dir/err" 'no column .minr. \(did you mean minor\?\); there are: host, tid, ' 'a wrong key'

# What is wanted.
count() { # of all faults: count WANTED OPTION...
	local want=$1
	shift
	run 0 top faults --format csv "$@" "$f"
	equal "faults with $*" "$(rows | cut -d, -f5 | sum)" "$want"
}
count 10
count 6 --host alpha
count 8 --cpu 0
count 2 --cpu 1
count 4 --tid 100
count 6 --tid 100-101
count 8 --comm reader
count 10 --comm '*er'
count 2 --comm 'w*' --host alpha
count 4 --comm reader --host alpha
# From begin on, before end.
count 6 --begin @1700000000.025
count 4 --end @1700000000.025
count 4 --begin @1700000000.020 --end @1700000000.050
run 2 top faults --comm raeder "$f"
text "$dir/err" "no task named 'raeder' \(did you mean reader\?\)" 'a wrong name'
run 2 top faults --host gamma "$f"

# Over time.
for n in 1 3 7 100; do
	run 0 top faults --bins $n --format csv "$f"
	equal "$n bins: sum" "$(rows | awk -F, '$3 == "host" { print $8 + $9 + $10 }' | sum)" 10
	equal "$n bins: sum of threads" "$(rows | awk -F, '$3 == "thread" { print $8 + $9 + $10 }' | sum)" 10
	equal "$n bins: number" "$(rows | cut -d, -f1 | sort -u | wc -l)" $n
	equal "$n bins: no gaps" "$(rows | awk -F, '$3 == "host" && $4 == "alpha" { if (end && $1 != end) print; end = $2 }' | wc -l)" 0
done
run 0 top faults --interval 10ms --format csv "$f"
equal "first bins" "$(rows | awk -F, '$3 == "host" && $4 == "beta" { print $8 }' | head -7 | tr '\n' ' ')" "1 0 1 0 0 1 1 "
run 0 top faults --plot "$dir/f.svg" --format csv "$f"
same "a chart besides" "$dir/want" "$dir/out"
text "$dir/f.svg" '^<svg ' 'a chart'
text "$dir/f.svg" '<title>alpha, [a-z]+ [0-9]+</title>' 'a series'
no_text "$dir/f.svg" '(nan|inf)[^a-z]' 'a chart'
equal "the chart's end" "$(tail -1 "$dir/f.svg")" "</svg>"
if command -v xmllint >/dev/null; then check "the chart is XML" xmllint --noout "$dir/f.svg"; fi
run 2 top faults --bins 3 --interval 1ms "$f"
text "$dir/err" 'exclude each other' 'both'
run 2 top faults --bins 0 "$f"
run 2 top faults --interval 10 "$f"
text "$dir/err" "'10' is not a duration such as" 'no unit'
run 2 top faults --interval 1ns "$f"
text "$dir/err" 'more than [0-9]+ bins: choose fewer, or a wider interval' 'too many'
run 2 top faults --interval 0 "$f"
run 3 top faults --plot "$dir/none/f.svg" "$f"

# Durations and names choose what counts, in sums as in lists.
d=demo/wget-cold-hot
named() { # named WANTED VERB ANALYSIS OPTION...: how many rows of a log, or the sum of count
	local want=$1
	shift
	run 0 "$@" --format csv --limit 0 $d
	if [ "$1" = log ]; then
		equal "$*" "$(rows | wc -l)" "$want"
	else
		equal "$*" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "count") c = i; next }
			/^$/ { exit } { n += $c } END { print n + 0 }' "$dir/out")" "$want"
	fi
}
"$m" log irq --format csv --limit 0 $d 2>/dev/null | sed 1d >"$dir/irqs"
timers=$(awk -F, '$6 == "softirq" && $8 == "timer"' "$dir/irqs" | wc -l)
ones=$(awk -F, '$7 == 1' "$dir/irqs" | wc -l)
long=$(awk -F, '$6 == "softirq" && $8 == "timer" && $3 >= 20000' "$dir/irqs" | wc -l)
check "softirqs that are named" test "$timers" -gt 0 -a "$long" -gt 0 -a "$long" -lt "$timers"
for verb in log stats freq; do
	named "$timers" $verb irq --name softirq:timer
	named "$timers" $verb irq --name softirq:1
	named "$timers" $verb irq --name TIMER
	named "$ones" $verb irq --name 1
	named "$long" $verb irq --name softirq:timer --min 20us
	named 0 $verb irq --name softirq:timer --min 20us --max 20us --end +1ns
done
run 0 top irq --name softirq:timer --min 20us --format csv --limit 0 $d
equal "the longest timers" "$(rows | wc -l)" "$long"
"$m" log syscall --format csv --limit 0 $d 2>/dev/null | sed 1d >"$dir/calls"
named "$(awk -F, '$4 ~ /^(read.*|openat)$/' "$dir/calls" | wc -l)" log syscall --name 'read*,openat'
named "$(awk -F, '$4 == "openat" && $3 != ""' "$dir/calls" | wc -l)" stats syscall --name openat
run 0 log io --name '/etc/*' --format csv --limit 0 $d
equal "other files" "$(rows | cut -d, -f7 | grep -vc '^/etc/')" 0
check "some files" test "$(rows | wc -l)" -gt 0
run 0 top io --min 1ms --format csv $d
cut -d, -f16 "$dir/out" | sed 1d | sum >"$dir/some"
run 0 top io --format csv $d
cut -d, -f16 "$dir/out" | sed 1d | sum >"$dir/every"
check "calls that took long" test "$(cat "$dir/some")" -gt 0 -a "$(cat "$dir/some")" -lt "$(cat "$dir/every")"
run 2 log irq --name softirq:timer,tmier $d
text "$dir/err" "no interrupt named 'tmier'" 'a name that nothing has'
run 2 top net --name eth0 $d
text "$dir/err" "does not apply to 'net': it has no names" 'no names'
run 2 top cpu --min 1ms $d
text "$dir/err" "does not apply to the table 'top' of 'cpu'; it applies to log, freq and stats" 'no such sums'
run 2 top cpu --table log,top --min 1ms $d
run 0 top cpu --table log --min 1ms $d
run 2 stats --name x $d

# The rows of a host are the same when the others are not read.
for a in cpu sched syscall; do
	run 0 top $a --format csv --limit 0 $d
	grep -w client "$dir/out" | sort >"$dir/want"
	run 0 top $a --format csv --limit 0 --host client $d
	grep -w client "$dir/out" | sort >"$dir/got"
	same "top $a: a host" "$dir/want" "$dir/got"
done

# Options that make no sense are refused.
run 2 log mem --min 1ms "$f"
text "$dir/err" "does not apply to 'mem': it has no durations" 'durations'
run 0 top faults --min 1ms --format csv "$f"
equal "no fault waited so long" "$(rows | cut -d, -f5 | sum)" 0
run 2 freq faults --plot x "$f"
run 2 top faults --table cups "$f"
text "$dir/err" "'faults' has no 'cups'.*; it has: top, log, freq, stats and bins" 'tables'
run 0 top faults --table log,bins --bins 2 --format csv "$f"
text "$dir/out" '^table,time,host' 'the first of two tables'

# stats without an analysis is what it was; a trace of that name is a trace.
for option in '--sort x' '--min 1s' '--min-size 1' '--max-size 1' '--group-by host'; do
	# shellcheck disable=SC2086
	run 2 stats $option "$f"
	text "$dir/err" "option ${option% *} does not apply to 'stats' without an analysis" 'stats'
done
for a in $("$m" top --format csv | sed 1d | grep -v '[",]stats' | cut -d, -f1); do
	run 2 stats "$a" "$f"
	text "$dir/err" "'$a' has no 'stats'" 'an analysis'
done
run 2 stats sycsall "$f"
text "$dir/err" 'neither a trace nor an analysis \(did you mean syscall\?\)' 'stats of what'
run 3 stats "$dir/nothing"
run 0 stats --by name --format csv "$f"
cp "$dir/out" "$dir/names"
ln -s "$f" "$dir/syscall"
(cd "$dir" && "$m" stats --by name --format csv syscall) >"$dir/out" 2>"$dir/err" </dev/null
same "a trace called syscall" "$dir/names" "$dir/out"

# Every analysis and verb: one line is not too long, and programs get the same rows in each format.
t=demo/wget-cold-hot
cat >"$dir/softirq.view" <<'END'
view softirq "Softirqs"
row vec "Vector {vec}" under "{$host}" key vec
	begin irq_softirq_entry as "serves"
	end irq_softirq_exit as "serves"
END
for verb in top log freq stats; do
	for a in $("$m" top --format csv | sed 1d | cut -d, -f1) $("$m" freq --format csv | sed 1d | cut -d, -f1); do
		echo "$a"
	done | sort -u >"$dir/analyses"
	while read -r a; do
		t=demo/wget-cold-hot has_periods=false
		if [ "$a" = period ]; then
			t="--period syscall_entry_openat:syscall_exit_openat --period-by tid $t"
			has_periods=true
		elif [ "$a" = view ]; then
			t="--view $dir/softirq.view $t"
		fi
		"$m" $verb "$a" --format csv $t >"$dir/csv" 2>"$dir/err" </dev/null
		status=$?
		if [ $status -eq 2 ] && grep -q "has no '$verb'" "$dir/err"; then continue; fi
		# 3: nothing was recorded for it.
		case $status in 0 | 3) ok ;; *) fail "$verb $a: exit $status" ;; esac
		run "$status" $verb "$a" $t
		equal "$verb $a: width" "$(awk '{ gsub(/[\200-\277]/, "") } length($0) > 80' "$dir/out" | head -1)" ""
		COLUMNS=60 "$m" $verb "$a" $t 2>/dev/null </dev/null >"$dir/out60"
		# A command to type is not cut.
		equal "$verb $a: narrow" "$(awk '/^lttng / { next } { gsub(/[\200-\277]/, "") } length($0) > 60' "$dir/out60" | head -1)" ""
		[ "$verb" = freq ] || equal "$verb $a: a screen" "$(($(grep -vc '^$' "$dir/out") <= 60))" 1
		run "$status" $verb "$a" --format csv -j 1 $t
		same "$verb $a: threads" "$dir/csv" "$dir/out"
		run "$status" $verb "$a" --json $t
		text "$dir/out" '^\{"schema_version":3,"begin":[0-9]+,"end":[0-9]+,"tables":\[\{"id":"'"($verb|vcpus|efficiency)" "$verb $a"
		[ -n "$jq" ] || continue
		equal "$verb $a: periods" "$(jq '[.tables[] | select(.id == "periods")] | length == 1' "$dir/out")" $has_periods
		# That table is beside the others: CSV does not have it.
		jq -c '.tables |= map(select(.id != "periods"))' "$dir/out" >"$dir/json"
		# Of several tables each row says of which it is.
		equal "$verb $a: keys" "$(jq -r '(if (.tables | length) > 1 then ["table"] else [] end) +
			(.tables[0].columns | map(.key)) | join(",")' "$dir/json")" "$(head -1 "$dir/csv")"
		equal "$verb $a: blocks" "$(awk -v RS= 'END { print NR }' "$dir/csv")" "$(jq '.tables | length' "$dir/json")"
		equal "$verb $a: keys of rows" "$(jq -r '.tables[] | [.columns[].key] as $k |
			[.rows[] | select(keys_unsorted != $k)] | length' "$dir/json" | sum)" 0
		equal "$verb $a: parts" "$(jq -r 'keys_unsorted | join(" ")' "$dir/json")" \
			"schema_version begin end tables sync diagnostics"
		equal "$verb $a: columns" "$(jq -r '[.tables[].columns[] | keys_unsorted | join(" ")] | unique | .[]' "$dir/json")" \
			"key title type unit"
		"$m" $verb "$a" --format jsonl $t 2>/dev/null </dev/null >"$dir/jsonl"
		equal "$verb $a: jsonl" "$(jq -cs . "$dir/jsonl" | cksum)" "$(jq -c '(.tables | length > 1) as $many |
			[.tables[] | .id as $id | .rows[] | if $many then {table: $id} + . else . end]' "$dir/json" | cksum)"
		equal "$verb $a: percents" "$(jq '[.tables[].columns[] | select(.type == "ratio" and
			(.key | endswith("percent") | not))] | length' "$dir/json")" 0
		equal "$verb $a: durations" "$(jq '[.tables[].columns[] | select(.type == "duration" and
			(.key | endswith("_ns") | not))] | length' "$dir/json")" 0
	done <"$dir/analyses"
done
# A name stands for all of a task's life: what it did before it had that name counts, too.
t=demo/wget-cold-hot
tids=$("$m" path --list --host client --comm wget --format csv -q $t | sed 1d | cut -d, -f3 | paste -sd,)
text <(echo "$tids") '^[0-9]+,[0-9]+$' "wget runs twice"
for a in cpu sched io net mem faults syscall futex poll; do
	run "0|3" top $a -q --host client --tid "$tids" --format csv $t
	cp "$dir/out" "$dir/by_tid"
	run "0|3" top $a -q --host client --comm wget --format csv $t
	same "top $a --comm" "$dir/by_tid" "$dir/out"
done
finish
