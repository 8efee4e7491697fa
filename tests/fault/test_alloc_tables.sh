#!/usr/bin/env bash
# Memory fails (alloc.sh): in tables of servers, page faults, memory, locks and calls.
. "$SRC/tests/fault/alloc.sh"
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
finish
