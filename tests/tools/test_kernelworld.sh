#!/bin/sh
# kernelworld: the same seed gives the same files; states tile each task's life; paths their windows.
set -eu
kw=${KERNELWORLD:?}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail()
{
	echo "FAILED: $*" >&2
	exit 1
}

"$kw" -o "$dir/a" --hosts 2 --seed 3 --races --statedump >/dev/null
"$kw" -o "$dir/b" --hosts 2 --seed 3 --races --statedump >/dev/null
diff -r "$dir/a" "$dir/b" >/dev/null || fail "the same options give other files"
"$kw" -o "$dir/c" --hosts 2 --seed 3 --races --statedump --lost 20% --clock >/dev/null
for f in states.csv packets.csv tasks.csv; do
	cmp -s "$dir/a/truth/$f" "$dir/c/truth/$f" || fail "losses and clocks change $f"
done
"$kw" -o "$dir/d" --seed 4 >/dev/null
cmp -s "$dir/a/truth/states.csv" "$dir/d/truth/states.csv" && fail "another seed gives the same"

# Without the seconds, which awk's numbers have no room for.
awk -F, 'NR == 1 { next }
	{ from = substr($3, 8); to = substr($4, 8); n++ }
	from + 0 >= to + 0 || ($1 == host && $2 == tid && from != end) { bad++ }
	{ host = $1; tid = $2; end = to }
	END { exit bad > 0 || n < 1000 }' "$dir/a/truth/states.csv" || fail "states do not tile"
awk -F, 'FNR == 1 { file++; next }
	{ from = substr($4, 8); to = substr($5, 8) }
	file == 1 { at[$1] = from; end[$1] = to; next }
	from != at[$1] { bad++ }
	{ at[$1] = to; n++ }
	END { for (r in end) if (at[r] != end[r]) bad++; exit bad > 0 || n < 1000 }' \
	"$dir/a/truth/requests.csv" "$dir/a/truth/paths.csv" || fail "paths do not fill their windows"

"$kw" --help | grep -q -- --begin-cut || fail "--help"
"$kw" --nonsense >/dev/null 2>&1 && fail "an unknown option is taken"
"$kw" --hosts none >/dev/null 2>&1 && fail "a number that is none is taken"
exit 0
