#!/usr/bin/env bash
# --marks: tables split by the ranges of a file, what is refused and where, and which file it is.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=80

# Requests begin on one machine and end on the other 1 ms later, 10 ms apart.
"$ctfgen" -o "$dir/two" tests/cli/asks.scn
two=$dir/two
marks=$dir/m.tsv
rows() { sed 1d "$dir/out"; } # of CSV

# Each mark is --begin and --end.
printf 'begin\tend\ttext\n# a comment\n\n+0ms\t+50ms\twarm-up\n+50ms\t+80ms\ta, "b"\r\n' >"$marks"
run 0 stats --by name --marks "$marks" --format csv "$two"
equal "one table" "$(grep -c '^mark,' "$dir/out")" 1
grep '^"a, ""b""",' "$dir/out" | sed 's/^"a, ""b""",//' >"$dir/second"
grep '^warm-up,' "$dir/out" | cut -d, -f2- >"$dir/first"
run 0 stats --by name --begin +0ms --end +50ms --format csv "$two"
rows >"$dir/wanted"
same "the table of a mark" "$dir/first" "$dir/wanted"
run 0 stats --by name --begin +50ms --end +80ms --format csv "$two"
rows >"$dir/wanted"
same "the table of the other mark" "$dir/second" "$dir/wanted"
run 0 top cpu --marks "$marks" "$two"
text "$dir/out" '^Mark: warm-up, from .* for 50.0 ms' 'the heading'
text "$dir/out" '^Mark: a, "b", from .* for 30.0 ms' 'the other heading, without a carriage return'
run 0 top cpu --marks "$marks" --json "$two"
equal "JSON" "$(jq -r '.marks | map(.mark) | join("|")' "$dir/out")" 'warm-up|a, "b"'
equal "JSON, times" "$(($(numbers end_ns "$dir/out" | head -1) - $(numbers begin_ns "$dir/out" | head -1)))" 50000000
jq -c '.marks[0].result.tables' "$dir/out" >"$dir/first"
run 0 top cpu --begin +0ms --end +50ms --json "$two"
jq -c '.tables' "$dir/out" >"$dir/wanted"
same "JSON, the result" "$dir/first" "$dir/wanted"
run 0 events --marks "$marks" --format jsonl "$two"
equal "JSON Lines" "$(jq -r .mark "$dir/out" | sort | uniq -c | wc -l)" 2
run 0 top cpu --table all --marks "$marks" --format csv "$two"
equal "several tables" "$(grep -c '^mark,table,' "$dir/out")" "$(($(grep -c '^$' "$dir/out") + 1))"
for verb in "log cpu" "freq cpu" "stats cpu" summary graph "requests" blocked latency events; do
	# shellcheck disable=SC2086 # words
	"$m" $verb --marks "$marks" "$two" >"$dir/out" 2>"$dir/err"
	equal "$verb" "$(grep -c '^Mark: ' "$dir/out")" 2
done

# What is true of the traces is said once.
run 0 top cpu --marks "$marks" "$two"
equal "notes" "$(grep -c 'clocks of 2 hosts' "$dir/err")" 1

# Moments, and times outside.
printf '+1ms\t\tstart\n+0ms\t+50ms\twarm-up\n+9000s\t+9001s\tlate\n' >"$marks"
run 0 top cpu --marks "$marks" "$two"
text "$dir/err" '1 mark is a moment, without a table' 'a moment'
text "$dir/err" 'm.tsv:3 \(late\): outside of the recording, which is from .*; it is left out'
printf '+1ms\t+1ms\tstart\n' >"$marks"
run 2 top cpu --marks "$marks" "$two"
text "$dir/err" 'm.tsv: no mark is a range: a table needs'
printf '+9000s\t+9001s\tlate\n' >"$marks"
run 2 top cpu --marks "$marks" "$two"
text "$dir/err" 'no mark is a range within the recording'

# Files that are none of marks.
refused() { # WHAT PATTERN
	run 2 top cpu --marks "$marks" "$two"
	text "$dir/err" "$2" "$1"
	equal "$1: nothing is printed" "$(wc -c <"$dir/out")" 0
}
printf '+1ms\t+2ms\ta\n+3ms\t+2ms\tb\n' >"$marks"
refused "end before begin" 'm.tsv:2: the mark ends before it begins; exchange'
printf 'noon\t+2ms\tb\n' >"$marks"
refused "no time" "m.tsv:1: 'noon' is not a time; write"
printf '\t+2ms\tb\n' >"$marks"
refused "no begin" 'm.tsv:1: no time before the first tab'
head -c 5000 /dev/zero >"$marks"
refused "zeroes" 'm.tsv:1: control characters'
printf '+1ms\t+2ms\ta\033[2Jb\n' >"$marks"
refused "escapes" 'm.tsv:1: control characters'
printf '+1ms\t+2ms\ta\377\n' >"$marks"
refused "no UTF-8" 'm.tsv:1: control characters, or bytes'
: >"$marks"
refused "an empty file" 'm.tsv: no marks; a line is'
head -c 2000000 /dev/zero | tr '\0' '\n' >"$marks"
refused "a large file" '2000000 bytes are no file of marks'
seq 1001 | sed 's/.*/+1ms\t+2ms\tm&/' >"$marks"
refused "many marks" 'm.tsv:1001: more than 1000 marks'
{ printf '+1ms\t+2ms\t'; head -c 1001 /dev/zero | tr '\0' x; } >"$marks"
refused "a long text" 'm.tsv:1: the text is longer than 1000 bytes'
printf 'nohost:+1ms\t+2ms\ta\n' >"$marks"
run 2 top cpu --marks "$marks" "$two"
text "$dir/err" "m.tsv:1 .a.: 'nohost:\\+1ms' names no host"
run 3 top cpu --marks "$dir/none.tsv" "$two"
text "$dir/err" 'none.tsv'
printf '+1ms\t+2ms\ta\n' >"$marks"

# Options that do not fit.
run 2 top cpu --marks "$marks" --begin +1ms "$two"
text "$dir/err" '--marks: --begin and --end are those of the marks'
run 2 top cpu --marks "$marks" --plot "$dir/p.svg" "$two"
text "$dir/err" '--marks: not with --plot'
run 2 top cpu --marks "$marks" --format csv -o "$dir/folder/" "$two"
text "$dir/err" '--marks: -o needs a file'
run 2 diff --marks "$marks" "$two" "$two"
text "$dir/err" '--marks does not apply to .diff.'

# The file of the traces: in the folder that has them all, however they are named.
cp -r "$two" "$dir/own"
printf '+0ms\t+50ms\tbeside\n' >"$dir/own/marks.tsv"
run 0 top cpu --marks - --format csv "$dir/own"
equal "of a folder" "$(rows | cut -d, -f1 | sort -u)" beside
run 0 top cpu --marks - --format csv "$dir"/own/client "$dir"/own/server
equal "of its traces" "$(rows | cut -d, -f1 | sort -u)" beside
mkdir "$dir/apart"
cp -r "$two/client" "$dir/apart"
run 3 top cpu --marks - "$dir/apart/client" "$two/server"
text "$dir/err" 'cache/meridian/marks-[0-9a-f]{32}.tsv' 'in the cache where no folder has all'
file=$(grep -o '/[^ :]*/marks-[0-9a-f]*.tsv' "$dir/err" | head -1)
mkdir -p "${file%/*}"
printf '+0ms\t+50ms\tcached\n' >"$file"
run 0 top cpu --marks - --format csv "$two/server" "$dir/apart/client"
equal "in any order" "$(rows | cut -d, -f1 | sort -u)" cached
finish
