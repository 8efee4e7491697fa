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

# One place is slower, and that alone: 50 % more time of a program in user code, or of the packets from and to a host.
mean() { # FILE COMM STATE CALL: of a program's stretches of it, ns
	awk -F, -v comm="$2" -v state="$3" -v call="$4" 'FNR == 1 { file++; next }
		file == 1 { if ($11 == comm) is[$1 "," $2]; next }
		$1 "," $2 in is && $5 == state && $9 == call { sum += substr($4, 8) - substr($3, 8); n++ }
		END { printf "%d\n", sum / n }' "$1/truth/tasks.csv" "$1/truth/states.csv"
}
flight() { # FILE HOST: mean time of packets from and to it that others sent or get
	awk -F, -v host="$2" 'NR > 1 && $2 != $6 && ($2 == host || $6 == host) && $8 != "" { sum += substr($8, 8) - substr($5, 8); n++ }
		END { printf "%d\n", sum / n }' "$1/truth/packets.csv"
}
within() { # WHAT BEFORE AFTER FROM TO: percent
	local p=$((100 * $3 / $2))
	((p >= $4 && p <= $5)) || fail "$1: $p % of what it was, not $4 to $5"
}
slower="$kw --services pool --hosts 3 --duration 1s --seed 5"
$slower -o "$dir/e" >/dev/null
$slower -o "$dir/f" --slower app:user:50% >/dev/null
$slower -o "$dir/g" --slower app:sendto:50% >/dev/null
$slower -o "$dir/h" --slow-net 2:1.5 >/dev/null
within "user code of app" "$(mean "$dir/e" app user '')" "$(mean "$dir/f" app user '')" 140 160
within "sendto of app" "$(mean "$dir/e" app syscall sendto)" "$(mean "$dir/f" app syscall sendto)" 95 105
within "user code of nginx" "$(mean "$dir/e" nginx user '')" "$(mean "$dir/f" nginx user '')" 95 105
within "sendto of app, slower" "$(mean "$dir/e" app syscall sendto)" "$(mean "$dir/g" app syscall sendto)" 130 160
within "user code of app, as it was" "$(mean "$dir/e" app user '')" "$(mean "$dir/g" app user '')" 95 105
within "packets of h2" "$(flight "$dir/e" h2)" "$(flight "$dir/h" h2)" 140 160
within "packets of h0" "$(flight "$dir/e" h0)" "$(flight "$dir/h" h0)" 95 105
for wrong in app app:user app:user:x app:nothing:5% :user:5% a-name-of-16-bytes:user:5%; do
	"$kw" -o "$dir/i" --slower $wrong >/dev/null 2>&1 && fail "--slower $wrong is taken"
done

"$kw" --help | grep -q -- --begin-cut || fail "--help"
"$kw" --nonsense >/dev/null 2>&1 && fail "an unknown option is taken"
"$kw" --hosts none >/dev/null 2>&1 && fail "a number that is none is taken"
exit 0
