#!/usr/bin/env bash
# --store and meridian cache: the same answers as from the traces, whatever happens to the file in the cache.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
cache=$dir/cache/meridian
t=demo/clihog-srvhog-2vm
stores() { find "$cache" -name 'world-*.store' 2>/dev/null | wc -l; }
others() { find "$cache" -name 'world-*.store.*' 2>/dev/null | wc -l; }

# asked WHAT ARGUMENT...: the same from the traces, from a store that is made, and from one that is there
asked() {
	local what=$1
	shift
	run "0|3" "$@" --no-store
	local was=$run_status
	cp "$dir/out" "$dir/read" && cp "$dir/err" "$dir/read.err"
	for time in first second; do
		run "$was" "$@" --store
		same "$what, the $time time" "$dir/out" "$dir/read"
		same "$what, the $time time: notes" "$dir/err" "$dir/read.err"
	done
	run "$was" "$@"
	same "$what, from the one that is there" "$dir/out" "$dir/read"
	same "$what, from the one that is there: notes" "$dir/err" "$dir/read.err"
}
asked "path" path --comm rpc-cli --nth 1 --json $t
equal "one store" "$(stores)" 1
asked "path of a window" path --comm rpc-cli --nth 1 --begin +1.2s --end +1.6s --json $t
asked "blocked" blocked --json $t
asked "task" task --comm rpc-cli --nth 1 --json $t
asked "list of tasks" path --list $t
asked "page faults" top faults --csv-safe --format csv $t
asked "page faults by time" stats faults --begin +0.2s --json $t
tid=$("$m" top cpu -n 1 --json $t 2>/dev/null | jq '.tables[0].rows[0].tid')
asked "hosts and CPUs beside a task" top cpu --tid "$tid" --table all --json $t
asked "the same over time" top cpu --tid "$tid" --bins 3 --json $t
equal "still one store" "$(stores)" 1
asked "diff" diff --comm rpc-cli --json $t
asked "requests" requests --json $t
asked "requests of a window" requests --begin +1.2s --end +1.6s --json $t
asked "what slow requests wait for" requests --explain --json $t
asked "what requests cost" requests --cost --json $t
asked "summary" summary --json $t
asked "summary of a window" summary --begin +1.2s --end +1.6s --json $t
asked "summary of a host" summary --host server --json $t
equal "still one store after requests" "$(stores)" 1
# Ends of connections that were recorded at one side alone, and requests to disks that explain them.
for traces in demo/page-cold demo/rpc-relay demo/cold-disk; do
	asked "requests of $traces" requests --json $traces
	asked "requests of $traces, explained" requests --explain --json $traces
done
rm -f "$cache"/world-*.store
run 0 path --list --store $t

# One that is there answers, unless it must not; none is made where nobody wants one. With a trace that changed it is
# not used, and neither are those of other traces.
answered="answered from the store of these traces"
run 0 path --comm rpc-cli --nth 1 -v $t
text "$dir/err" "$answered"
run 3 top faults -v $t
text "$dir/err" "$answered"
run 3 top faults -v --store $t
text "$dir/err" "$answered"
run 3 top faults -v --no-store $t
no_text "$dir/err" "$answered"
run 0 path --comm rpc-cli --nth 1 --sync none -v $t
no_text "$dir/err" "$answered"
equal "none is made" "$(stores)" 1
run 2 top faults --store --no-store $t
text "$dir/err" "exclude each other"
run 2 check --no-store $t

# What a store does not have is read.
asked "relations" graph --format csv $t

