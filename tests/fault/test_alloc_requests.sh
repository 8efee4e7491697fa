#!/usr/bin/env bash
# Memory fails (alloc.sh): in verbs that follow requests.
. "$SRC/tests/fault/alloc.sh"
"$CTFGEN" -o "$dir/exchange" "$SRC/tests/fault/exchange.scn" || exit 1
for args in "requests -j1" "requests -j1 --list -n 0 --json" "requests -j1 --tree" \
	"requests -j1 --explain --slowest 1" "requests -j1 --bins 3 --plot $dir/requests.svg" \
	"requests -j1 --format otlp" "requests -j1 --format folded" "requests -j1 --format speedscope" \
	"path -j1 --request r1.1" "events -j1 --request r1.1" "blocked -j1 --request r1.1" \
	"diff -j1 --request r1.1,r1.1" "top requests -j1" "log requests -j1" "top requests -j1 --bins 3" \
	"log waits -j1" "top messages -j1"; do
	try exchange "$args"
done
finish
