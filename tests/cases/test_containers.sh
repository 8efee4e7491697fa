#!/usr/bin/env bash
# One simulated world, recorded by LTTng, by ftrace (trace.dat, versions 6 and 7) and by perf (docs/dev/kernelworld.md): every
# answer is the same, byte for byte. LTTng's traces are made with --by-number, which leaves out what no raw_syscalls can tell:
# which descriptors a poll is about, the two of a pipe. Also left out of the comparison is what names the recording: answers
# that print the tracer, or a path.
#
# Worlds in which a process is known by LTTng's sched_process_fork alone (the kernel's has threads) have a state dump, which is
# proc-before for the others. perf tells the tasks of before, too, at its first event.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
[ -x "$KERNELWORLD" ] || { echo "skipped: no kernelworld"; exit 77; }
made() { ASAN_OPTIONS=detect_leaks=0 "$KERNELWORLD" "$@" >"$dir/made" || fail "kernelworld $*: not made"; }

# answers WORLD: of the hosts in this folder, below their names alone, as files in $dir/of/WORLD
answers() {
	local at=$dir/$1 of=$dir/of/$1 n=0 host tid hosts
	mkdir -p "$of"
	hosts=$(cd "$at" && echo [hg][0-9]*)
	say() { (cd "$at" && "$m" "${@:2}" $hosts; echo "exit $?") >"$of/$1" 2>"$of/$1.err" </dev/null; }
	say sync sync
	for by in cpu sched irq io syscall net; do say "top $by" top $by; done
	say blocked blocked
	say requests requests
	say "requests --list" requests --list
	while IFS=: read -r host tid; do
		say "path $((n += 1))" path --host "$host" --tid "$tid"
	done <"$dir/tids"
}

# Containers that a world is written in; perf.data is like no other one, trace.dat differs in its versions alone.
all="trace.dat trace.dat-6 perf.data"
# world NAME CONTAINERS OPTION...: the same in all of them
world() {
	local name=$1 kinds=$2 kind
	shift 2
	rm -rf "$dir"/ctf "$dir"/trace.dat* "$dir/perf.data" "$dir/of"
	made -o "$dir/ctf" --by-number "$@"
	awk -F, 'NR > 1 && $10 == 0 { print $1 ":" $2 }' "$dir/ctf/truth/tasks.csv" | sort -u | awk 'NR % 7 == 3' | head -3 >"$dir/tids"
	answers ctf
	for kind in $kinds; do
		made -o "$dir/$kind" --container "$kind" "$@"
		same "$name, $kind: what happened" "$dir/$kind/truth/states.csv" "$dir/ctf/truth/states.csv"
		answers "$kind"
		for file in "$dir"/of/ctf/*; do
			case ${file##*/} in *.err) continue ;; esac
			same "$name, $kind, ${file##*/}" "$dir/of/$kind/${file##*/}" "$file"
			grep -q 'exit 0' "$file" || grep -q 'exit 3' "$file" || fail "$name, ${file##*/}: $(head -3 "$file.err")"
		done
	done
}

world "one host" "$all" --statedump --duration 60ms --seed 21
! is_part || finish
world "pool, a lock" "$all" --statedump --services pool --hosts 3 --tail lock --duration 200ms --seed 22
world "loop, a hog" "trace.dat perf.data perf.pipe" --statedump --services loop --hosts 2 --tail hog --duration 150ms --seed 23
world "a thread for each connection, a disk" "perf.data" --statedump --services thread --hosts 3 --tail disk --duration 150ms --seed 24
world "begun in the middle" "trace.dat" --services go --hosts 3 --tail lock --duration 200ms --begin-cut 20ms --seed 25
world "a state dump while it is recorded" "trace.dat" --statedump --duration 60ms --begin-cut 20ms --seed 16
world "wrong clocks, vectors" "trace.dat-6" --services prefork --hosts 3 --tail burn --duration 150ms --clock --vectors --seed 26
world "races" "perf.data" --statedump --hosts 2 --races --reuse --duration 50ms --seed 27

# Where events are missing, perf and ftrace show more: each event says whose it is, so calls of a task are known whose switch is not.
for kind in ctf perf.data; do
	made -o "$dir/lossy/$kind" --container "$kind" --by-number --statedump --hosts 2 --races --reuse --lose 5% --duration 50ms --seed 27
	(cd "$dir/lossy/$kind" && "$m" log syscall -n 0 -q --format csv h0 h1 2>/dev/null) >"$dir/lossy/$kind.calls"
done
equal "lost events: more calls are known" "$(($(wc -l <"$dir/lossy/perf.data.calls") > $(wc -l <"$dir/lossy/ctf.calls")))" 1

# Compressed it is the same.
made -o "$dir/plain" --container trace.dat --duration 30ms --seed 28
made -o "$dir/zlib" --container trace.dat --compress zlib --duration 30ms --seed 28
(cd "$dir/plain" && "$m" events -q h0) >"$dir/plain.text"
(cd "$dir/zlib" && "$m" events -q h0) >"$dir/zlib.text"
same "zlib" "$dir/zlib.text" "$dir/plain.text"
equal "zlib: smaller" "$(($(wc -c <"$dir/zlib/h0/trace.dat") * 2 < $(wc -c <"$dir/plain/h0/trace.dat")))" 1
equal "events" "$(grep -c . "$dir/zlib.text" | awk '{ print ($1 > 3000) }')" 1

# Of probes that are missed nothing else is missing: the same events of the kernel's own, packets without headers.
made -o "$dir/all" --container perf.data --services pool --hosts 2 --duration 100ms --seed 29
made -o "$dir/some" --container perf.data --missed 20% --services pool --hosts 2 --duration 100ms --seed 29
for made in all some; do
	(cd "$dir/$made" && "$m" events -q h0) >"$dir/$made.text"
	grep -v ' mer:' "$dir/$made.text" | sed -E 's/^\[[^]]*\] (\(\+[^)]*\) )?//; s/, network_header.*//' >"$dir/$made.kernel"
	grep -c ' mer:[tr]x' "$dir/$made.text" >"$dir/$made.n"
done
same "missed probes: events of the kernel" "$dir/some.kernel" "$dir/all.kernel"
equal "missed probes: about a fifth" "$(awk 'NR == 1 { n = $1 } NR == 2 { print ($1 > n * .7 && $1 < n * .9) }' "$dir/all.n" "$dir/some.n")" 1
finish
