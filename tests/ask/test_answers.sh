#!/usr/bin/env bash
# An answer is the same in all forms: JSON has the keys and the values that a folder of CSV files has, table for table, and CSV those
# tables alone that are not beside others.
. "$SRC/tests/cli/lib.sh"
. "$SRC/tests/ask/questions.sh"

command -v python3 >/dev/null || {
	echo "skipped: python3 is not there"
	exit 77
}
n=0
for given in wget-cold-hot:wget shop-a:shopapp; do
	t=$lab/${given%:*}
	there "$t" || continue
	while read -r line; do
		read -ra words <<<"$line"
		every 3 || continue
		rm -rf "$dir/tables"
		"$m" "${words[@]}" -q --json "$t" >"$dir/json" 2>"$dir/err" </dev/null
		status=$?
		# Of other recordings a question may make no sense; it says so then in all forms.
		"$m" "${words[@]}" -q --format csv -o "$dir/tables/" "$t" >"$dir/out" 2>"$dir/err2" </dev/null
		equal "$line: status" "$?" "$status"
		[ $status = 2 ] && continue
		"$m" "${words[@]}" -q --format csv "$t" >"$dir/csv" 2>/dev/null </dev/null
		check "$given: $line" python3 "$SRC/tests/ask/compare.py" "$dir/json" "$dir/tables" "$dir/csv"
		n=$((n + 1))
	done < <(questions "${given#*:}")
done
[ $n -gt 0 ] || exit 77
finish
