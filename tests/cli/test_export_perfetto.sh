#!/usr/bin/env bash
# meridian export --format perfetto: by a decoder that shares no code with the writer, every packet decodes, slices balance,
# and facts are those of 'meridian log' to the ns; flows have both ends; what was written before stays when it fails.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
if ! command -v python3 >/dev/null; then
	echo "skipped: there is no python3, which the decoder needs"
	exit 77
fi
decode() { python3 -B "$SRC/tests/support/perfetto_check.py" "$@"; }
# facts KIND TRACE...: as the decoder prints them
facts() {
	local kind=$1
	shift
	"$m" log "$kind" -n 0 --format csv -q "$@" 2>/dev/null | python3 -c '
import csv, sys
kind = sys.argv[1]
title = {"cpu": "on CPU", "sched": "runnable", "syscall": "system calls"}.get(kind, kind)
name = {"requests": "kind", "waits": "cause", "mpi": "call"}.get(kind, "name")
for r in csv.DictReader(sys.stdin):
    who = r.get("client") if kind == "requests" else r["comm"] + ("/" + r["tid"] if r["tid"] else "")
    if not who or (kind != "requests" and not r["comm"]):
        who = r["disk"] if "disk" in r else "cpu " + r["cpu"] if r.get("cpu") else "?"
    host = r.get("client_host") or r.get("host") or "?"
    took = r.get("duration_ns", r.get("latency_ns"))
    if not took and r.get("end"):  # exchanges of several messages have no latency, but an end
        took = str(int(r["end"]) - int(r["begin"]))
    print("\t".join([host, who, title, r.get(name) or title, r["begin"], took]))' "$kind" | sort
}
# is_log NAME TRACE...: a file of these traces has what log lists
is_log() {
	local name=$1 kind title size n=0
	shift
	run 0 export --format perfetto -o "$dir/pf" -q "$@"
	check "$name: it decodes" decode "$dir/pf"
	decode "$dir/pf" >"$dir/decoded" 2>/dev/null
	for kind in cpu sched syscall waits requests disk mpi; do
		facts "$kind" "$@" >"$dir/wanted"
		title=$kind
		case $kind in cpu) title="on CPU" ;; sched) title=runnable ;; syscall) title="system calls" ;; esac
		awk -F'\t' -v t="$title" '$3 == t && $1 != "FLOW"' "$dir/decoded" | sort >"$dir/got"
		same "$name: $kind" "$dir/got" "$dir/wanted"
		[ ! -s "$dir/wanted" ] || n=$((n + $(wc -l <"$dir/wanted")))
	done
	[ "$n" -gt 200 ] || fail "$name: $n facts"
	# Counters: how many slices are open at each moment at which that changes.
	python3 -c '
import collections, sys
change = collections.defaultdict(lambda: collections.defaultdict(int))
titles = {"on CPU": "CPUs in use", "runnable": "runnable tasks"}
for line in open(sys.argv[1]):
    host, who, title, name, begin, took = (line.rstrip("\n").split("\t") + [""])[:6]
    if host not in ("FLOW", "COUNTER") and title in titles and took:
        change[host, titles[title]][int(begin)] += 1
        change[host, titles[title]][int(begin) + int(took)] -= 1
for (host, title), changes in change.items():
    value = 0
    for time in sorted(changes):
        value += changes[time]
        if changes[time]:
            print("COUNTER\t%s\t%s\t%d\t%d" % (host, title, time, value))' "$dir/decoded" | sort >"$dir/wanted"
	grep ^COUNTER "$dir/decoded" | sort >"$dir/got"
	same "$name: counters" "$dir/got" "$dir/wanted"
	[ -s "$dir/got" ] || fail "$name: no counter"
	# Who woke it is there wherever log knows it.
	equal "$name: flows" "$(grep -c ^FLOW "$dir/decoded")" "$("$m" log sched -n 0 --format csv -q "$@" 2>/dev/null |
		python3 -c 'import csv, sys; print(sum(1 for r in csv.DictReader(sys.stdin) if r["waker_tid"] and r["waker_comm"]))')"
	size=$(stat -c %s "$dir/pf")
	[ "$size" -le $((2 * $(du -sbc "$@" | tail -1 | cut -f1))) ] || fail "$name: $size bytes"
}

is_log wget-cold-hot demo/wget-cold-hot
for name in shop-a mpi-3vm lost-events; do
	[ ! -d "$lab/$name" ] || ! every 2 || is_log "$name" "$lab/$name"
done
if command -v protoc >/dev/null; then
	check "protoc reads it" protoc --decode_raw <"$dir/pf"
else
	echo "skipped: there is no protoc"
fi

# ---- A part; the same again; what cannot be ----
run 0 export --format perfetto -o "$dir/a" --host server --kind syscall -q demo/wget-cold-hot
text "$dir/out" 'slices, [0-9,]+ without a known end, 0 wake-ups, [0-9.]+ [KM]iB$'
decode "$dir/a" 2>/dev/null | cut -f1,3 | sort -u >"$dir/got"
equal "a host and a kind" "$(cat "$dir/got")" "server	system calls"
run 0 export --format perfetto -o "$dir/b" --host server --kind syscall -q -j 1 demo/wget-cold-hot
same "the same bytes" "$dir/a" "$dir/b"
run 0 export --format perfetto -o "$dir/b" --begin +0.5s --end +0.6s -q demo/wget-cold-hot
decode "$dir/b" >"$dir/decoded" 2>/dev/null
for kind in syscall waits; do
	facts "$kind" --begin +0.5s --end +0.6s demo/wget-cold-hot >"$dir/wanted"
	awk -F'\t' -v t="$kind" '$3 == (t == "syscall" ? "system calls" : t)' "$dir/decoded" | sort >"$dir/got"
	same "a part of the time: $kind" "$dir/got" "$dir/wanted"
done
check "the scenario" "$ctfgen" -o "$dir/hostile" "$SRC/tests/cli/hostile.scn"
run "0|3" export --format perfetto -o "$dir/h" -q "$dir/hostile"
check "hostile names" decode "$dir/h"
cp "$dir/a" "$dir/kept"
run 3 export --format perfetto -o "$dir/a" -q "$dir/nothing-there"
same "what was there stays" "$dir/a" "$dir/kept"
run 2 export --format perfetto demo/wget-cold-hot
text "$dir/err" '-o FILE must name the file'
run "3|5" export --format perfetto -o "$dir/no/such/x" -q demo/wget-cold-hot
run 2 export --format perfetto --kind nothing -o "$dir/a" demo/wget-cold-hot
if [ -e /dev/full ]; then
	run "3|5" export --format perfetto -o /dev/full -q demo/wget-cold-hot
fi

# ---- The decoder refuses what is wrong ----
cp "$dir/b" "$dir/cut"
truncate -s -3 "$dir/cut"
if decode "$dir/cut" >/dev/null 2>&1; then fail "the decoder takes a cut file"; else ok; fi
# Without its last packet, a slice does not end.
python3 -c '
import sys
sys.path.insert(0, "tests/support")
import perfetto_check as p
data, at, last = open(sys.argv[1], "rb").read(), 0, 0
while at < len(data):
    last = at
    _, at = p.varint(data, at)
    n, at = p.varint(data, at)
    at += n
open(sys.argv[2], "wb").write(data[:last])' "$dir/b" "$dir/cut"
if decode "$dir/cut" >/dev/null 2>"$dir/err"; then fail "the decoder takes what does not end"; else text "$dir/err" 'does not end'; fi
finish
