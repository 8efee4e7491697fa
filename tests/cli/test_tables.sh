#!/usr/bin/env bash
# Tables by hand: each file of tables/ is a scenario (for ctfgen) whose comments are commands ($) and what they
# print (>). A new analysis needs no more than such a file; test_grid_agree.c has the laws that all obey.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
for scenario in "$SRC"/tests/cli/tables/*.scn; do
	name=$(basename "$scenario" .scn)
	check "$name" "$ctfgen" -o "$dir/$name" "$scenario"
	while IFS= read -r line; do
		read -r -a words <<<"${line#\# \$ }"
		sed -n "\\|^${line//\*/\\*}\$|,/^# \\$\\|^[^#]/s/^# > //p" "$scenario" >"$dir/expected"
		run 0 "${words[@]}" -q "$dir/$name"
		same "$name: ${words[*]}" "$dir/expected" "$dir/out"
	done < <(grep '^# \$ ' "$scenario")
done
finish
