#!/usr/bin/env bash
# What README.md, docs/sync.md, docs/path.md and docs/account.md show is what the program prints: runs the
# commands of their ``` blocks (those that begin with "$ meridian") and compares. Blocks with "..." or
# "broken/" are not meant to be run.
set -u
export TZ=UTC COLUMNS=80 LC_ALL=C.UTF-8
cd "$SRC" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache
mkdir "$dir/bin" && ln -s "$MERIDIAN" "$dir/bin/meridian" && PATH=$dir/bin:$PATH
awk -v dir="$dir" '
	/^```/ { inside = !inside; if (inside) n++; next }
	inside { print > (dir "/block" n) }
' README.md docs/sync.md docs/path.md docs/account.md
passed=0 failed=0
check() { # command, file with what it should print
	bash -c "$1" > "$dir/got" 2> /dev/null
	if cmp -s "$dir/got" "$2"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		diff "$2" "$dir/got" | head -5
	fi
}
for block in "$dir"/block*; do
	grep -q '^\$ meridian' "$block" || continue
	grep -q -e '^\.\.\.$' -e 'broken/' "$block" && continue
	command='' want=$dir/want
	while IFS= read -r line || [ -n "$line" ]; do
		if [[ $line == '$ '* ]]; then
			[ -n "$command" ] && check "$command" "$want"
			command=${line#\$ }
			: > "$want"
			more=$([[ $line == *\\ ]] && echo 1)
		elif [ -n "${more:-}" ]; then
			command=${command%\\}$line
			more=$([[ $line == *\\ ]] && echo 1)
		else
			printf '%s\n' "$line" >> "$want"
		fi
	done < "$block"
	check "$command" "$want"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 3 ]
