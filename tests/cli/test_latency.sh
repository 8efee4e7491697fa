#!/usr/bin/env bash
# meridian latency: statistics and single messages tell the same; an offset moves what it must;
# synchronized, nothing arrives before it was sent.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
t=demo/cluster-10

# column NAME FILE: of a CSV
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"
}

run 0 latency $t
text "$dir/out" '^1,219 messages between hosts' verdict
head -2 "$dir/out" | tr '\n' ' ' >"$dir/verdict"
text "$dir/verdict" 'as recorded, 0 as synchronized\. $' verdict
awk 'length($0) > 80 { exit 1 }' "$dir/out" && ok || fail "the table is too wide"

# Against sync.
"$m" sync --json $t >"$dir/sync" 2>/dev/null
run 0 latency --format csv $t
cp "$dir/out" "$dir/csv"
equal "messages" "$(column count "$dir/csv" | sum)" \
	"$(cat <(numbers matched_ab "$dir/sync") <(numbers matched_ba "$dir/sync") | sum)"
equal "inversions" "$(column inversions "$dir/csv" | sum)" 0
before=$(column before_inversions "$dir/csv" | sum)
equal "inversions as recorded" "$before" "$(numbers inversions_before "$dir/sync" | sum)"
equal "least" "$(column min_ns "$dir/csv" | sort -n | tr '\n' ' ')" \
	"$(cat <(numbers min_latency_ab_ns "$dir/sync") <(numbers min_latency_ba_ns "$dir/sync") |
		sort -n | tr '\n' ' ')"
equal "in order" "$(awk -F, 'NR > 1 && !($4 <= $8 && $8 <= $9 && $9 <= $10 && $10 <= $5)' "$dir/csv" | wc -l)" 0
run 0 latency --json $t
equal "first row" "$(jq -c 'table("latencies")[0] | [.from, .to]' "$dir/out")" '["node01","node02"]'
equal "rows" "$(jq '[table("latencies")[].count] | add' "$dir/out")" "$(column count "$dir/csv" | sum)"
equal "how" "$(jq -c '[.schema_version, .sync.method, .sync.reference, .sync.file, table("clocks")[].method]' "$dir/out")" \
	"$(jq -c '[3, "auto", table("clocks")[].reference, null, "auto"]' "$dir/out")"
# What sync --save keeps is what they are then aligned by.
run 0 sync --save "$dir/saved" $t
run 0 latency --json --sync "$dir/saved" $t
equal "by a file" "$(jq -r .sync.file "$dir/out")" "$dir/saved"
run 0 latency --json --sync none $t
equal "as recorded" "$(jq -c '[.sync, table("clocks")[].method]' "$dir/out")" '[null,"none"]'
run 0 latency --json -n 3 $t
equal "-n in JSON" "$(jq 'table("latencies") | length' "$dir/out")" 3

# As recorded.
run 0 latency --sync none --format csv $t
equal "inversions with --sync none" "$(column inversions "$dir/out" | sum)" "$before"
run 0 latency --sync none $t
text "$dir/out" '(--offset|no fixed offset)' 'a hint'
text "$dir/out" 'Max +Inversions$' 'inversions have a column'
run 0 latency --sync none demo/cold-disk
awk 'length($0) > 80 { exit 1 }' "$dir/out" && ok || fail "the table with inversions is too wide"

# Each message: brute force over them gives the statistics.
run 0 latency --messages --format csv $t
cp "$dir/out" "$dir/messages"
equal "a row each" "$(sed 1d "$dir/messages" | wc -l)" "$(column count "$dir/csv" | sum)"
equal "end is start + duration" \
	"$(sed 1d "$dir/messages" | while IFS=, read -r start took _ _ _ end; do
		[ $((start + took)) -eq "$end" ] || echo "$start"
	done | wc -l)" 0
statistics() { # of the messages, as the rows of the table
	awk -F, 'NR > 1 { k = $3 "," $4; n[k]++; s[k] += $2
			if (!(k in least) || $2 < least[k]) least[k] = $2
			if (!(k in most) || $2 > most[k]) most[k] = $2 }
		END { for (k in n) printf "%s,%d,%d,%d,%.3f\n", k, n[k], least[k], most[k], s[k] / n[k] }' "$1" | sort
}
statistics "$dir/messages" >"$dir/brute"
awk -F, 'NR > 1 { printf "%s,%s,%d,%d,%d,%.3f\n", $1, $2, $3, $4, $5, $6 }' "$dir/csv" | sort >"$dir/table"
same "brute force" "$dir/brute" "$dir/table"

run 0 latency -m --json $t
equal "the same in JSON" "$(grep -oE '\{"start":[^}]*\}' "$dir/out" | sed -E 's/"[a-z_]+"://g; s/[{}"]//g')" \
	"$(sed 1d "$dir/messages")"
check "each table in its file" "$m" latency -q --format csv -o "$dir/tables/" $t
same "a file" "$dir/tables/latencies.csv" "$dir/csv"
text "$dir/tables/clocks.csv" '^method,reference,max_drift_ppm,guaranteed$' 'a table beside'

