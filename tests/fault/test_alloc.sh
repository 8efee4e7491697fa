#!/usr/bin/env bash
# The n-th allocation fails, for every n of a small run: a message and an exit status of the list, no
# crash, nothing left behind. Every verb that reads traces, on one small trace of each language; those
# that synchronize on the traces of three machines, and those that follow tasks.
set -u
[ -z "$SANITIZE" ] || { echo "skipped: the sanitizers have their own allocator"; exit 77; }
[ -f "$BUILD/tests/failalloc.so" ] || { echo "skipped: no failalloc.so"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$SRC/tests/fault/small.scn" "$dir/" || exit 1
(cd "$dir" && "$CTFGEN" -o t1 --ctf 1.8 small.scn && "$CTFGEN" -o t2 --ctf 2 small.scn) || exit 1
"$CLOCKWORLD" -o "$dir/three" --hosts 3 --topology ring --duration 3s --rate 10 --jump 5ms@1s \
	> /dev/null || exit 1
export XDG_CACHE_HOME=$dir/cache
failed=0 passed=0
once() { # n, command: runs with the n-th allocation failing
	MER_FAIL_ALLOC=$1 MER_FAIL_REPORT="$dir/report" LD_PRELOAD="$BUILD/tests/failalloc.so" \
		"$MERIDIAN" "${@:2}" > "$dir/out" 2> "$dir/err"
}
# each STEP COMMAND...: one run, of which a child goes on from every STEP-th allocation, which fails there
each() {
	rm -f "$dir/log"
	MER_FAIL_EACH=$1 MER_FAIL_LOG=$dir/log MER_FAIL_ERRORS=$dir/child.err MER_FAIL_REPORT=$dir/report \
		LD_PRELOAD="$BUILD/tests/failalloc.so" "$MERIDIAN" "${@:2}" > "$dir/out2" 2> "$dir/err2"
}
try() { # trace, arguments
	local all baseline step n rc live bytes expected
	# shellcheck disable=SC2086
	once 0 $2 "$dir/$1" # what it keeps is there then
	# shellcheck disable=SC2086
	once 0 $2 "$dir/$1"
	expected=$?
	read -r all baseline < "$dir/report"
	step=1
	[ "$all" -gt 1500 ] && step=$((all / 1500 + 1))
	# shellcheck disable=SC2086
	each $step $2 "$dir/$1"
	if [ $? -ne $expected ] || ! cmp -s "$dir/out" "$dir/out2" || ! cmp -s "$dir/err" "$dir/err2"; then
		failed=$((failed + 1))
		echo "FAILED: $2 $1: what failed in children changed what they came from: $(head -1 "$dir/err2")"
	fi
	[ "$(wc -l < "$dir/log")" -ge $((all / step)) ] || {
		failed=$((failed + 1))
		echo "FAILED: $2 $1: $(wc -l < "$dir/log") allocations of $all failed, each $step."
	}
	while read -r n rc live bytes; do
		case $rc in
		0 | 1 | 3 | 5) ok=1 ;;
		*) ok=0 ;;
		esac
		[ "$rc" = 5 ] && [ "$bytes" = 0 ] && ok=0
		if [ "$live" -lt 0 ] || [ "$live" -gt "$baseline" ]; then ok=0; fi
		if [ $ok = 1 ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAILED: $2 $1, allocation $n of $all: exit $rc, live $live (usually $baseline), bytes of messages: $bytes"
			[ $failed -gt 10 ] && exit 1
		fi
	done < "$dir/log"
}
for t in t1 t2; do
	for args in "info" "info --count -j1" "events -j1" "events -j1 --format jsonl" "stats -j1" "check -j1"; do
		try $t "$args"
	done
done
for args in "sync -j1" "sync -j1 --json" "sync -j1 --method hull" "latency -j1 --messages" "stats -j1"; do
	try three "$args"
done
"$CTFGEN" -o "$dir/tasks" "$SRC/tests/cli/inception.scn" || exit 1
for args in "path -j1 --tid 100" "path -j1 --tid 100 --children" "path -j1 --tid 100 --json" \
	"diff -j1 --tid 100,101" "blocked -j1 --all" "log cpu -j1" "top cpu -j1 --plot $dir/cpu.svg" \
	"summary -j1 --plot $dir/all.svg" "task -j1 --tid 100 --json" "freq syscall -j1" \
	"log syscall -j1" "top sched -j1" "graph -j1" "top io -j1 --bins 4" \
	"stats cpu -j1 --period sched_switch:sched_waking --period-by comm"; do
	try tasks "$args"
done
"$CTFGEN" -o "$dir/exchange" "$SRC/tests/fault/exchange.scn" || exit 1
for args in "requests -j1" "requests -j1 --list -n 0 --json" "requests -j1 --tree" \
	"requests -j1 --explain --slowest 1" "requests -j1 --bins 3 --plot $dir/requests.svg" \
	"requests -j1 --format otlp" "requests -j1 --format folded" "requests -j1 --format speedscope" \
	"path -j1 --request r1.1" "events -j1 --request r1.1" "blocked -j1 --request r1.1" \
	"diff -j1 --request r1.1,r1.1"; do
	try exchange "$args"
done
"$CTFGEN" -o "$dir/server" "$SRC/tests/fault/server.scn" || exit 1
try server "top servers -j1"
"$CTFGEN" -o "$dir/faults" "$SRC/tests/cli/faults.scn" || exit 1
for args in "top faults -j1 --bins 5 --plot $dir/plot.svg" "log faults -j1" "stats faults -j1 --json" \
	"top mem -j1"; do
	try faults "$args"
done
"$CTFGEN" -o "$dir/locks" "$SRC/tests/fault/locks.scn" || exit 1
for args in "top futex -j1" "freq futex -j1" "top syscall -j1 --json" "summary -j1 --json"; do
	try locks "$args"
done
"$CTFGEN" -o "$dir/vcpu" "$SRC/tests/cli/tables/vm.scn" || exit 1
try vcpu "top vm -j1 --table all"
"$KERNELWORLD" -o "$dir/vms" --cpus 1 --tasks 1 --duration 20ms --vms 2 --statedump >/dev/null || exit 1
"$MERIDIAN" sync --save "$dir/vms.sync" "$dir/vms" >/dev/null 2>&1 || exit 1
for args in "top vm -j1 --table all --sync $dir/vms.sync" "path -j1 --host g0 --tid 301 --sync $dir/vms.sync"; do
	try vms "$args"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
