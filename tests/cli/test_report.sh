#!/usr/bin/env bash
# meridian report: one file, which has what the program prints, and needs nothing else.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

answers() { # FILE: the answers in it, as JSON
	sed -n 's|.*<script type="application/gzip" id="answers">\([^<]*\)</script>.*|\1|p' "$1" | base64 -d | gzip -d
}
answer() { # TARGET
	jq -r --arg target "$1" '.[$target]' "$dir/answers"
}

for t in demo/*/; do
	run 0 report -q "$t" -o "$dir/report.html"
	size=$(stat -c %s "$dir/report.html")
	if [ "$size" -lt 2500000 ]; then ok; else fail "$t: $size bytes"; fi
	no_text "$dir/report.html" '(src|href)="https?:' "$t"
done
t=demo/shop-a/
there "$t" || finish
run 0 report -q -n 3 "$t" -o "$dir/report.html"
answers "$dir/report.html" >"$dir/answers"
check "they are JSON" jq -e 'length > 20' "$dir/answers"
for words in "check --json" "requests --json" "requests --explain --json" "summary --limit 0 --json" "sync --limit 0 --json"; do
	answer "api/run?w=$(sed "s/ /\&w=/g" <<<"$words")" >"$dir/got"
	"$m" $words -q "$t" >"$dir/want" 2>/dev/null
	# (jq adds a line end)
	same "$words" <(jq -S . "$dir/got") <(jq -S . "$dir/want")
done
# Resources of which there is anything, as the page asks for them.
for words in "top sched --limit 60 --json --leave-out" "stats irq --limit 60 --json" "freq syscall --limit 0 --json" \
	"log futex --limit 60 --json --leave-out" "top io --bins 60 --json --leave-out" "top disk --limit 60 --json --leave-out" \
	"top cpu --table processes --limit 200 --json --leave-out" "top cpu --bins 150 --json --leave-out"; do
	answer "api/run?w=$(sed "s/ /\&w=/g" <<<"$words")" >"$dir/got"
	check "$words" jq -e '.tables[0].rows | length > 0' "$dir/got"
	case $words in *--leave-out) continue ;; esac # what programs get has all rows
	"$m" $words -q "$t" >"$dir/want" 2>/dev/null
	same "$words" <(jq -S . "$dir/got") <(jq -S . "$dir/want")
done
# The page has its topics from the catalog, and asks for as many rows of them as that says.
answer api/catalog >"$dir/catalog"
check "the catalog" jq -e '[table("questions", "topic_questions", "curves", "comparisons") | length > 0] | all' "$dir/catalog"
equal "rows and bins" "$(jq -c '[table("topics")[] | select(.topic == "cpu" or .topic == "disk" or .topic == "mpi") |
	[.report_rows, .report_bins]]' "$dir/catalog")" '[[200,150],[60,60],[0,0]]'
equal "memory, which was not recorded" "$(jq -r 'keys[]' "$dir/answers" | grep -c 'w=top&w=mem')" 0
# The slowest ones, and those that the explanation offers to show.
{
	"$m" requests --list -n 3 --json -q "$t" | jq -r 'table("requests")[].id'
	"$m" requests --explain --json -q "$t" | jq -r 'groups[0].causes[:5][] | [.culprits[].request | values][0] | values'
} | sort -u >"$dir/want"
jq -r 'keys[]' "$dir/answers" | sed -n 's/^api\/run?w=path&w=--request&w=\([^&]*\).*/\1/p' | sort -u >"$dir/got"
same "paths" "$dir/got" "$dir/want"
check "more than the slowest" test "$(wc -l <"$dir/want")" -gt 3
equal "pictures" "$(jq -r 'keys[]' "$dir/answers" | grep -c '^api/lanes?')" $(($(wc -l <"$dir/want") + 1))
equal "a picture" "$(jq -r 'to_entries[] | select(.key | startswith("api/lanes?")) | .value' "$dir/answers" | head -1 |
	sed 's/^base64,//' | base64 -d | head -c 4)" MLN1

# --- What cannot be written ---
run 2 report
run 3 report demo/nothing -o "$dir/x.html"
run 3 report -q "$t" -o "$dir/no/x.html"
finish
