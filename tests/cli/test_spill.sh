#!/usr/bin/env bash
# Data that leaves memory: with nothing left in memory, every verb prints the same as with everything there. A
# file that cannot be had, or may not grow, is a warning; nothing stays in the folder.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
cd "$SRC" || exit 1
export XDG_CACHE_HOME=$dir/cache TMPDIR=$dir/tmp
mkdir "$TMPDIR"

verbs=(
	"path --comm wget" "path --list" "path --tid 1-4000 --list" "diff --comm wget"
	"blocked" "blocked --all" "task --comm wget" "graph" "summary" "sync" "stats"
	"top cpu" "top io" "top net" "top sched" "log sched -n 50" "freq syscall" "stats sched"
)
"$KERNELWORLD" --hosts 2 --tasks 6 --events 60000 --seed 5 --statedump --clock --no-truth -o "$dir/world" > "$dir/log" ||
	fail "kernelworld: $(cat "$dir/log")"
is_file=
for trace in demo/wget-cold-hot demo/lost-events "$dir/world"; do
	for verb in "${verbs[@]}"; do
		case $verb in *wget) [ "$trace" = demo/wget-cold-hot ] || continue ;; diff*) continue ;; esac
		# shellcheck disable=SC2086
		MERIDIAN_MEMORY=16G "$m" $verb -q --json "$trace" > "$dir/memory" 2> "$dir/memory.err"
		wanted=$?
		# shellcheck disable=SC2086
		MERIDIAN_MEMORY=0 "$m" $verb -v --json "$trace" > "$dir/file" 2> "$dir/file.err"
		equal "$verb $trace: exit status" $? $wanted
		same "$verb $trace" "$dir/file" "$dir/memory"
		grep -q "were in a temporary file in $TMPDIR" "$dir/file.err" && is_file=yes
		# Some in memory, some not; two threads.
		# shellcheck disable=SC2086
		MERIDIAN_MEMORY=1M "$m" $verb -q -j2 --json "$trace" > "$dir/file" 2> "$dir/file.err"
		same "$verb $trace, half" "$dir/file" "$dir/memory"
	done
done
if [ -z "$is_file" ] && MERIDIAN_MEMORY=0 "$m" graph -v demo/wget-cold-hot 2>&1 | grep -q tmpfs; then
	echo "skipped: a file that data goes to: all folders are in memory"
else
	equal "data went to a file" "$is_file" yes
	# As a full disk.
	full=$( { (ulimit -f 1; MERIDIAN_MEMORY=0 exec "$m" blocked --json "$dir/world") | cat > "$dir/file"; } 2>&1)
	MERIDIAN_MEMORY=16G "$m" blocked -q --json "$dir/world" > "$dir/memory"
	same "blocked, file too large" "$dir/file" "$dir/memory"
	equal "warning of a full disk" "$(grep -c "no file for large data in $TMPDIR: File too large" <<< "$full")" 1
	# The next folder, without a word.
	TMPDIR=/dev/null/x MERIDIAN_MEMORY=0 "$m" blocked -v "$dir/world" > "$dir/file" 2> "$dir/err"
	equal "the cache folder is next" "$(grep -c "temporary file in $XDG_CACHE_HOME/meridian" "$dir/err")" 1
	equal "no warning" "$(grep -c 'no file' "$dir/err")" 0
fi
equal "nothing is left" "$(ls "$TMPDIR")" ""
equal "nothing is left in the cache" "$(find "$XDG_CACHE_HOME" -name 'spill*' | head -1)" ""

MERIDIAN_MEMORY=much run 2 top cpu demo/wget-cold-hot
equal "no size" "$(grep -c "MERIDIAN_MEMORY: 'much' is not a size" "$dir/err")" 1
finish