# Sorted by anything.
sorted() { # sorted KEY COLUMN
	"$m" latency --messages --sort "$1" --format csv $t 2>/dev/null | sed 1d | cut -d, -f"$2" >"$dir/column"
	check "sorted by $1" sort -c "$3" "$dir/column"
	"$m" latency --messages --sort "$1" --reverse --format csv $t 2>/dev/null | sed 1d | cut -d, -f"$2" |
		tac >"$dir/reversed"
	same "reversed by $1" "$dir/reversed" "$dir/column"
}
export LC_ALL=C
sorted start 1 -n
sorted duration 2 -nr
sorted from 3 -s
sorted to 4 -s
sorted end 6 -n
equal "limit" "$("$m" latency -m -n 7 --format jsonl $t 2>/dev/null | wc -l)" 7
run 0 latency -m $t
text "$dir/out" '^\.\.\. and 1199 more' 'a screenful'
run 2 latency --sort size $t

# An offset moves the minima by itself and leaves the sum of both averages.
moved() { "$m" latency --format csv --offset node01="$1" $t 2>/dev/null | awk -F, '($1 == "node01") != ($2 == "node01")'; }
moved -5us >"$dir/moved"
moved -0us >"$dir/plain"
equal "from node01 5 us later" "$(paste -d, "$dir/plain" "$dir/moved" |
	awk -F, '$1 == "node01" { print $(NF / 2 + 4) - $4 }')" 5000
equal "to node01 5 us earlier" "$(paste -d, "$dir/plain" "$dir/moved" |
	awk -F, '$2 == "node01" { print $(NF / 2 + 4) - $4 }')" -5000
equal "sum of averages" "$(awk -F, '{ n += $6 } END { printf "%.3f", n }' "$dir/moved")" \
	"$(awk -F, '{ n += $6 } END { printf "%.3f", n }' "$dir/plain")"

# Some hosts only; loopback has its own row.
run 0 latency --host node01 --format csv $t
equal "with node01" "$(sed 1d "$dir/out" | wc -l)" 2
run 0 latency demo/wget-cold-hot
text "$dir/out" '^server +itself +40 ' loopback
text "$dir/out" '40 from a host to itself' loopback

# What nothing bounds on the other side is not told as if it were known.
"$CTFGEN" -o "$dir/one-way" tests/tools/two-hosts.scn
run 0 latency "$dir/one-way"
tr '\n' ' ' <"$dir/out" >"$dir/line"
text "$dir/line" 'client to srv: messages go one way only, so latencies cannot be' 'one way'
run 0 latency "$dir/one-way/client"
equal "no messages" "$(head -1 "$dir/out")" "No messages between hosts: the traces are of one host."

# What is said of a pair of hosts whose messages take 100 us, for any offset between their clocks: the offset that is
# named makes both directions equal when it is given in place of the one before.
"$CLOCKWORLD" -o "$dir/even" --duration 20s --rate 10 --clock straight --ppm 0 --spread 1ns --floor 100us \
	--jitter 1ns --regular >/dev/null
said() { # OFFSET: the sentence, in one line
	run 0 latency --sync none --offset "h1=$1" "$2"
	sed -n '/^h0 and h1:/,$p' "$dir/out" | tr '\n' ' '
}
equal "nearly even" "$(said 40us "$dir/even")$(said -49us "$dir/even")" ""
for offset in 52us -60us 99us; do
	said $offset "$dir/even" >"$dir/said"
	text "$dir/said" 'the minimum latencies differ .* if it is not, --offset h1=' "lopsided by $offset"
	equal "the offset for $offset" "$(said "$(sed 's/.*--offset h1=//; s/ .*//' "$dir/said")" "$dir/even")" ""
done
for offset in 120us -1ms 5s; do
	said $offset "$dir/even" >"$dir/said"
	text "$dir/said" 'the clocks differ by a constant; --offset h1=' "apart by $offset"
	equal "the offset for $offset" "$(said "$(sed 's/.*--offset h1=//; s/ .*//' "$dir/said")" "$dir/even")" ""
done
# Clocks that drift by more than the messages take.
"$CLOCKWORLD" -o "$dir/drift" --duration 20s --rate 10 --clock straight --ppm 500 --spread 1ns --floor 100us \
	--jitter 1ns --regular --all-differ >/dev/null
said 0us "$dir/drift" >"$dir/said"
text "$dir/said" 'one direction is inverted, and no fixed offset' 'drift, inverted one way'
said -5ms "$dir/drift" >"$dir/said"
text "$dir/said" 'in both directions, messages are received before they were sent' 'drift, inverted both ways'

run 0 latency --plot "$dir/plot.svg" $t
equal "charts" "$(grep -c '<text class="t"' "$dir/plot.svg")" 2
text "$dir/plot.svg" "as recorded: $before of 1219 messages" plot
text "$dir/plot.svg" 'as synchronized: 0 of 1219' plot
finish
