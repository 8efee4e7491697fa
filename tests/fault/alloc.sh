# shellcheck shell=bash
# For tests/fault/test_alloc_*.sh: the n-th allocation fails, for every n of a small run, and there is a message and an
# exit status of the list, no crash, and nothing left behind. After the last `try` comes `finish`.
set -u
[ -z "$SANITIZE" ] || { echo "skipped: the sanitizers have their own allocator"; exit 77; }
[ -f "$BUILD/tests/failalloc.so" ] || { echo "skipped: no failalloc.so"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache
failed=0 passed=0
once() { # n, command: runs with the n-th allocation failing
	MER_FAIL_ALLOC=$1 MER_FAIL_REPORT="$dir/report" LD_PRELOAD="$BUILD/tests/failalloc.so" \
		"$MERIDIAN" "${@:2}" > "$dir/out" 2> "$dir/err"
}
# each STEP COMMAND...: one run, of which a child goes on from every STEP-th allocation, which fails there
each() {
	rm -f "$dir/log"
	MER_FAIL_EACH=$1 MER_FAIL_LOG=$dir/log MER_FAIL_ERRORS=$dir/child.err MER_FAIL_REPORT=$dir/report \
		LD_PRELOAD="$BUILD/tests/failalloc.so" "$MERIDIAN" "${@:2}" > "$dir/out2" 2> "$dir/err2"
}
try() { # trace, arguments
	local all baseline step n rc live bytes expected
	# shellcheck disable=SC2086
	once 0 $2 "$dir/$1" # what it keeps is there then
	# shellcheck disable=SC2086
	once 0 $2 "$dir/$1"
	expected=$?
	read -r all baseline < "$dir/report"
	step=1
	[ "$all" -gt 1500 ] && step=$((all / 1500 + 1))
	# Where lines are counted (tools/mutate) each child takes long, and some of them run the same lines.
	[ -z "${GCOV_PREFIX:-}" ] || step=$((20 * step))
	# shellcheck disable=SC2086
	each $step $2 "$dir/$1"
	if [ $? -ne $expected ] || ! cmp -s "$dir/out" "$dir/out2" || ! cmp -s "$dir/err" "$dir/err2"; then
		failed=$((failed + 1))
		echo "FAILED: $2 $1: what failed in children changed what they came from: $(head -1 "$dir/err2")"
	fi
	[ "$(wc -l < "$dir/log")" -ge $((all / step)) ] || {
		failed=$((failed + 1))
		echo "FAILED: $2 $1: $(wc -l < "$dir/log") allocations of $all failed, each $step."
	}
	while read -r n rc live bytes; do
		case $rc in
		0 | 1 | 3 | 5) ok=1 ;;
		*) ok=0 ;;
		esac
		[ "$rc" = 5 ] && [ "$bytes" = 0 ] && ok=0
		if [ "$live" -lt 0 ] || [ "$live" -gt "$baseline" ]; then ok=0; fi
		if [ $ok = 1 ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAILED: $2 $1, allocation $n of $all: exit $rc, live $live (usually $baseline), bytes of messages: $bytes"
			[ $failed -gt 10 ] && exit 1
		fi
	done < "$dir/log"
}
finish() {
	echo "$passed passed, $failed failed"
	[ $failed = 0 ] && [ $passed -gt 0 ]
}
