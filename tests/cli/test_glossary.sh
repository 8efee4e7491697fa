#!/usr/bin/env bash
# Keys that went (docs/glossary.md, "Replaced words") are in no table and no JSON document; what is left of them is
# understood, with the new word. Words in texts: test_words.sh.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
cd "$SRC" || exit 1
export COLUMNS=80 TZ=UTC XDG_CACHE_HOME=$dir/cache

# "expression<TAB>new word" for each row of the first table below the heading
sed -n '/^## Replaced words/,/^| words /p' docs/glossary.md | sed -nE 's/^\| `(.*)` \| (.*) \|$/\1\t\2/p' |
	sed 's/\\|/|/g' >"$dir/replaced"
[ "$(wc -l <"$dir/replaced")" -gt 5 ] && ok || fail "docs/glossary.md has no table of replaced keys"

# All keys of all tables: "source key" a line.
analyses=$("$m" top --format csv | tail -n +2 | cut -d, -f1 | tr -d '"')
{
	for analysis in $analyses; do
		echo "analyses $analysis"
		"$m" top "$analysis" --table '?' --format csv | tail -n +2 |
			awk -F, -v a="$analysis" '{ gsub(/"/, ""); n = split($NF, keys, " ")
				for (i = 1; i <= n; i++) print "top " a ":" $1, keys[i] }'
	done
	# Other tables: their headings in CSV; and all keys of JSON.
	for verb in "info" "check" "stats" "sync" "sync --compare" "latency" "latency -m" "summary" "graph" \
		"blocked --tid 235" "task --tid 235" "task --tid 235 --table all" "path --tid 235" "path --list" \
		"path --tid 235 --children" "events -n 1" "diff --tid 235 --against demo/cold-disk"; do
		# shellcheck disable=SC2086 # words
		"$m" $verb -q --format csv demo/cold-disk 2>/dev/null </dev/null |
			grep -E '^[a-z0-9_]+(,[a-z0-9_]+)*$' | head -1 | tr ',' '\n' | sed "s|^|csv,${verb// /,} |"
		# shellcheck disable=SC2086
		"$m" $verb -q --json demo/cold-disk 2>/dev/null </dev/null | grep -oE '"[a-z0-9_]+":' |
			tr -d '":' | sort -u | sed "s|^|json,${verb// /,} |"
	done
} >"$dir/keys"
[ "$(wc -l <"$dir/keys")" -gt 1000 ] && ok || fail "only $(wc -l <"$dir/keys") keys"
while IFS=$'\t' read -r expression now; do
	found=$(awk -v e="^($expression)\$" '$2 ~ e' "$dir/keys" | head -3 | tr '\n' ' ')
	equal "keys like $expression ($now)" "$found" ""
done <"$dir/replaced"

# Every JSON document has the version.
for verb in info check stats sync "sync --at client:+1s" latency summary graph "blocked --tid 235" "task --tid 235" \
	"path --tid 235" "path --list" "events -n 1" "top cpu" "diff --tid 235 --against demo/cold-disk"; do
	# shellcheck disable=SC2086
	"$m" $verb -q --json demo/cold-disk >"$dir/json" 2>"$dir/err" </dev/null
	equal "$verb: version" "$(head -c 40 "$dir/json" | tr -d ' \n' | grep -oE '^\{"schema_version":[0-9]+')" '{"schema_version":3'
done

# The analysis that has another name is found by the old one.
run 0 top frequency --format csv demo/cold-disk
text "$dir/err" "'frequency' is called 'cpufreq' now" "a note"
cp "$dir/out" "$dir/old"
run 0 top cpufreq --format csv demo/cold-disk
same "frequency" "$dir/old" "$dir/out"
no_text "$dir/err" 'is called' "no note"
finish
