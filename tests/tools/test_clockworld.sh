#!/usr/bin/env bash
# clockworld: its traces are sound and readable by others, the same in each run, and the truth
# beside them is that of their events.
cd "$(dirname "$0")/../cli" || exit 1
cw=${CLOCKWORLD:?}
[ -x "$cw" ] || { echo "no $cw"; exit 77; }
. ./lib.sh

world() { # NAME ARGUMENT...: writes $dir/NAME
	local name=$1
	shift
	check "clockworld $*" "$cw" -o "$dir/$name" --messages "$@"
}
# events WORLD FILTER: "time,host" of each, sorted
events() {
	"$m" events --sync none --format csv -f "$2" "$dir/$1" 2>/dev/null |
		sed 1d | cut -d, -f1,2 | sort
}

# All named worlds, made small.
n_worlds=0
for name in $("$cw" --list | sed 's/ .*//'); do
	n_worlds=$((n_worlds + 1))
	size="--duration 20s"
	[ "$name" = random-1000 ] && size="--hosts 12 --duration 5s"
	world "$name" $size "$name"
	check "$name is sound" "$m" check "$dir/$name"
	equal "$name: hosts" "$("$m" check "$dir/$name" 2>/dev/null | grep -c ' sound$')" \
		"$(cut -d, -f1 "$dir/$name/truth.csv" | sed 1d | sort -u | wc -l)"
done
[ "$n_worlds" -ge 10 ] || fail "only $n_worlds worlds have a name"

# The same again; another seed, another world.
world again --duration 20s full-5
check "two runs" diff -r "$dir/full-5" "$dir/again"
world other --duration 20s --seed 2 full-5
check "another seed" test "$(cat "$dir/other/messages.csv" | cksum)" != \
	"$(cat "$dir/full-5/messages.csv" | cksum)"

# Events are at the messages' times, to the nanosecond.
world plain --hosts 4 --topology full --clock free --all-differ --rate 20 --duration 30s \
	--loss 10% --reorder 5% --jump 5ms@10s --pause 3ms@20s --filler 50
sed 1d "$dir/plain/messages.csv" | cut -d, -f1,5 | sed 's/\(.*\),\(.*\)/\2,\1/' | sort >"$dir/sent"
sed 1d "$dir/plain/messages.csv" | grep -v 'lost' | cut -d, -f2,7 |
	sed 's/\(.*\),\(.*\)/\2,\1/' | sort >"$dir/received"
events plain 'name == "net_dev_queue"' >"$dir/queued"
events plain 'name == "net_if_receive_skb"' >"$dir/skbs"
check "messages" test "$(wc -l <"$dir/sent")" -gt 7000
check "losses" test "$(grep -c lost "$dir/plain/messages.csv")" -gt 500
same "times of sent messages" "$dir/queued" "$dir/sent"
same "times of received messages" "$dir/skbs" "$dir/received"
equal "switches are there" "$(($(events plain 'name == "sched_switch"' | wc -l) > 5000))" 1

# True times: sent before received; by true time, each host's clock in messages.csv and truth.csv
# only goes forward, so both are one clock. (Numbers of 19 digits compare as text.)
equal "received before sent" "$(sed 1d "$dir/plain/messages.csv" | grep -v lost |
	awk -F, '$4 + 40000 > $6' | wc -l)" 0
{
	sed 1d "$dir/plain/truth.csv" | awk -F, '{ print $1, $3, $2 }'
	sed 1d "$dir/plain/messages.csv" | awk -F, '{ print $1, $4, $5; if ($6 != "") print $2, $6, $7 }'
} | sort -k1,1 -k2,2n -k3,3n >"$dir/clocks"
equal "clocks that disagree with themselves" "$(awk '$1 == host && $3 "" < clock "" { n++ }
	{ host = $1; clock = $3 } END { print n + 0 }' "$dir/clocks")" 0
check "clock readings" test "$(wc -l <"$dir/clocks")" -gt 15000

# Steps: 5 ms within a nanosecond, give or take one; 3 ms without one.
IFS=, read -r host kind _ lasts before after <<<"$(sed -n 2p "$dir/plain/steps.csv")"
equal "jump" "$host $kind $lasts $(((after - before) / 100))" "h1 jump 0 50000"
IFS=, read -r host kind _ lasts before after <<<"$(sed -n 3p "$dir/plain/steps.csv")"
equal "pause" "$host $kind $lasts $(((after - before) / 100))" "h1 pause 3000000 0"