# What is not kept, as it follows from spans and changes: of windows that begin and end anywhere in both.
cat >"$dir/frequency.scn" <<'END'
host h
trace h/kernel
10us h 0 sched_switch prev_comm="a" prev_tid=9 prev_state=1 next_comm="w" next_tid=6
10us h 1 sched_switch prev_comm="b" prev_tid=8 prev_state=1 next_comm="" next_tid=0
20us h 0 power_cpu_frequency state=1000000 cpu_id=0
40us h 0 power_cpu_frequency state=3000000 cpu_id=0
42us h 0 irq_handler_entry irq=7 name="x"
46us h 0 irq_handler_exit irq=7
50us h 0 sched_switch prev_comm="w" prev_tid=6 prev_state=1 next_comm="" next_tid=0
60us h 1 sched_switch prev_comm="" prev_tid=0 prev_state=0 next_comm="v" next_tid=7
110us h 1 sched_waking comm="w" tid=6 target_cpu=0
END
"$CTFGEN" -o "$dir/frequency" "$dir/frequency.scn"
asked "time by frequency" top frequency --table threads --format csv "$dir/frequency"
text "$dir/out" "h,6,,w,38000,"
for begin in 5 15 30 43 47 52 70; do
	for length in 1 7 20 50; do
		for by in thread cpu; do
			asked "time by frequency, $length us from $begin us" top frequency --table threads \
				--begin +${begin}us --end +$((begin + length))us --group-by $by --format csv \
				"$dir/frequency"
		done
	done
done

# Another synchronization is another world.
"$m" cache clear >/dev/null
asked "clocks as recorded" path --comm rpc-cli --nth 1 --sync none --json $t
asked "clocks aligned" path --comm rpc-cli --nth 1 --json $t
equal "a store each" "$(stores)" 2
# It is the clocks that count, not how they were found.
run 0 sync --save "$dir/clocks.json" $t
run 0 path --comm rpc-cli --nth 1 --sync "$dir/clocks.json" -v $t
text "$dir/err" "$answered"
equal "none was made for it" "$(stores)" 2

