#!/usr/bin/env bash
# The cases of the CTF test suite: what is right passes, what is wrong is found, both by `check`
# (walks over records) and by `events` (decodes all fields).
set -u
list=$SRC/../shared/expected/ctf_testsuite.csv
cases=$SRC/../shared/cases/ctf-testsuite
if [ ! -f "$list" ] || [ ! -d "$cases" ]; then
	echo "skipped: there is no expected/ctf_testsuite.csv or no cases/ctf-testsuite"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0 absent=0
# run VERB CASE: its exit status; 124 is a hang
run() {
	COLUMNS=400 timeout 30 "$MERIDIAN" "$1" "$cases/$2" >"$dir/out" 2>"$dir/$1.err" </dev/null
}
while IFS=, read -r case expected events tests; do
	if [ ! -d "$cases/$case" ]; then
		absent=$((absent + 1))
		continue
	fi
	wrong=
	run check "$case"
	status=$?
	# Of metadata alone, or with empty files, which is right, check says that there is no stream.
	if [ "$expected" = pass ] && [ -z "$(find "$cases/$case" -type f ! -name metadata -size +0)" ] &&
		[ "$(grep -c 'not sound' "$dir/out")" = "$(grep -cE 'not sound: [0-9]+ ch.*without a stream' "$dir/out")" ]; then
		status=0
	fi
	[ $status = "$([ "$expected" = pass ] && echo 0 || echo 1)" ] || wrong+=" check: exit $status;"
	run events "$case"
	status=$?
	case $expected,$status in
	pass,0 | fail,[134]) ;;
	*) wrong+=" events: exit $status;" ;;
	esac
	# The published counts are lines, and a host name with line ends is written as it is there.
	lines=$(($(wc -l <"$dir/out") + $(grep -o '\\n' "$dir/out" | wc -l)))
	[ -z "$events" ] || [ "$lines" = "$events" ] || wrong+=" $lines events, not $events;"
	if [ "$expected" != pass ] && ! grep -q '[^[:space:]]' "$dir"/*.err; then
		wrong+=" nothing is said about what is wrong;"
	fi
	if [ -n "$wrong" ]; then
		failed=$((failed + 1))
		echo "FAILED: $case ($tests):$wrong $(cat "$dir/check.err" "$dir/events.err" | head -1 | cut -c1-200)"
	else
		passed=$((passed + 1))
	fi
done < <(sed 1d "$list")
[ $absent = 0 ] || echo "$absent cases are not there"
echo "$passed passed, $failed failed"
[ $passed -gt 0 ] && [ $failed = 0 ]
