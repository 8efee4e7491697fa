#!/usr/bin/env bash
# Memory fails (alloc.sh): in verbs that follow tasks, their waits and their paths.
. "$SRC/tests/fault/alloc.sh"
"$CTFGEN" -o "$dir/tasks" "$SRC/tests/cli/inception.scn" || exit 1
for args in "path -j1 --tid 100" "path -j1 --tid 100 --children" "path -j1 --tid 100 --json" \
	"path -j1 --tid 100 --children --json" "diff -j1 --tid 100,101" "diff -j1 --tid 100,101 --json" "blocked -j1 --all" "blocked -j1 --all --depth 3 --json" "log cpu -j1" "top cpu -j1 --plot $dir/cpu.svg" \
	"summary -j1 --plot $dir/all.svg" "task -j1 --tid 100 --json" "freq syscall -j1" \
	"log syscall -j1" "top sched -j1" "graph -j1" "top io -j1 --bins 4" "state -j1 --at +1ms" \
	"stats cpu -j1 --period sched_switch:sched_waking --period-by comm"; do
	try tasks "$args"
done
finish
