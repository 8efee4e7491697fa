#!/usr/bin/env bash
# meridian export: the files of a lake have the rows of 'meridian log', by a reader that shares no code with their writer;
# where they are; what is made again and what is kept; what cannot be written leaves no file.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=America/New_York
reader=$BUILD/parquet_csv
lake=$dir/lake

# files LAKE: those with facts. rows FILE...: as CSV, in a fixed order
files() { (cd "$1" && find . -name '*.parquet' | sort); }
rows() { "$reader" "$@" >"$dir/rows" 2>&1 && sort "$dir/rows" || cat "$dir/rows"; }
# lake_is_log LAKE TRACE...: each kind that is there has the rows of log
lake_is_log() {
	local lake=$1 kind n=0
	shift
	for kind in $(cd "$lake" && ls -d kind=*); do
		rows "$lake/$kind"/date=*/host=*/*.parquet >"$dir/got"
		# A column that is called like a folder has another name.
		"$m" log "${kind#kind=}" -n 0 --format csv "$@" 2>/dev/null |
			sed "1s/\\bkind\\b/${kind#kind=}_kind/" | sort >"$dir/wanted"
		same "$kind of $*" "$dir/got" "$dir/wanted"
		n=$((n + $(wc -l <"$dir/got")))
	done
	[ "$n" -gt 20 ] || fail "$*: $n rows"
}

# ---- Names of hosts, days, what is not known ----

check "the scenario" "$ctfgen" -o "$dir/t" "$SRC/tests/cli/export.scn"
run 0 export --format parquet -o "$lake" "$dir/t"
cp "$dir/out" "$dir/made"
text "$dir/made" '^syscall +4 +0 +40 +[0-9.]+ KiB$' 'what was made'
text "$dir/err" 'no files of .*disk.*mem.*: the traces lack the events' 'what was not recorded'
lake_is_log "$lake" "$dir/t"
equal "folders of hosts" "$(files "$lake" | grep kind=syscall)" \
	'./kind=syscall/date=2023-11-14/host=..%2Fx/part-0.parquet
./kind=syscall/date=2023-11-14/host=a%3Db%2Fc%20%252F/part-0.parquet
./kind=syscall/date=2023-11-15/host=..%2Fx/part-0.parquet
./kind=syscall/date=2023-11-15/host=a%3Db%2Fc%20%252F/part-0.parquet'
equal "nothing beside the lake" "$(ls "$dir" | grep -c '^x')" 0
# Days are those of UTC.
for f in $(files "$lake" | grep -v -e kind=poll -e kind=futex -e kind=requests); do
	date=${f#*date=} date=${date%%/*}
	equal "$f: begins" "$("$reader" "$lake/$f" | tail -n +2 | cut -c1-10 | while read -r s; do TZ=UTC date -d "@$s" +%F; done | sort -u)" "$date"
	check "$f: in order" sort -c -n <("$reader" "$lake/$f" | tail -n +2 | cut -d, -f1)
done
# UTF-8 stays as it is, other bytes become U+FFFD; a result that is no error has no number for one.
text <("$reader" "$lake/kind=syscall/date=2023-11-14/host=..%2Fx/part-0.parquet") \
	'^1700006399100010000,1700006399100020000,10000,openat,"/tmp/ä�,""x""",../x,5,,"w""o,rk",ENOENT,-2,$' 'a row'
f=$lake/kind=syscall/date=2023-11-14/host=..%2Fx/part-0.parquet
"$reader" --about "$f" >"$dir/about"
version=$("$m" version | head -1 | awk '{ print $2 }')
text "$dir/about" "^made by meridian version $version$"
text "$dir/about" "^meridian.version $version$"
text "$dir/about" '^meridian.schema_version 1$'
text "$dir/about" '^meridian.clocks as recorded$'
text "$dir/about" '^column begin time$'
text "$dir/about" '^column duration_ns int64$'
text "$dir/about" '^column tid int64$'
text "$dir/about" '^column comm text$'
# Recorded, and did not happen: a file without rows.
f='kind=poll/date=2023-11-14/host=..%2Fx/part-0.parquet'
equal "an empty kind" "$("$reader" "$lake/$f" | tail -n +2 | wc -l)" 0
text <("$reader" "$lake/$f") '^begin,' 'its columns'
equal "not recorded on that host" "$(files "$lake" | grep -c 'kind=poll.*h%C3')" 0

# ---- What is kept ----

before=$(cd "$lake" && find . -type f -exec stat -c '%n %i %y' {} + | sort)
run 0 export -o "$lake" "$dir/t"
text "$dir/out" '^syscall +0 +4 +40 ' 'kept'
equal "nothing was made again" "$(cd "$lake" && find . -type f -exec stat -c '%n %i %y' {} + | sort)" "$before"
# A file that is missing or of another size.
f='kind=syscall/date=2023-11-15/host=..%2Fx/part-0.parquet'
cp "$lake/$f" "$dir/saved"
rm "$lake/$f"
run 0 export -o "$lake" "$dir/t"
text "$dir/out" '^syscall +2 +2 +40 ' 'one is missing'
text "$dir/out" '^cpu +0 +6 +100 ' 'others are kept'
same "made again" "$lake/$f" "$dir/saved"
echo >>"$lake/$f"
run 0 export -o "$lake" "$dir/t"
same "another size" "$lake/$f" "$dir/saved"
# Other traces: other times of change.
touch "$dir/t/up/kernel"/*
run 0 export -o "$lake" "$dir/t"
text "$dir/out" '^syscall +4 +0 +40 ' 'the traces have changed'
equal "in the same places" "$(files "$lake" | grep -c part-1)" 0
# A window: the same recording's files are replaced, and those of days that it does not have go.
run 0 export -o "$lake" --end +0.5s "$dir/t"
lake_is_log "$lake" --end +0.5s "$dir/t"
equal "days that are gone" "$(find "$lake" -name 'date=2023-11-15' | wc -l)" 0
run 0 export -o "$lake" "$dir/t"
lake_is_log "$lake" "$dir/t"
# Another recording of the same hosts and days has further numbers; each is replaced by itself.
awk '{ sub(/repeat 20/, "repeat 7"); print }
	$1 == "host" { printf "trace %s/kernel { uuid \"00000000-0000-4000-8000-00000000000%d\" }\n", $2, ++n }' \
	"$SRC/tests/cli/export.scn" >"$dir/other.scn"
check "another recording" "$ctfgen" -o "$dir/u" "$dir/other.scn"
n=$(files "$lake" | wc -l)
run 0 export -o "$lake" "$dir/u"
equal "both are there" "$(files "$lake" | grep -c part-0)" "$n"
f='kind=syscall/date=2023-11-14/host=..%2Fx'
equal "rows of the other" "$("$reader" "$lake/$f/part-1.parquet" | wc -l)" 8
run 0 export -o "$lake" "$dir/t"
text "$dir/out" '^syscall +0 +4 +40 ' 'the first one is kept'
run 0 export -o "$lake" --end +0.2s "$dir/u"
equal "rows of the other, again" "$("$reader" "$lake/$f/part-1.parquet" | wc -l)" 3
equal "no third one" "$(files "$lake" | grep -c part-2)" 0
# One more trace of a host, of a program, makes no other recording.
awk '{ print } $1 == "host" { print "trace " $2 "/kernel\ntrace " $2 "/ust" } END { print "event hello { u8 x }\n1s up/ust 0 hello x=1" }' \
	"$SRC/tests/cli/export.scn" >"$dir/more.scn"
check "one more trace" "$ctfgen" -o "$dir/v" "$dir/more.scn"
rm -rf "$dir/v"/{odd,umlaut}/ust
run 0 export -o "$dir/more" --kind syscall "$dir/v"
run 0 export -o "$dir/more" --kind syscall "$dir/v"/*/kernel
equal "replaced" "$(files "$dir/more" | grep -c part-1)" 0
# Lists that were damaged, or are of somebody who means to remove other files.
for list in "$lake"/_meridian/kind=syscall/host=..%2Fx/*; do
	printf 'meridian lake 1\nkey 0\nfile ../../../saved 0 1 1\nfile 2023/../../ 0 1 1\n' >"$list"
done
run 0 export -o "$lake" --kind syscall "$dir/t"
check "others are not removed" test -e "$dir/saved"

# ---- Hosts and kinds ----

rm -rf "$lake"
run 0 export -o "$lake" --kind syscall,cpu --host ../x "$dir/t"
equal "one host, two kinds" "$(files "$lake")" './kind=cpu/date=2023-11-14/host=..%2Fx/part-0.parquet
./kind=cpu/date=2023-11-15/host=..%2Fx/part-0.parquet
./kind=syscall/date=2023-11-14/host=..%2Fx/part-0.parquet
./kind=syscall/date=2023-11-15/host=..%2Fx/part-0.parquet'
run 0 export -o "$lake" --kind syscall,cpu "$dir/t"
text "$dir/out" '^syscall +2 +2 +40 ' 'the other host'
lake_is_log "$lake" "$dir/t"

# Some facts, as log chooses them.
for select in "--comm a" "--tid 5,7" "--cpu 0" "--cpu 0 --comm b"; do
	rm -rf "$lake"
	# shellcheck disable=SC2086
	run 0 export -o "$lake" $select "$dir/t"
	# shellcheck disable=SC2086
	lake_is_log "$lake" $select "$dir/t"
	f=$(files "$lake" | head -1)
	text <("$reader" --about "$lake/$f") '^meridian.facts some$' "$select"
done
run 0 export -o "$lake" --cpu 0 --comm a --kind cpu "$dir/t"
run 0 export -o "$lake" --cpu 0 --comm b --kind cpu "$dir/t"
text "$dir/out" '^cpu +[1-9] +0 ' 'other tasks'
run 0 export -o "$lake" --tid 8 --kind cpu "$dir/t"
text "$dir/out" '^cpu +[1-9] +0 ' 'other numbers'
run 0 export -o "$lake" --pid 8 --kind cpu "$dir/t"
text "$dir/out" '^cpu +[1-9] +0 ' 'processes'
run 2 export -o "$lake" --comm nobody "$dir/t"
text "$dir/err" 'nobody'

# ---- Real machines: messages, requests, waits; from a store as well ----

for name in shop-a wget-cold-hot cpu-mem-io; do
	there "$lab/$name" && every 3 || continue
	rm -rf "$lake"
	run 0 export -o "$lake" --no-store "$lab/$name"
	lake_is_log "$lake" "$lab/$name"
	(cd "$lake" && find . -name '*.parquet' -exec cksum {} + | sort -k3) >"$dir/read"
	rm -rf "$lake"
	run 0 export -o "$lake" --store "$lab/$name"
	(cd "$lake" && find . -name '*.parquet' -exec cksum {} + | sort -k3) >"$dir/stored"
	same "$name: from a store" "$dir/stored" "$dir/read"
done
# Host after host is the same as all at once: each fact is with one host.
if there "$lab/shop-a"; then
	run 0 export -o "$dir/all" "$lab/shop-a"
	for host in client web db; do
		run 0 export -o "$dir/each" --host "$host" "$lab/shop-a"
	done
	check "host after host" diff -r "$dir/all" "$dir/each"
	text <("$reader" --about "$dir/all"/kind=sched/date=*/host=web/part-0.parquet) '^meridian.clocks aligned$' 'clocks'
	# Recorded clocks are others.
	run 0 export -o "$dir/all" --sync none "$lab/shop-a"
	text "$dir/out" '^sched +3 +0 ' 'other clocks'
	lake_is_log "$dir/all" --sync none "$lab/shop-a"
	for method in hull offset; do
		run 0 sync --method $method --save "$dir/$method" "$lab/shop-a"
		run 0 export -o "$dir/all" --kind sched --sync "$dir/$method" "$lab/shop-a"
		text "$dir/out" '^sched +3 +0 ' "clocks by $method"
	done
