#!/usr/bin/env bash
# OTF2 archives, as libotf2 writes them (tools/otf2gen): what is read is what was written; whole ones, cut ones, damaged
# ones; and what is said where meridian was built without libotf2.
. "$SRC/tests/cli/lib.sh"
gen=$BUILD/otf2gen
export XDG_CACHE_HOME=$dir/cache
cache=$XDG_CACHE_HOME/meridian

if [ ! -x "$gen" ]; then # this build has no libotf2
	mkdir "$dir/a"
	echo >"$dir/a/traces.otf2"
	run 3 info "$dir/a"
	text "$dir/err" "this is an OTF2 archive, and this meridian was built without libotf2" "without libotf2"
	text "$dir/err" "libotf2-trace-dev" "what to install"
	[ "$failed" -eq 0 ] || finish
	echo "skipped: there is no libotf2"
	exit 77
fi
# table TABLE TRACES COLUMN...: cells, without the header
table() {
	local what=$1 traces=$2
	shift 2
	"$m" top mpi --table "$what" -n 0 --json "$traces" 2>"$dir/err" |
		jq -r --args '.tables[0].rows[] as $row | [$ARGS.positional[] as $key | $row[$key] // "-"] | map(tostring) | join(" ")' "$@"
}
for case in one two unknown long; do
	check "written: $case" "$gen" $case "$dir/$case"
done

# What was written, on one host: times are exact.
messages="0 1 7 4096 late sender 1000000
1 0 8 100 late sender 1000000"
equal "messages" "$(table messages "$dir/one" from_rank to_rank tag bytes wait wait_ns)" "$messages"
equal "when they were sent" "$(table messages "$dir/one" sent)" "1700000000002000000
1700000000004000000"
equal "a barrier" "$(table collectives "$dir/one" call ranks first_rank last_rank duration_ns)" "MPI_Barrier 2 0 1 1500000"
states="0 MPI_Barrier 1 1600000
0 MPI_Irecv 1 20000
0 MPI_Send 1 50000
0 MPI_Wait 1 1100000
0 outside MPI - 6230000
1 MPI_Barrier 1 100000
1 MPI_Isend 1 20000
1 MPI_Recv 1 1100000
1 MPI_Wait 1 100000
1 outside MPI - 7680000"
equal "states" "$(table states "$dir/one" rank call count total_ns | sort)" "$states"
run 0 info -v "$dir/one"
text "$dir/err" "one/traces.otf2: events were left out: only regions and events of MPI" "events of other kinds"
text "$dir/out" "otf2gen" "who wrote it"

# The folder, the anchor, and both are the same; what is there is not changed.
run 0 top mpi --table messages "$dir/one"
cp "$dir/out" "$dir/folder"
run 0 top mpi --table messages "$dir/one/traces.otf2"
same "an anchor" "$dir/out" "$dir/folder"
run 0 top mpi --table messages "$dir/one/traces.otf2" "$dir/one"
equal "twice: one archive" "$("$m" info --json "$dir/one" "$dir/one/traces.otf2" 2>/dev/null | jq 'table("traces") | length')" 1
equal "nothing beside it" "$(find "$dir/one" | wc -l)" 8

# On two hosts, with numbers that each location maps to its own.
equal "two hosts" "$("$m" info --json "$dir/two" 2>/dev/null | jq -r '[table("hosts")[].host] | join(" ")')" "n1 n2"
equal "two hosts: messages" "$(table messages "$dir/two" from_rank to_rank tag bytes)" "0 1 7 4096
1 0 8 100"
equal "two hosts: clocks by MPI" "$("$m" sync --json "$dir/two" 2>/dev/null | jq -r 'table("hosts") | length')" 2
equal "two hosts: a barrier" "$(table collectives "$dir/two" call ranks last_rank)" "MPI_Barrier 2 1"
equal "two hosts: states" "$(table states "$dir/two" rank call count total_ns | sort)" "$states"

