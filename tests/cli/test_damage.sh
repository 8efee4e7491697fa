#!/usr/bin/env bash
# Damage inside packets: analyses tell it as 'events' does, each once, in the same order for any number of
# threads, whether they need the messages between tasks or not.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=2000 # a message is a line
if [ ! -x "${KERNELWORLD:-}" ]; then
	echo "no kernelworld: not tested"
	exit 77
fi
"$KERNELWORLD" -o "$dir/w" --hosts 2 --cpus 2 --seed 9 --statedump --no-truth --packet 16384 >/dev/null

# spoil FILE PLACE: 40 bytes of it
spoil() { head -c 40 /dev/zero | tr '\0' '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
place=21000
for file in "$dir"/w/h*/kernel/channel*_[0-9]; do
	[ "$(stat -c %s "$file")" -gt 50000 ] || fail "$file is too small for this test"
	spoil "$file" $place
	place=$((place + 5000))
done
# Messages are wrapped: their lines are joined before.
findings() { joined "$1" | tail -n "+$(($(wc -l <"$1") + 1))" | grep -E ": event record \\(bit"; }
"$m" events -v --limit 0 "$dir/w" >/dev/null 2>"$dir/err"
findings "$dir/err" | sort >"$dir/wanted"
for host in h0 h1; do text "$dir/wanted" "/$host/"; done # what is in a packet's padding harms nothing

for verb in "top cpu" "top net" "freq sched" summary graph "task --list" blocked requests; do
	for traces in "$dir/w" "--sync none $dir/w"; do
		for jobs in 1 2; do
			# shellcheck disable=SC2086
			"$m" $verb -v -j$jobs $traces >/dev/null 2>"$dir/err"
			findings "$dir/err" >"$dir/found.$jobs"
			sort "$dir/found.$jobs" >"$dir/sorted"
			same "$verb -j$jobs $traces" "$dir/sorted" "$dir/wanted"
		done
		same "$verb, the order of findings" "$dir/found.1" "$dir/found.2"
	done
	# One host: nothing is synchronized.
	# shellcheck disable=SC2086
	"$m" $verb -v "$dir/w/h0" >/dev/null 2>"$dir/err"
	findings "$dir/err" | sort >"$dir/sorted"
	grep "/h0/" "$dir/wanted" >"$dir/wanted.h0"
	same "$verb of one host" "$dir/sorted" "$dir/wanted.h0"
done
# For programs too, with codes that are words, also when the synchronization comes from the cache.
for run in 1 2; do
	"$m" top cpu -v --json "$dir/w" >"$dir/json" 2>/dev/null
	equal "codes in JSON, run $run" "$(grep -oE '"code": ?"unknown-event-id"|"code": ?"bad-event"' "$dir/json" | wc -l)" \
		"$(wc -l <"$dir/wanted")"
	equal "odd codes, run $run" "$(grep -aoE '"code": ?"[^"]*"' "$dir/json" | grep -avcE '"[a-z-]+"$')" 0
done

# --- A stream whose file was cut: its CPU did not stop, nor idle; what it did is unknown ---
cut_trace=demo/shop-a
if there "$cut_trace"; then
	cp -rL "$cut_trace" "$dir/cut" && chmod -R u+w "$dir/cut"
	stream=$(find "$dir/cut/web" -name 'ch*_1' -size +64k | head -1)
	truncate -s $(($(stat -c %s "$stream") * 6 / 10)) "$stream"
	unknown() { "$m" top cpu --table cpus -q --host web --format csv "$1" 2>/dev/null |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "cpu") c = i; if ($i == "unknown_ns") u = i } next }
			$c == 1 { print int($u / 1e9) }'; }
	equal "whole: seconds unknown of CPU 1" "$(unknown "$cut_trace")" 0
	if [ "$(unknown "$dir/cut")" -ge 2 ]; then ok; else fail "cut: $(unknown "$dir/cut") s unknown"; fi
	"$m" summary -q "$dir/cut" >"$dir/out" 2>&1
	text "$dir/out" 'of the CPU time is unknown' "summary of a cut stream"
fi
finish
