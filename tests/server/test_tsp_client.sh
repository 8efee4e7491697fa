#!/usr/bin/env bash
# The Trace Server Protocol through the client that the viewers of VS Code and Theia use: traces, experiment, outputs,
# trees, states, arrows, tooltips, charts, tables and searches, all compared with what the program prints.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC
reader=$BUILD/tsp

packages server/tsp "$reader" "the protocol's client" || exit 77

# client TRACE...
client() {
	serve "$@"
	if node "$reader/client.js" "$url" "$m" "$@" >"$dir/client" 2>&1; then ok; else fail "$*: $(head -20 "$dir/client")"; fi
	tail -1 "$dir/client"
	stop
}
client demo/shop-a
client demo/cold-disk
client demo/lost-events
for recording in kvm-nested mpi-3vm; do
	there "$lab/$recording" && client "$lab/$recording"
done
finish