# The copy is kept, and is another one when the archive is.
n=$(find "$cache" -name 'otf2-*.ctf' | wc -l)
run 0 info "$dir/one"
equal "one copy" "$(find "$cache" -name 'otf2-*.ctf' | wc -l)" "$n"
run 0 cache list --json
equal "listed" "$(jq -r '[table("cache")[] | select(.kind == "copy" and .bytes > 1000)] | length' "$dir/out")" "$n"
run 0 cache clear
equal "cleared" "$(find "$cache" -name 'otf2-*' | wc -l)" 0
env -u HOME -u XDG_CACHE_HOME "$m" top mpi --table messages "$dir/one" >"$dir/out" 2>"$dir/err"
same "without a cache" "$dir/out" "$dir/folder"

# A record of a kind that nobody knows.
equal "unknown: messages" "$(table messages "$dir/unknown" from_rank to_rank tag bytes wait wait_ns)" "$messages"
text "$dir/err" "of a kind that this version of libotf2 does not know" "unknown: counted"

# Cut: what comes before is there, and nothing else; libotf2 itself would go on for ever.
events() { "$m" events "$1" 2>"$dir/err" | grep 'locationID = 0'; }
events "$dir/long" >"$dir/whole"
for size in 0 17 40 100 262144 300000 524288 600001 720000; do
	rm -rf "$dir/cut"
	cp -r "$dir/long" "$dir/cut"
	truncate -s $size "$dir/cut/traces/0.evt"
	events "$dir/cut" >"$dir/got"
	n=$(wc -l <"$dir/got")
	text "$dir/err" "location 0 .*cannot be read" "cut at $size: said"
	same "cut at $size: the first $n" "$dir/got" <(head -n "$n" "$dir/whole")
	equal "cut at $size: at least" "$((n >= (size - 100) / 13))" 1
	equal "cut at $size: the other location" "$("$m" events "$dir/cut" 2>/dev/null | grep -c 'locationID = 1')" 60017
done

# Files that are missing or damaged.
damage() { # damage NAME: from here on $dir/bad
	rm -rf "$dir/bad"
	cp -r "$dir/one" "$dir/bad"
	what=$1
}
damage "no events of a location"
rm "$dir/bad/traces/1.evt"
run 3 info "$dir/bad"
text "$dir/err" "location 1 .*cannot be read" "$what"
no_text "$dir/err" "whole/" "$what: no paths of ours"
damage "no definitions of a location"
rm "$dir/bad/traces/1.def"
run 0 info "$dir/bad"
text "$dir/err" "location 1 .*its own definitions cannot be read" "$what"
damage "no definitions"
rm "$dir/bad/traces.def"
run 3 info "$dir/bad"
text "$dir/err" "bad/traces.otf2: .*its definitions cannot be read" "$what"
damage "no anchor worth the name"
echo nothing >"$dir/bad/traces.otf2"
run 3 info "$dir/bad"
text "$dir/err" "bad/traces.otf2: the OTF2 archive cannot be read" "$what"
run 3 info "$dir/bad" "$dir/one" # the rest is read
text "$dir/err" "bad/traces.otf2: the OTF2 archive cannot be read" "$what, and a good one"

# Any byte: a result or a message, never a crash, and never for long.
for file in traces.otf2 traces.def traces/0.evt traces/0.def; do
	size=$(stat -c %s "$dir/one/$file")
	for ((at = 0; at < size; at++)); do
		((at % 3 == 0)) && every 4 || continue
		damage "$file, byte $at"
		printf '\xff' | dd of="$dir/bad/$file" bs=1 seek=$at conv=notrunc status=none
		timeout 60 "$m" top mpi "$dir/bad" >/dev/null 2>"$dir/err" </dev/null
		[ $? -le 3 ] || fail "$what: $(head -2 "$dir/err")"
	done
done
ok
equal "nothing is left unfinished" "$(find "$cache" -name 'otf2-*.ctf.*' | wc -l)" 0
finish
