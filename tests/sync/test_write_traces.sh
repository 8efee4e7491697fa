#!/usr/bin/env bash
# meridian sync --write: the copies hold the same packets, events and fields, with the times that the
# originals have once they are synchronized; other programs read them; the originals stay as they are.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# copies NAME TRACE...: writes copies to $dir/NAME and compares
copies() {
	local name=$1 copy=$dir/$1
	shift
	find "$@" -type f -exec cksum {} + | sort >"$dir/before"
	run 0 sync --write "$copy" "$@"
	find "$@" -type f -exec cksum {} + | sort >"$dir/after"
	same "$name: originals" "$dir/before" "$dir/after"
	"$m" events -q "$@" >"$dir/want"
	"$m" events -q --sync none "$copy" >"$dir/got"
	[ -s "$dir/got" ] && ok || fail "$name: no events"
	same "$name: events" "$dir/got" "$dir/want"
	# All fields, also those of packets and headers, but for times and sizes there. Streams are in
	# the same order.
	local clean='s/"\(timestamp\|timestamp_begin\|timestamp_end\|content_size\|packet_size\)":[0-9]*//g'
	"$m" events -q --headers --format jsonl "$@" | sed "$clean" >"$dir/want.json"
	"$m" events -q --sync none --headers --format jsonl "$copy" | sed "$clean" >"$dir/got.json"
	# An event may need the longer header, its gap to the one before being longer now.
	sed -i 's/"header":{[^}]*}*,//' "$dir/want.json" "$dir/got.json"
	same "$name: fields" "$dir/got.json" "$dir/want.json"
	for key in packets lost_events lost_packets; do
		"$m" info -q --json "$@" >"$dir/out"
		numbers $key "$dir/out" >"$dir/a"
		"$m" info -q --json "$copy" >"$dir/out"
		numbers $key "$dir/out" >"$dir/b"
		same "$name: $key" "$dir/b" "$dir/a"
	done
	"$m" stats -q --json "$@" | grep -oE '"losses".*' | sed 's/"path":"[^"]*"//g; s/"sync".*//' >"$dir/a"
	"$m" stats -q --json --sync none "$copy" | grep -oE '"losses".*' |
		sed 's/"path":"[^"]*"//g; s/"sync".*//' >"$dir/b"
	same "$name: losses" "$dir/b" "$dir/a"
}

# theirs NAME: babeltrace2 reads all copies at once
theirs() {
	command -v babeltrace2 >/dev/null || return
	babeltrace2 "$dir/$1" >"$dir/theirs" 2>"$dir/err" && ok ||
		fail "$1: babeltrace2: $(tail -1 "$dir/err" | cut -c1-200)"
	"$m" events -q --sync none "$dir/$1" >"$dir/got"
	check "$1: lines of babeltrace2" awk -v other="$dir/theirs" \
		-f "$SRC/tests/cases/same_lines.awk" "$dir/got"
}

# still NAME: synchronized again, nothing moves
still() {
	run 0 sync --json "$dir/$1"
	equal "$1: offsets" "$(numbers offset_ns "$dir/out" | tr -d '\n' | tr -d '0 ')" ""
	equal "$1: drifts" "$(numbers drift_ppm "$dir/out" | tr -d '\n' | tr -d '0 ')" ""
}

for t in wget-cold-hot cluster-10 clihog-srvhog-2vm reader-zoo mpi-imbalance lost-events; do
	[ $t = wget-cold-hot ] || [ $t = cluster-10 ] || every 4 || continue # those two are looked at below
	copies $t demo/$t
	theirs $t
done
for t in wget-cold-hot cluster-10 clihog-srvhog-2vm; do
	[ -d "$dir/$t" ] || continue
	still $t
done
run 0 check "$dir/wget-cold-hot" "$dir/cluster-10"
text "$dir/out" 'sound' check
no_text "$dir/out" 'damaged|unreadable' check
# Copies are on one clock: nothing moves when they are synchronized by their offsets.
"$m" events -q "$dir/wget-cold-hot" --fields len -n 2 -f 'name == "net*" && (len == 193 || len == 179)' |
	grep -oE 'client|server' | tr '\n' ' ' >"$dir/out"
equal "order in the copy" "$(cat "$dir/out")" "client server "

# Several arguments, of which some lie in others; a folder that is there and empty; one thread.
mkdir "$dir/several"
run 0 sync -j 1 --write "$dir/several" demo/wget-cold-hot/client demo/wget-cold-hot demo/cluster-10/node01
equal "folders" "$(cd "$dir/several" && find . -name metadata | sort | tr '\n' ' ')" \
	"./cluster-10/node01/kernel/metadata ./wget-cold-hot/client/kernel/metadata ./wget-cold-hot/server/kernel/metadata "

# Refused.
run 2 sync --write "$dir/several" demo/wget-cold-hot
text "$dir/err" 'several: not empty'
run 5 sync --write /dev/null/x demo/wget-cold-hot
echo x >"$dir/file"
run 5 sync --write "$dir/file" demo/wget-cold-hot

# Every kind of field, also in contexts, in both formats; a clock that goes backwards.
for s in types odd; do
	for f in "$SRC"/tests/*/$s.scn; do
		[ -e "$f" ] || continue
		"$ctfgen" "$f" -o "$dir/$s-original" >/dev/null 2>&1 || { fail "ctfgen $f"; continue; }
		copies $s "$dir/$s-original"
	done
done

if there "$public/synctraces"; then
	copies scp "$public/synctraces"
fi
finish
