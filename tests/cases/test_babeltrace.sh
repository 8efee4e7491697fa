#!/usr/bin/env bash
# 'meridian events' against babeltrace2, line for line, on every recording at hand.
#
# One kind of difference is allowed, because babeltrace2 2.0 is wrong there: an empty string that it
# shows with the text of an earlier event (its pull request 116). Recordings that babeltrace2 does not
# read to the end cannot be compared; how far it came is printed.
set -u
command -v babeltrace2 > /dev/null || { echo "skipped: babeltrace2 is not installed"; exit 77; }
roots=("$RECORDINGS" "$SRC/../shared/traces/public")
if [ ! -d "${roots[1]}" ]; then
	echo "skipped: there is no public/"
	unset 'roots[1]'
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Lines of two files side by side: 0 when they are equal but for strings that are empty in ours.
compare() { awk -v other="$2" -f "$SRC/tests/cases/same_lines.awk" "$1"; }

failed=0 passed=0 stopped=0
one() { # name, arguments of both, options of ours
	babeltrace2 "${@:3}" > "$dir/theirs" 2> "$dir/err"
	local theirs=$?
	# shellcheck disable=SC2086
	"$MERIDIAN" events $2 "${@:3}" > "$dir/ours" 2> /dev/null
	if [ $theirs != 0 ]; then
		printf '%-62s babeltrace2 stops after %s of %s events\n' "$1" "$(wc -l < "$dir/theirs")" "$(wc -l < "$dir/ours")"
		stopped=$((stopped + 1))
	elif compare "$dir/ours" "$dir/theirs" > "$dir/why" 2> "$dir/stale"; then
		local stale
		stale=$(cat "$dir/stale")
		printf '%-62s %7s lines equal%s\n' "$1" "$(wc -l < "$dir/ours")" \
			"$([ "$stale" = 0 ] || echo " (but for $stale empty strings)")"
		passed=$((passed + 1))
	else
		printf '%-62s DIFFERENT\n' "$1"
		head -3 "$dir/why"
		failed=$((failed + 1))
	fi
}

n=0
while read -r metadata; do
	[ -z "${SANITIZE:-}" ] || ((n++ % 4 == 0)) || continue # the plain build has them all
	t=$(dirname "$metadata")
	name=${t#"$SRC/../shared/traces/"}
	one "${name#"$BUILD/"}" "" "$t"
done < <(find -L "${roots[@]}" -name metadata | sort)
# Several machines at once, each trace with the clock offset that was recorded with it.
for set in "$RECORDINGS"/{wget-cold-hot,cluster-10,mpi-3vm/n1,web-lossy} "$SRC/../shared/traces/public/django-vote"; do
	[ -d "$set" ] && one "${set##*/} (merged)" "--sync none" "$set"
done
echo "$stopped recordings that babeltrace2 does not read to the end"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
