#!/usr/bin/env bash
# Scenarios: tests/tools/*.scn, with what a reader must print in their lines that begin with "#= ".
# Each is written as CTF 1.8 and read by babeltrace2, if that is there, and by meridian; and as
# CTF 2, read by meridian. "#: readers meridian": not for babeltrace2. fail-*: the lines are what
# ctfgen says. With --update the expected lines are written anew.
set -uo pipefail
cd "$(dirname "$0")"
src=$(cd ../.. && pwd)
ctfgen=${CTFGEN:-$src/build/ctfgen}
meridian=${MERIDIAN:-$src/build/meridian}
update=${1:-}
[ -x "$ctfgen" ] || { echo "no $ctfgen"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC
bad=0 compared=0

check() { # NAME WHAT FILE
	compared=$((compared + 1))
	if ! diff -u "$tmp/want" "$3" >"$tmp/diff"; then
		echo "FAIL $1 ($2)"
		head -40 "$tmp/diff"
		bad=1
	fi
}

for scn in *.scn; do
	name=${scn%.scn}
	if [[ $name == fail-* ]]; then
		if "$ctfgen" -o "$tmp/$name" "$scn" >/dev/null 2>"$tmp/got"; then
			echo "FAIL $name: no error"
			bad=1
		fi
	else
		readers="babeltrace2 meridian"
		sed -n 's/^#: readers //p' "$scn" | grep -q . && readers=$(sed -n 's/^#: readers //p' "$scn")
		for version in 1.8 2; do
			if ! "$ctfgen" --ctf $version -o "$tmp/$name-$version" "$scn"; then
				echo "FAIL $name: ctfgen --ctf $version"
				bad=1
				continue 2
			fi
		done
		"$meridian" events --sync none "$tmp/$name-1.8" >"$tmp/got" 2>/dev/null
	fi
	if [ "$update" = --update ]; then
		{ grep -v '^#= ' "$scn"; sed 's/^/#= /' "$tmp/got"; } >"$tmp/new"
		cp "$tmp/new" "$scn"
	fi
	sed -n 's/^#= //p' "$scn" >"$tmp/want"
	check "$name" "1.8" "$tmp/got"
	[[ $name == fail-* ]] && continue
	"$meridian" events --sync none "$tmp/$name-2" >"$tmp/got" 2>/dev/null
	check "$name" "2" "$tmp/got"
	if [[ $readers == *babeltrace2* ]] && command -v babeltrace2 >/dev/null; then
		babeltrace2 --clock-gmt "$tmp/$name-1.8" >"$tmp/got" 2>/dev/null
		check "$name" "babeltrace2" "$tmp/got"
	fi
done

# Big traces: the same in each run, as large as asked for.
"$ctfgen" --big kernel --streams 3 --events 1000 -o "$tmp/b1" >"$tmp/n1" &&
	"$ctfgen" --big kernel --streams 3 --events 1000 -o "$tmp/b2" >/dev/null || bad=1
diff -r "$tmp/b1" "$tmp/b2" >/dev/null || { echo "FAIL big: two runs differ"; bad=1; }
n=$("$meridian" events "$tmp/b1" 2>/dev/null | wc -l)
[ "$n" = 1000 ] || { echo "FAIL big: $n events instead of 1000"; bad=1; }
echo "$compared outputs compared"
exit $bad