fi

# ---- What cannot be ----

run 2 export "$dir/t"
text "$dir/err" '-o LAKE must name a folder'
run 2 export -o '' "$dir/t"
run 2 export -o - "$dir/t"
run 2 export -o "$dir/none" --kind sched,sycall "$dir/t"
text "$dir/err" "no kind of facts 'sycall' \(did you mean syscall\?\)"
run 2 export -o "$dir/none" --kind view "$dir/t"
run 2 export -o "$dir/none" --format csv "$dir/t"
run 2 export -o "$dir/none" --host nobody "$dir/t"
check "nothing was made" test ! -e "$dir/none"
echo >"$dir/file"
run 3 export -o "$dir/file" "$dir/t"
text "$dir/err" '/file: cannot create: Not a directory'
run 3 export -o /proc/lake "$dir/t"
text "$dir/err" '/proc/lake: cannot create: '
# A full disk, or a quota: no half file, no temporary one, and what was there is as it was.
rm -rf "$lake"
run 0 export -o "$lake" --kind syscall "$dir/t"
before=$(cd "$lake" && find . -name '*.parquet' -exec cksum {} + | sort)
touch "$dir/t/up/kernel"/*
(
	trap '' XFSZ
	ulimit -f 1
	exec "$m" export -o "$lake" "$dir/t"
) >"$dir/out" 2>"$dir/err"
equal "a full disk: status" $? 3
text "$dir/err" 'parquet: cannot write: File too large'
equal "a full disk: files" "$(cd "$lake" && find . -type f ! -path './_meridian/*' | grep -vc 'part-0.parquet$')" 0
for f in $(files "$lake"); do
	check "a full disk: $f is whole" "$reader" "$lake/$f"
done
run 0 export -o "$lake" "$dir/t"
lake_is_log "$lake" "$dir/t"
finish
