# For the scripts of this folder: a directory that goes away, and a count of what held.
# Sourced; the script ends with "finish".
set -u
export LC_ALL=C.UTF-8 # blocks and ellipses; without UTF-8 output is ASCII
m=$MERIDIAN
ctfgen=$CTFGEN
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# In jq, table("kinds") is the list of rows of that table of an answer.
mkdir "$dir/jq"
echo 'def table($id): first(.tables[] | select(.id == $id)).rows;' >"$dir/jq/.jq"
cat "$(dirname "${BASH_SOURCE[0]}")/requests.jq" >>"$dir/jq/.jq"
jq() { HOME=$dir/jq command jq "$@"; }
passed=0 failed=0
lab=$RECORDINGS # real machines (tests/recordings)
public=../shared/traces/public # those of others; not everyone has them

ok() { passed=$((passed + 1)); }
fail() {
	echo "FAILED: $*"
	failed=$((failed + 1))
}
# there PATH: is it? Says what is left out when not.
there() {
	[ -e "$1" ] && return
	local what=${1#../shared/traces/}
	echo "skipped: there is no ${what/#"$lab"/lab}"
	return 1
}
# Sanitized, a program takes four times as long. plain_only: ends a test that says nothing of what a program does to
# its memory that others do not say. every N: of what is repeated for many recordings, one of N; the plain build has all.
# is_part: is only a part wanted? With EVERYTHING=1 all is, sanitized, too.
is_part() { [ -n "${SANITIZE:-}" ] && [ -z "${EVERYTHING:-}" ]; }
plain_only() {
	! is_part || {
		echo "skipped: the plain build runs it; other tests run the same code sanitized"
		exit 77
	}
}
n_every=0
every() { ! is_part || ((n_every++ % $1 == 0)); }
# packages SOURCE FOLDER NAMES: copies tests/SOURCE, which names packages of npm, to FOLDER and gets them there, from
# where npm gets its own. Says what is left out without them.
packages() {
	local to=$2
	if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
		echo "skipped: there is no node or no npm for $3"
		return 1
	fi
	mkdir -p "$to"
	cp "$SRC/tests/$1"/* "$to"
	[ -e "$to/node_modules/.package-lock.json" ] && return
	(cd "$to" && timeout 100 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) && return
	rm -rf "$to/node_modules"
	echo "skipped: npm does not get $3"
	return 1
}
# check WHAT COMMAND...: the command succeeds
check() {
	local what=$1
	shift
	if "$@" >"$dir/check" 2>&1; then ok; else fail "$what: $(head -3 "$dir/check")"; fi
}
# equal WHAT GOT WANTED
equal() {
	if [ "$2" = "$3" ]; then ok; else fail "$1: '$2', not '$3'"; fi
}
# same WHAT FILE FILE
same() {
	if cmp -s "$2" "$3"; then ok; else fail "$1: $(diff "$2" "$3" | head -3 | cut -c1-300)"; fi
}
# run STATUS ARGUMENT...: meridian; output to $dir/out and $dir/err, its status to $run_status. "0|3": one of them
run() {
	local want=$1
	shift
	"$m" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	run_status=$?
	if [[ "|$want|" = *"|$run_status|"* ]]; then
		ok
	else
		fail "meridian $*: exit $run_status, not $want: $(head -3 "$dir/err")"
	fi
}
# lines ARGUMENT...: of meridian's output
lines() { "$m" "$@" 2>/dev/null </dev/null | wc -l; }
# joined FILE: its lines, and those of wrapped messages as one
joined() {
	cat "$1"
	awk 'NR > 1 { printf "%s", /^  [^ ]/ ? " " : "\n" } { sub(/^  /, ""); printf "%s", $0 } END { print "" }' "$1"
}
# text FILE PATTERN / no_text: an extended regular expression
# Most are found in the lines as they are; joining those of large outputs takes longer than making them.
text() {
	if grep -qE -- "$2" "$1" || joined "$1" | grep -E -- "$2" >/dev/null; then ok; else fail "${3:-$1} lacks $2: $(head -3 "$1" | cut -c1-300)"; fi
}
no_text() {
	if joined "$1" | grep -E -- "$2" >/dev/null; then fail "${3:-$1} has $2"; else ok; fi
}
# sum: of the numbers on stdin
sum() { awk '{ n += $1 } END { print n + 0 }'; }
# numbers KEY FILE: all "KEY": N of a JSON text, in order
numbers() { grep -oE "\"$1\": ?-?[0-9]+" "$2" | sed 's/.*: *//'; }
finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}
