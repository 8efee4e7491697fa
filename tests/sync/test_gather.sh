#!/bin/bash
# Reading and matching whole traces: layouts, clocks far apart, many hosts, and what is said when
# something is missing. Real traces where they are at hand.
set -u
MATCH=$BUILD/bench/match
[ -x "$MATCH" ] || { echo "bench/match was not built: skipped"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# expect NAME PATTERN: the output of the last run has such a line
out=
run() { out=$("$MATCH" "$@" 2>&1) || { echo "FAILED: $*: $out"; failed=1; }; }
expect() {
	grep -qE -- "$2" <<<"$out" && return
	echo "FAILED: $1: no line like \"$2\" in:"
	echo "$out"
	failed=1
}
refuse() {
	grep -qE -- "$2" <<<"$out" || return
	echo "FAILED: $1: a line like \"$2\" in:"
	echo "$out"
	failed=1
}
# make NAME: a trace of the scenario on stdin
make_trace() {
	"$CTFGEN" -o "$dir/$1" - || { echo "FAILED: scenario $1"; exit 1; }
}

hosts='epoch 1700000000s
host a { boot 100s; uuid "11111111-2222-4333-8444-000000000001" }
host b { boot 7s; AHEAD uuid "11111111-2222-4333-8444-000000000002" }'
ip='network_header.ipv4={ version=4, ihl=5, tot_len=140, id=($i + 1), saddr=[10, 0, 0, 1],
	daddr=[10, 0, 0, 2], protocol=_tcp, transport_header.tcp={ source_port=40000, dest_port=80,
	seq=($i * 100), ack_seq=7, data_offset=5, flags=0x18 } }'
ip=$(tr '\n' ' ' <<<"$ip")
sends="0us a 0 net_dev_queue len=154 name=\"eth0\" $ip"
receives="80us b 0 net_if_receive_skb len=140 name=\"eth0\" $ip"

# --- clocks 30 years apart, with no common time at all
make_trace far <<-EOF
	${hosts/AHEAD/ahead 946080000s;}
	repeat 50 every 1ms from 10ms {
		$sends
		$receives
	}
EOF
run gather "$dir/far"
expect "far clocks" '^a -> b: 50 messages, 0 duplicates, 0 reordered, 0 unmatched'
expect "one way" '^sync-one-way: a: '

# --- clocks a second apart, and more happens in a second than can be waited for
make_trace late <<-EOF
	${hosts/AHEAD/ahead 1s;}
	repeat 4000 every 1ms from 10ms {
		$sends
		$receives
	}
EOF
run gather --pending 100 "$dir/late"
expect "second attempt" '^a -> b: 4000 messages, 0 duplicates, 0 reordered, 0 unmatched'
refuse "nothing too old" '^sync-too-old'

# --- the same packet in three layouts: addons, IPv6, an old one without addresses
make_trace layouts <<-EOF
	${hosts/AHEAD/}
	event inet_sock_local_out { u64 hex sk; u32 be seq; u32 be ack_seq; u16 be check; u16 be window; u16 be hex flags; }
	event netif_receive_skb { u64 hex skbaddr; u32 len; string name; enum u8 { _unknown=0, _thtype_tcp=6 } transport_header_type; variant transport_header_type { struct { } unknown; struct { u16 be source; u16 be dest; u32 be seq; u32 be ack_seq; u4 be align=4 data_offset; u3 be reserved; u9 be hex flags; } thtype_tcp; } transport_fields; }
	repeat 20 every 1ms from 10ms {
		0us a 0 inet_sock_local_out seq=(\$i * 100) ack_seq=7 flags=0x8018
		50us b 0 netif_receive_skb len=40 name="eth0" transport_fields.thtype_tcp={ source=1, dest=2, seq=(\$i * 100), ack_seq=7, data_offset=5, flags=0x18 }
		60us b 0 net_dev_queue len=60 name="eth0" network_header.ipv6={ version=6, payload_len=20, saddr=[0xfe80, 0, 0, 0, 0, 0, 0, 2], daddr=[0xfe80, 0, 0, 0, 0, 0, 0, 1], nexthdr=_tcp, transport_header.tcp={ source_port=80, dest_port=4000, seq=7, ack_seq=(\$i * 100), data_offset=5, flags=0x10 } }
		90us a 0 net_if_receive_skb len=60 name="eth0" network_header.ipv6={ version=6, payload_len=20, saddr=[0xfe80, 0, 0, 0, 0, 0, 0, 2], daddr=[0xfe80, 0, 0, 0, 0, 0, 0, 1], nexthdr=_tcp, transport_header.tcp={ source_port=80, dest_port=4000, seq=7, ack_seq=(\$i * 100), data_offset=5, flags=0x10 } }
	}
EOF
run gather "$dir/layouts"
expect "addons to an old layout" '^a -> b: 20 messages'
expect "IPv6" '^b -> a: 20 messages'
refuse "nothing to say" '^sync-'

