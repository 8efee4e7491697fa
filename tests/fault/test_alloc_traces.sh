#!/usr/bin/env bash
# Memory fails (alloc.sh): in verbs that read events, on a small trace of each language, and in those that synchronize.
. "$SRC/tests/fault/alloc.sh"
cp "$SRC/tests/fault/small.scn" "$dir/" || exit 1
(cd "$dir" && "$CTFGEN" -o t1 --ctf 1.8 small.scn && "$CTFGEN" -o t2 --ctf 2 small.scn) || exit 1
"$CLOCKWORLD" -o "$dir/three" --hosts 3 --topology ring --duration 3s --rate 10 --jump 5ms@1s >/dev/null || exit 1
for t in t1 t2; do
	for args in "info" "info --count -j1" "info --streams --json" "events -j1" "events -j1 --format jsonl" "stats -j1" "stats -j1 --json" "check -j1" "check -j1 --json"; do
		try $t "$args"
	done
done
for args in "sync -j1" "sync -j1 --json" "sync -j1 --method hull" "latency -j1 --messages" "latency -j1 --json" "latency -j1 --messages --json" "stats -j1"; do
	try three "$args"
done
finish
