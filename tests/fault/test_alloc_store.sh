#!/usr/bin/env bash
# Memory fails (alloc.sh): in answers from a store.
. "$SRC/tests/fault/alloc.sh"
"$CTFGEN" -o "$dir/tasks" "$SRC/tests/cli/inception.scn" || exit 1
for args in "top cpu -j1 --store" "log sched -j1 --store --begin +1ms --json" "path -j1 --tid 100 --store" \
	"blocked -j1 --tid 100 --store" "summary -j1 --store" "stats io -j1 --store" "graph -j1 --store" \
	"top futex -j1 --store" "state -j1 --store --at +1ms"; do
	try tasks "$args"
done
finish
