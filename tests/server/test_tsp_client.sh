#!/usr/bin/env bash
# The Trace Server Protocol through the client that the viewers of VS Code and Theia use: traces, experiment, outputs,
# trees, states, arrows, tooltips, charts, tables and searches, all compared with what the program prints.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/server/lib.sh"
export XDG_CACHE_HOME=$dir/cache TZ=UTC
reader=$BUILD/tsp

# The package comes from where npm gets its own.
if ! command -v npm node >/dev/null; then
	echo "skipped: the protocol's client needs node and npm"
	exit 77
fi
mkdir -p "$reader"
cp "$SRC"/tests/server/tsp/* "$reader"
if [ ! -e "$reader/node_modules/.package-lock.json" ]; then
	(cd "$reader" && timeout 100 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) || {
		rm -rf "$reader/node_modules"
		echo "skipped: npm does not get the protocol's client"
		exit 77
	}
fi

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
