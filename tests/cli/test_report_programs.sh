#!/usr/bin/env bash
# What a report has of programs and marks: rows of views, ranks, what somebody noted.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
cp -r demo/mpi-imbalance "$dir/trace" && chmod -R u+w "$dir/trace"

report() { # OPTION...: its answers in $dir/answers
	run 0 report -q "$@" "$dir/trace" -o "$dir/report.html"
	sed -n 's|.*<script type="application/gzip" id="answers">\([^<]*\)</script>.*|\1|p' "$dir/report.html" | base64 -d | gzip -d >"$dir/answers"
}
answer() { jq -r --arg target "$1" '.[$target]' "$dir/answers"; }

printf 'begin\tend\ttext\n+0.1s\t+0.2s\tfirst barrier\n' >"$dir/trace/marks.tsv"
report --view mpi
equal "rows" "$(answer "api/programs?" | jq -r '[.rows[].label] | sort | join(",")')" "Rank 0,Rank 1,Rank 2,Rank 3"
equal "ranks" "$(answer "api/programs?" | jq '.ranks | length')" 4
equal "what they did" "$(jq -r 'to_entries[] | select(.key | startswith("api/states?")) | .value' "$dir/answers" |
	jq '[.rows[] | select(.row | startswith("s")) | (.states | length) / 6] | add')" 308
for words in "top view --limit 60" "top mpi --table ranks --limit 0" "top mpi --table matrix --limit 0" "top mpi --table pattern"; do
	answer "api/run?w=$(sed "s/ /\&w=/g" <<<"$words --json --leave-out")" >"$dir/got"
	case $words in *view*) view="--view mpi" ;; *) view= ;; esac
	"$m" $words --json -q $view "$dir/trace" >"$dir/want" 2>"$dir/err"
	same "$words" <(jq -S .tables "$dir/got") <(jq -S .tables "$dir/want")
done
equal "a mark" "$(answer api/marks | jq -r '.marks[].text')" "first barrier"

report
equal "without a view no rows" "$(answer "api/programs?" | jq -c '[(.rows, .ranks) | length]')" "[0,4]"
printf 'broken' >"$dir/trace/marks.tsv"
report
answer api/marks >"$dir/out"
text "$dir/out" 'marks.tsv:1' # the page says it
finish
