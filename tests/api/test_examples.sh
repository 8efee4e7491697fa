#!/usr/bin/env bash
# The library as programs see it: its symbols, its version, and the examples, whose tables are those of the program.
. "$SRC/tests/cli/lib.sh"

# ---- What is exported: what the headers declare, nothing else ----

nm -D --defined-only "$BUILD/libmeridian.so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort >"$dir/exported"
grep -ohE '\bmer_[a-z_]+\(' "$SRC"/include/meridian/*.h | tr -d '(' | sort -u >"$dir/declared"
nm -D --defined-only "$BUILD/libmeridian.so" | awk '$2 != "A" { print $3 }' | grep -v '^mer_' | head -3 >"$dir/others"
# (Sanitized, its tests call what is not, and nothing is hidden from them.)
[ -n "$SANITIZE" ] || same "what is exported" "$dir/exported" "$dir/declared"
[ -n "$SANITIZE" ] || equal "other symbols" "$(cat "$dir/others")" ""

# The header alone, as C and C++, without a warning.
for compiler in "cc -std=c11" "c++ -std=c++11"; do
	command -v "${compiler%% *}" >/dev/null || continue
	language=${compiler%% *}
	printf '#include <meridian/session.h>\nint main(void) { struct mer_session_options o = MER_OPTIONS(struct mer_session_options); return o.size == 0 || MER_VERSION != %s; }\n' \
		"$(awk '/define MER_VERSION_M/ { n = n * 100 + $3 } /define MER_VERSION_PATCH/ { print n * 100 + $3 }' "$SRC/include/meridian/session.h")" >"$dir/alone.${language/cc/c}"
	check "the header as ${compiler}" $compiler -Wall -Werror -I"$SRC/include" -o "$dir/alone" "$dir/alone.${language/cc/c}"
	check "the version of the header" "$dir/alone"
done

equal "the version of the header, and of the program" "$(awk '/define MER_VERSION_M|define MER_VERSION_PATCH/ { v = v sep $3; sep = "." } END { print "meridian", v }' \
	"$SRC/include/meridian/session.h")" "$("$m" version)"

# ---- Manual pages: one for each function, from the headers ----

for header in meridian session; do
	check "manual pages of $header.h" "$SRC/tools/man3" "$SRC/include/meridian/$header.h" "$dir/man3" 1.2.3
done
(cd "$dir/man3" && ls | sed 's/\.3$//' | grep -vx -e mer_session -e mer_meridian) >"$dir/pages"
text "$dir/man3/mer_cursor_next.3" '^The next batch'
text "$dir/man3/mer_experiment_open.3" '^MER_ERR_INPUT, MER_ERR_SYS'
equal "a page without a short description" "$(grep -LE '^mer_.* \\- [A-Z]' "$dir"/man3/*.3 | xargs grep -L '^\.so')" ""
same "a page for each function" "$dir/pages" "$dir/declared"
text "$dir/man3/mer_session_path.3" '^MER_ERR_USAGE: no task is selected'
text "$dir/man3/mer_session_path.3" '^struct mer_selection \{'
equal "a page of two functions" "$(cat "$dir/man3/mer_result_n_columns.3")" ".so man3/mer_result_n_rows.3"
printf 'int mer_secret(void);\n' >"$dir/bad.h"
equal "a function without a comment" "$("$SRC/tools/man3" "$dir/bad.h" "$dir/bad" 1 || echo failed)" \
	"$(printf '%s:1: no comment says what this does\nfailed' "$dir/bad.h")"

# ---- Tables ----

t=$lab/wget-cold-hot
there "$t" || exit 77
example() { "$BUILD/examples/table" "$@" 2>/dev/null; }
program() { "$m" "$@" --format csv 2>/dev/null; }
tabs() { sed 's/,/\t/g'; } # no text of these tables has a comma

for words in "cpu top" "sched stats" "cpu bins" "io top"; do
	set -- $words
	verb=$2
	more=()
	[ "$verb" = bins ] && verb=top more=(--bins 20)
	example "$1" "$2" "$t" >"$dir/c"
	if [ "$2" = bins ]; then
		program top "$1" --table bins "${more[@]}" "$t" | tabs >"$dir/program"
	else
		program "$verb" "$1" --table "$2" "$t" | tabs >"$dir/program"
	fi
	same "table $words" "$dir/c" "$dir/program"
	check "table $words has rows" [ "$(wc -l <"$dir/c")" -gt 1 ]
done

# Those of the summary, but for commands of the program.
program summary -o "$dir/summary/" "$t" 2>/dev/null
for id in hosts io cpus links; do
	example summary "$id" "$t" | sed 's/\t$//' >"$dir/c"
	sed 's/,meridian .*//; s/,next$/,next/' "$dir/summary/$id.csv" | sed 's/,$//' | tabs >"$dir/program"
	same "table summary $id" "$dir/c" "$dir/program"
done

"$BUILD/examples/table" cpu top /nonexistent >/dev/null 2>"$dir/err"
equal "no trace" $? 3
finish