# Traces that changed have another one.
"$m" cache clear >/dev/null
cp -r $t "$dir/t"
run 0 blocked --store "$dir/t"
cp "$dir/out" "$dir/before"
touch "$dir"/t/*/kernel/metadata "$(find "$dir/t" -name '*_0' | head -1)"
run 0 blocked --store "$dir/t"
same "after a touch" "$dir/out" "$dir/before"
equal "made anew" "$(stores)" 2

# ... and only they: what is made of other traces answers as before, and is not written again.
run 0 blocked -v --store $t
cp "$dir/out" "$dir/other"
find "$cache" -name 'world-*.store' -printf '%f %T@ %s\n' | sort >"$dir/files"
touch "$(find "$dir/t" -name '*_0' | head -1)"
run 0 blocked -v "$dir/t"
no_text "$dir/err" "$answered"
run 0 blocked -v $t
text "$dir/err" "$answered"
same "of other traces" "$dir/out" "$dir/other"
equal "still as they were" "$(find "$cache" -name 'world-*.store' -printf '%f %s\n' | sort)" "$(cut -d' ' -f1,3 "$dir/files")"
run 0 blocked --store "$dir/t"
same "after another touch" "$dir/out" "$dir/before"
equal "one more" "$(stores)" 4
run 0 cache list --format csv
equal "of two experiments" "$(awk -F, '$1 == "store" { print $5 }' "$dir/out" | sort | uniq -c | awk '{ print $1 }' | sort | xargs)" "1 3"
run 0 cache check

# Two builders at once.
"$m" cache clear >/dev/null
"$m" blocked --store $t >"$dir/a" 2>/dev/null &
"$m" blocked --store $t >"$dir/b" 2>/dev/null &
wait
same "two builders" "$dir/a" "$dir/b"
equal "two builders: files" "$(stores) $(others)" "1 0"

# A builder that is killed leaves nothing that is used.
"$m" cache clear >/dev/null
for delay in 0.005 0.02 0.05; do
	"$m" blocked --store $t >/dev/null 2>&1 &
	sleep $delay
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
done
run 0 blocked --store $t
same "after builders that were killed" "$dir/out" "$dir/a"
touch -d '2 days ago' "$cache/world-0123.store.abcdef"
run 0 cache list --json
text "$dir/out" '"unfinished"'
rm -f "$cache"/world-*.store
run 0 blocked --store $t
if [ -e "$cache/world-0123.store.abcdef" ]; then fail "what a killed builder left is still there"; else ok; fi

# Damage, anywhere: the answer is right, and where it was seen, a line says that the traces were read, and the file is
# removed.
store=$(find "$cache" -name 'world-*.store')
cp "$store" "$dir/good"
size=$(stat -c %s "$store")
told=0
for i in 1 3 10 30 $(seq 100 100 800) $(seq 850 12 999); do
	cp "$dir/good" "$store"
	printf '\x5a\xa5\x99' | dd of="$store" bs=1 seek=$((size / 1000 * i)) conv=notrunc 2>/dev/null
	for verb in blocked "task --comm rpc-cli --nth 1" "top sched --table all" "log syscall" "path --comm rpc-cli --nth 1" \
		"requests --explain" summary; do
		[ -f "$store" ] || break
		run 0 $verb --strict --no-store $t
		cp "$dir/out" "$dir/b"
		run 0 $verb --strict $t
		same "damage at $i of 1000: $verb" "$dir/out" "$dir/b"
		equal "damage at $i of 1000: $verb: a line" "$(grep -c "was damaged and is removed; the traces were read instead" \
			"$dir/err")" "$([ -f "$store" ]; echo $?)"
	done
	[ -f "$store" ] || told=$((told + 1))
	run 0 blocked --store $t
	same "after damage at $i of 1000" "$dir/out" "$dir/a"
done
[ $told -gt 10 ] || fail "damage was seen $told times only"
for length in 0 1 63 64 1000 $((size / 2)) $((size - 1)); do
	head -c "$length" "$dir/good" >"$store"
	run 0 blocked --store $t
	same "a file of $length bytes" "$dir/out" "$dir/a"
done

# meridian cache
run 0 cache check
text "$dir/out" good
# More than what is unused between two sections.
head -c 8192 /dev/zero | tr '\0' Z | dd of="$store" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
run 1 cache check
text "$dir/out" damaged
text "$dir/err" "1 store is damaged"
run 0 cache list --format csv
equal "columns" "$(head -1 "$dir/out")" "kind,last_used,bytes,hosts,traces,state,file"
text "$dir/out" "store,.*,2,.*clihog-srvhog-2vm"
n=$(find "$cache" -type f | wc -l)
run 0 cache clear --json
equal "files removed" "$(jq 'table("removed")[0].files' "$dir/out")" "$n"
equal "nothing is left" "$(find "$cache" -type f | wc -l)" 0
run 0 cache list
text "$dir/err" "the cache is empty"
run 2 cache
run 2 cache empty
text "$dir/err" "'empty' is not one of list|check|clear"

# Nothing in memory that may be in a file.
MERIDIAN_MEMORY=0 run 0 blocked --store $t
same "memory is small" "$dir/out" "$dir/a"
run 0 cache clear

# A full disk: files may not be as large as that.
(
	trap '' XFSZ
	ulimit -f 64
	"$m" blocked --store $t >"$dir/out" 2>"$dir/err"
)
same "without space" "$dir/out" "$dir/a"
text "$dir/err" "--store: the traces were read instead"
equal "without space: files" "$(stores) $(others)" "0 0"
# No folder.
: >"$dir/file"
XDG_CACHE_HOME=$dir/file run 0 blocked --store $t
same "no folder" "$dir/out" "$dir/a"
text "$dir/err" "--store: the traces were read instead"
HOME='' XDG_CACHE_HOME='' run 0 blocked --store $t
same "no home" "$dir/out" "$dir/a"
text "$dir/err" "neither HOME nor XDG_CACHE_HOME is set"
# A kernel thread that is known to be one only while it sleeps for the rest of the recording.
if [ -x "${KERNELWORLD:-}" ]; then
	"$KERNELWORLD" -o "$dir/late" --hosts 4 --tasks 6 --cpus 2 --duration 3s --seed 5 --statedump >/dev/null
	run 0 top cpu --json --no-store "$dir/late/h0"
	equal "modes of a kernel thread" "$(jq -c '[table("top")[] | select(.comm == "kthreadd") | .kernel_ns > 0, .running_ns]' "$dir/out")" '[true,0]'
	cp "$dir/out" "$dir/read"
	run 0 top cpu --json --store "$dir/late/h0"
	same "modes from a store" "$dir/read" "$dir/out"
fi
finish