# Recorded clocks 30 years apart.
IFS=, read -r _ h0 _ <<<"$(grep -m1 ^h0 "$dir/far-apart/truth.csv")"
IFS=, read -r _ h1 _ <<<"$(grep -m1 ^h1 "$dir/far-apart/truth.csv")"
equal "years apart" "$(((h1 - h0) / (365 * 86400 * 1000000000)))" 30

# Layouts, protocols, offload, bridges.
world mixed --hosts 3 --topology full --layout 2.9,addons,both --udp 20% --icmp 10% --rate 20 \
	--duration 20s
equal "2.9 and both: hosts with skb events" \
	"$(events mixed 'name == "net_dev_queue"' | cut -d, -f2 | sort -u | tr '\n' ' ')" "h0 h2 "
equal "addons and both: hosts with socket events" \
	"$(events mixed 'name == "inet_sock_local_in"' | cut -d, -f2 | sort -u | tr '\n' ' ')" "h1 h2 "
for kind in tcp udp icmp; do
	grep ",$kind," "$dir/mixed/messages.csv" | cut -d, -f5 | sort >"$dir/want"
	check "$kind" test -s "$dir/want"
done
events mixed 'name == "inet_sock_local_out" && $host == "h1"' | cut -d, -f1 >"$dir/got"
grep '^h1,.*,tcp,' "$dir/mixed/messages.csv" | cut -d, -f5 | sort >"$dir/want"
same "socket events are TCP's" "$dir/got" "$dir/want"

world offload --offload --rate 20 --duration 20s
if command -v jq >/dev/null; then
	for name in net_dev_queue net_if_receive_skb; do
		"$m" events --sync none --format jsonl -f "name == \"$name\"" "$dir/offload" \
			2>/dev/null >"$dir/$name.json"
	done
	bytes() { jq '.payload.network_header.tot_len - 52' "$dir/$1.json" | sum; }
	check "large packets" test "$(bytes net_dev_queue)" -gt 10000000
	equal "bytes sent and received" "$(bytes net_dev_queue)" "$(bytes net_if_receive_skb)"
	check "received in other pieces" test "$(wc -l <"$dir/net_if_receive_skb.json")" -gt \
		"$(wc -l <"$dir/net_dev_queue.json")"
	# A retransmission repeats the bytes with another IP identification.
	"$m" events --sync none --format jsonl -f 'name == "net_dev_queue"' --host h0 "$dir/loss" \
		2>/dev/null | jq -r '.payload.network_header |
		"\(.daddr | @csv) \(.transport_header.seq) \(.id)"' >"$dir/segments"
	repeated=$(grep -c '^h0,.*repeated' "$dir/loss/messages.csv")
	check "retransmissions" test "$repeated" -gt 5
	equal "retransmitted segments" "$(($(wc -l <"$dir/segments") - $(cut -d' ' -f1,2 \
		"$dir/segments" | sort -u | wc -l)))" "$repeated"
	equal "their identifications" "$(sort -u "$dir/segments" | wc -l)" \
		"$(wc -l <"$dir/segments")"
fi

world bridge --bridge 100% --duration 20s
equal "events on the bridge" "$(events bridge 'name == "net_*" && $payload.name == "br0"' | wc -l)" \
	"$(events bridge 'name == "net_*" && $payload.name == "eth0"' | wc -l)"

# Other readers.
if command -v babeltrace2 >/dev/null; then
	for w in plain mixed offload far-apart; do
		equal "babeltrace2 on $w" "$(babeltrace2 "$dir/$w" 2>"$dir/err" | wc -l)" \
			"$("$m" events --sync none "$dir/$w" 2>/dev/null | wc -l)"
		equal "babeltrace2's complaints" "$(cat "$dir/err")" ""
	done
fi

# Mistakes.
for wrong in "--loss x" "--rate 0" "--duration 5" "--jump 5ms" "--clock sundial" "--frob" "flat" \
	"--layout 1.0" "--udp 60% --icmp 60%" "--seed"; do
	if "$cw" -o "$dir/mistake" $wrong >"$dir/out" 2>"$dir/err"; then
		fail "clockworld $wrong: no error"
	else
		text "$dir/err" '^clockworld: ' "the message for $wrong"
	fi
done
equal "nothing is written then" "$(ls "$dir/mistake" 2>/dev/null)" ""
check "help" "$cw" --help
finish
