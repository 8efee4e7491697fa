#!/usr/bin/env bash
# What README.md, docs/sync.md, docs/path.md and docs/account.md show is what the program prints: runs the
# commands of their ``` blocks (those that begin with "$ meridian") and compares. Blocks with "..." or
# "broken/" are not meant to be run. And each question of README.md's table has a command that answers it.
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
questions=0
# shellcheck disable=SC2016
while IFS= read -r command; do
	questions=$((questions + 1))
	for words in NAME=wget EVENT=sched_switch BEGIN=syscall_entry_connect \
		END=syscall_entry_exit_group T...=demo/wget-cold-hot T=demo/wget-cold-hot; do
		command=$(awk -v from="${words%%=*}" -v to="${words#*=}" '{
			for (i = 1; i <= NF; i++)
				if ($i == from || $i == "\047" from || $i == from "\047")
					sub(from, to, $i)
			print
		}' <<< "$command")
	done
	if bash -c "$command" > "$dir/got" 2> "$dir/err" && [ -s "$dir/got" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $command"
		head -3 "$dir/err"
	fi
done < <(sed -n 's/^| [^|]* | `\(meridian [^`]*\)`.*/\1/p' README.md)
[ "$questions" -ge 15 ] || { echo "README.md's table has $questions questions"; failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 3 ]