# --- UDP and echo, hypercalls, and packets that nothing identifies
make_trace kinds <<-EOF
	${hosts/AHEAD/}
	event vmsync_gh_guest { u32 cnt; u64 vm_uid; }
	event vmsync_gh_host { u32 cnt; u64 vm_uid; }
	repeat 10 every 1ms from 10ms {
		0us a 0 vmsync_gh_guest cnt=\$i vm_uid=77
		1us b 0 vmsync_gh_host cnt=\$i vm_uid=77
		2us a 0 net_dev_queue len=60 name="eth0" network_header.ipv4={ tot_len=60, id=(\$i + 1), saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2], protocol=_udp, transport_header.udp={ source_port=40000, dest_port=53, len=32 } }
		9us b 0 net_if_receive_skb len=60 name="eth0" network_header.ipv4={ tot_len=60, id=(\$i + 1), saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2], protocol=_udp, transport_header.udp={ source_port=40000, dest_port=53, len=32 } }
		10us b 0 net_dev_queue len=60 name="eth0" network_header.ipv4={ tot_len=84, id=0, saddr=[10, 0, 0, 2], daddr=[10, 0, 0, 1], protocol=_icmp, transport_header.icmp={ type=8, gateway=(0x10000 + \$i) } }
		19us a 0 net_if_receive_skb len=60 name="eth0" network_header.ipv4={ tot_len=84, id=0, saddr=[10, 0, 0, 2], daddr=[10, 0, 0, 1], protocol=_icmp, transport_header.icmp={ type=8, gateway=(0x10000 + \$i) } }
		20us a 0 net_dev_queue len=60 name="eth0" network_header.ipv4={ tot_len=60, id=0, saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2], protocol=_udp, transport_header.udp={ source_port=40000, dest_port=53, len=32 } }
		21us a 0 net_dev_queue len=60 name="eth0"
	}
EOF
run gather "$dir/kinds"
expect "hypercalls and UDP" '^a -> b: 20 messages'
expect "echo" '^b -> a: 10 messages'
expect "without key" '^a: sent 30, received 10; .* without key 10$'

# --- receive events without headers; a host that recorded nothing of the kind
make_trace bare <<-EOF
	${hosts/AHEAD/}
	host c { boot 1s; uuid "11111111-2222-4333-8444-000000000003" }
	1ms c 0 sched_switch next_comm="x"
	repeat 20 every 1ms from 10ms {
		$sends
		80us b 0 net_if_receive_skb len=140 name="eth0"
	}
EOF
run gather "$dir/bare"
expect "no headers" '^sync-no-headers: b: .*gro on.*inet_sock_local_in'
expect "no events" '^sync-no-events: c: .*net_dev_queue,net_if_receive_skb'
expect "b is without key" '^b: sent 0, received 0; .* without key 20$'

# --- pairs of the user's
make_trace user <<-EOF
	${hosts/AHEAD/}
	event post { string queue; u32 number; u32 size; }
	event got { struct { string queue; u64 n; } from; }
	repeat 30 every 1ms from 10ms {
		0us a 0 post queue="x" number=(\$i / 3) size=5
		80us b 0 got from={ queue="x", n=(\$i / 3) }
		90us b 0 got from={ queue="y", n=(\$i / 3) }
	}
EOF
echo 'pair queue  post -> got  key queue=from.queue number=from.n  ordered # comment' >"$dir/p"
run gather --pairs "$dir/p" "$dir/user"
expect "ordered" '^a -> b: 30 messages'
echo 'pair queue  post -> got  key queue=from.queue number=from.n' >"$dir/p"
run gather --pairs "$dir/p" "$dir/user"
expect "not unique" '^a -> b: 10 messages' # each key once
echo 'pair queue  post -> got  key queue=from.quue' >"$dir/p"
run gather --pairs "$dir/p" "$dir/user"
expect "no such field" '^sync-user-pair: .*pair queue: no trace has an event got with all fields'
refuse "no such field" '->'

# --- many hosts in a ring
{
	echo "epoch 1700000000s"
	for ((h = 0; h < 200; h++)); do
		printf 'host h%d { boot %ds; ahead %dms; uuid "11111111-2222-4333-8444-%012d" }\n' \
			$h $((h + 1)) $((h * 977 % 5000)) $h
	done
	for ((h = 0; h < 200; h++)); do
		h2=$(((h + 1) % 200))
		body=${ip//10, 0, 0, 1/10, 1, 0, $h}
		body=${body//10, 0, 0, 2/10, 1, 0, $h2}
		body=${body//ack_seq=7/ack_seq=$((h + 1000))}
		echo "repeat 5 every 100ms from $((h + 10))ms {"
		echo "0us h$h 0 net_dev_queue len=154 name=\"eth0\" $body"
		echo "80us h$h2 0 net_if_receive_skb len=140 name=\"eth0\" $body"
		echo "}"
	done
} | make_trace ring
run gather "$dir/ring"
n=$(grep -cE '^h[0-9]+ -> h[0-9]+: 5 messages, 0 duplicates, 0 reordered, 0 unmatched$' <<<"$out")
[ "$n" = 200 ] || { echo "FAILED: ring: $n of 200 links"; failed=1; }

# --- real traces
public=$SRC/../shared/traces/public
if [ -d "$public/synctraces" ] && [ -d "$public/django-vote" ]; then
	run gather "$public/synctraces"
	expect scp '^VM1 -> VM3: 24 messages'
	expect scp '^VM3 -> VM1: 22 messages'
	run gather "$public/django-vote"
	for link in 'httpd -> django-db: 171' 'db -> django-httpd: 135' \
		'client -> django-httpd: 66' 'httpd -> django-client: 66'; do
		expect vote "^django-$link messages"
	done
else
	echo "skipped: there is no public/synctraces or no public/django-vote"
fi
exit $failed
