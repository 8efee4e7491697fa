#!/usr/bin/env bash
# Runs the examples of every verb's help as they stand, in a folder with two traces: each succeeds and shows
# something, as rows or in the file that it writes.
set -u
traces=$SRC/demo
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
ln -s "$traces/wget-cold-hot/client" client
ln -s "$traces/wget-cold-hot/server" server
mkdir bin
ln -s "$MERIDIAN" bin/meridian
PATH=$dir/bin:$PATH
# shows EXAMPLE: it left what it is for in out, or in the file that it names
shows() {
	local file
	if grep -qiE "nothing was (found|recorded)|no matching|none occurred" out err; then return 1; fi
	for file in $(grep -oE "(--plot|> ?)[ ]?[a-z_]+[.a-z]*" <<<"$1" | sed "s/.*[ >]//"); do
		grep -qE -- "->|<(path|rect|line)|#compdef" "$file" || return 1
	done
	case $1 in
	source* | *">"*) ;;
	*" -o "*.html) grep -q 'id="answers"' "${1##* }" || return 1 ;;
	*csv*) [ "$(grep -c . out)" -gt 1 ] || return 1 ;;
	*) [ -s out ] || return 1 ;;
	esac
}
# shows_screen EXAMPLE: it needs a terminal; a key ends it
shows_screen() {
	(sleep 3; printf 1; sleep 1; printf q) | script -qec "$1" /dev/null >out 2>err
}
bad=0
while IFS= read -r example; do
	if [[ $example == *"| jq"* ]] && ! command -v jq >/dev/null; then
		echo "no jq: skipped: $example"
		continue
	fi
	if [[ $example == "meridian tui "* ]]; then
		if ! command -v script >/dev/null || meridian tui x </dev/null 2>&1 | grep -q "without ncurses"; then
			echo "no script, or no ncurses: skipped: $example"
			continue
		fi
		# As in a system that has no terminals to give.
		if ! script -qec true /dev/null >/dev/null 2>&1 || [ ! -e /dev/ptmx ]; then
			echo "no terminal: skipped: $example"
			continue
		fi
		TERM=xterm shows_screen "$example"
	else
		bash -o pipefail -c "$example" >out 2>err </dev/null
	fi
	status=$?
	# 141: head has left; 1: what check was asked to look for is so
	case $status in 0 | 141) ;; 1) [[ $example == *" check "* ]] || bad=1 ;; *) bad=1 ;; esac
	case $status in 0 | 1 | 141) ;; *) echo "FAILED ($status): $example: $(head -3 err out)" ;; esac
	shows "$example" || {
		echo "FAILED: shows nothing: $example: $(head -3 out err)"
		bad=1
	}
done < <(meridian --examples)
exit $bad
