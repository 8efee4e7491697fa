#!/usr/bin/env bash
# What README.md and the pages of docs/ show is what the program prints. Runs the commands of the ``` blocks (lines
# that begin with "$ "), puts their output in place of the text shown and compares. Blocks with a line "..."
# or with the folder "broken/" are examples only and are not run. Each question of README.md's table has a
# command that answers it.
#
#   UPDATE=1 tests/cli/test_readme.sh    writes output and pictures into README.md and docs/ instead of comparing
set -u
export TZ=UTC COLUMNS=80 LC_ALL=C.UTF-8
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${MERIDIAN:=$SRC/build/meridian}"
MERIDIAN=$(realpath "$MERIDIAN") || exit 1
cd "$SRC" || exit 1
[ -z "${SANITIZE:-}" ] || {
	echo "skipped: the plain build runs it; test_examples.sh runs such commands sanitized"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache
mkdir "$dir/bin" && ln -s "$MERIDIAN" "$dir/bin/meridian" && PATH=$dir/bin:$PATH
passed=0 failed=0

# regenerate: a page on stdin, to stdout with what its commands print
regenerate() {
	local line block=() inside=
	while IFS= read -r line || [ -n "$line" ]; do
		if [[ $line != '```'* ]]; then
			if [ $inside ]; then block+=("$line"); else printf '%s\n' "$line"; fi
			continue
		fi
		if [ $inside ] && [ ${#block[@]} -gt 0 ]; then
			if printf '%s\n' "${block[@]}" | grep -q -e '^\.\.\.$' -e 'broken/' ||
				[[ ${block[0]} != '$ '* ]]; then
				printf '%s\n' "${block[@]}"
			else
				run_block "${block[@]}"
			fi
		fi
		printf '%s\n' "$line"
		block=()
		if [ $inside ]; then inside=; else inside=1; fi
	done
}
# run_block LINE...: the commands of a block, each followed by what it prints. "\" at its end continues a
# command on the next line; variables that a command sets are known to the next ones.
run_block() {
	local line command='' more=''
	for line in "$@"; do
		if [[ $line == '$ '* ]]; then
			command=${line#\$ }
		elif [ "$more" ]; then
			command+=$'\n'$line
		else
			continue
		fi
		printf '%s\n' "$line"
		more=
		if [[ $line == *\\ ]]; then
			more=1
			continue
		fi
		eval "$command" >"$dir/got" 2>"$dir/err" </dev/null
		if [[ $command == *meridian* && ! -s $dir/got ]]; then
			printf 'FAILED: prints nothing: %s: %s\n' "$command" "$(head -1 "$dir/err")" >&3
			failed=$((failed + 1))
		fi
		cat "$dir/got"
	done
	passed=$((passed + 1))
}
for page in README.md docs/*.md docs/dev/*.md; do
	regenerate 3>&1 <"$page" >"$dir/page"
	if cmp -s "$page" "$dir/page"; then
		passed=$((passed + 1))
	elif [ "${UPDATE:-}" ]; then
		echo "$page: $(diff "$page" "$dir/page" | grep -c '^>') lines written"
		cat "$dir/page" >"$page"
	else
		failed=$((failed + 1))
		echo "FAILED: $page does not show what the program prints (UPDATE=1 tests/cli/test_readme.sh writes it):"
		diff "$page" "$dir/page" | head -20
	fi
done
# The pictures that pages show: `meridian ... --plot docs/images/NAME.svg ...` in a page draws NAME.svg.
# shellcheck disable=SC2016
while IFS= read -r command; do
	picture=$(sed -n 's|.*--plot \(docs/images/[^ ]*\).*|\1|p' <<<"$command")
	if ! bash -c "${command/"$picture"/$dir/picture.svg}" >"$dir/got" 2>"$dir/err"; then
		failed=$((failed + 1))
		echo "FAILED: $command: $(head -1 "$dir/err")"
	elif cmp -s "$dir/picture.svg" "$picture"; then
		passed=$((passed + 1))
	elif [ "${UPDATE:-}" ]; then
		echo "$picture: written"
		cp "$dir/picture.svg" "$picture"
	else
		failed=$((failed + 1))
		echo "FAILED: $picture is not what the program draws (UPDATE=1 tests/cli/test_readme.sh writes it)"
	fi
done < <(grep -ho '`meridian [^`]*--plot docs/images/[^`]*`' README.md docs/*.md docs/dev/*.md | tr -d '`')
questions=0
# shellcheck disable=SC2016
while IFS= read -r command; do
	questions=$((questions + 1))
	command=${command/meridian serve/meridian serve --idle-timeout 1s}
	demo=demo/wget-cold-hot
	case $command in *"top mpi"*) demo=demo/mpi-imbalance ;; esac # which has ranks
	for words in NAME=wget EVENT=sched_switch BEGIN=syscall_entry_connect \
		END=syscall_entry_exit_group FILE=src/views/shipped/mpi.view "LAKE=$dir/lake" "OUT.pftrace=$dir/out.pftrace" "TRACE...=$demo" "TRACE=$demo" \
		"HOST:FOLDER...=localhost:$demo/client localhost:$demo/server"; do
		command=$(awk -v from="${words%%=*}" -v to="${words#*=}" '{
			for (i = 1; i <= NF; i++)
				if ($i == from || $i == "\047" from || $i == from "\047")
					sub(from, to, $i)
			print
		}' <<< "$command")
	done
	if timeout 250 bash -c "$command" > "$dir/got" 2> "$dir/err" && [ -s "$dir/got" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $command"
		head -3 "$dir/err"
	fi
done < <(sed -n 's/^| [^|]* | `\(meridian [^`]*\)`.*/\1/p' README.md)
[ "$questions" -ge 15 ] || { echo "README.md's table has $questions questions"; failed=$((failed + 1)); }
# What `make demo` shows: nothing fails, and the answer is the disk.
if MERIDIAN=$MERIDIAN bash demo/run >"$dir/got" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
	grep -q '^Mostly: disk, python3 on server' "$dir/got" && [ "$(wc -l <"$dir/got")" -lt 100 ]; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAILED: demo/run: $(head -1 "$dir/err")"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 3 ]
