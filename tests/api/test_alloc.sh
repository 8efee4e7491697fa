#!/usr/bin/env bash
# The n-th allocation fails, for every n, in programs of the library: they get an error or the same table, and what they
# free is all there was.
. "$SRC/tests/cli/lib.sh"
[ -z "$SANITIZE" ] || { echo "skipped: the sanitizers have their own allocator"; exit 77; }
"$CTFGEN" -o "$dir/t" "$SRC/tests/cli/inception.scn" || exit 1
once() { # n PROGRAM...
	rm -f "$dir/report"
	MER_FAIL_ALLOC=$1 MER_FAIL_REPORT=$dir/report LD_PRELOAD=$BUILD/tests/failalloc.so \
		"${@:2}" "$dir/t" >"$dir/out" 2>"$dir/err"
}
try() { # PROGRAM...
	local all usual live n got name=${1##*/}
	once 0 "$@"
	cp "$dir/out" "$dir/table"
	check "$name: the table has rows" [ "$(wc -l <"$dir/table")" -gt 1 ]
	read -r all usual <"$dir/report"
	for ((n = 1; n <= all; n++)); do
		once $n "$@"
		got=$?
		read -r _ live <"$dir/report" || live=none
		case $got in
		0) same "$name, allocation $n: the table" "$dir/out" "$dir/table" ;;
		3) check "$name, allocation $n: an error" grep -q . "$dir/err" ;;
		*) fail "$name, allocation $n: exit $got: $(head -1 "$dir/err")" ;;
		esac
		if [ "$live" != none ] && [ "$live" -le "$usual" ]; then ok; else fail "$name, allocation $n: $live live, not $usual"; fi
	done
}
try "$BUILD/examples/table" syscall stats
try "$BUILD/tests/api_test_arrow"
finish
