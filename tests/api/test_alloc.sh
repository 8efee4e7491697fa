#!/usr/bin/env bash
# The n-th allocation fails, for every n, in a program of the library: it gets an error or the same table, and what it
# frees is all there was.
. "$SRC/tests/cli/lib.sh"
[ -z "$SANITIZE" ] || { echo "skipped: the sanitizers have their own allocator"; exit 77; }
"$CTFGEN" -o "$dir/t" "$SRC/tests/cli/inception.scn" || exit 1
once() { # n
	rm -f "$dir/report"
	MER_FAIL_ALLOC=$1 MER_FAIL_REPORT=$dir/report LD_PRELOAD=$BUILD/tests/failalloc.so \
		"$BUILD/examples/table" syscall stats "$dir/t" >"$dir/out" 2>"$dir/err"
}
once 0
cp "$dir/out" "$dir/table"
read -r all usual <"$dir/report"
for ((n = 1; n <= all; n++)); do
	once $n
	got=$?
	read -r _ live <"$dir/report" || live=none
	case $got in
	0) same "allocation $n: the table" "$dir/out" "$dir/table" ;;
	3) check "allocation $n: an error" test -s "$dir/err" ;;
	*) fail "allocation $n: exit $got: $(head -1 "$dir/err")" ;;
	esac
	if [ "$live" != none ] && [ "$live" -le "$usual" ]; then ok; else fail "allocation $n: $live live, not $usual"; fi
done
finish
