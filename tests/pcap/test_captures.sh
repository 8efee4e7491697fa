#!/usr/bin/env bash
# Captures of packets, made by hand: both formats, byte orders and kinds of times; what each kind of link says of the way of
# a packet; headers; cuts. Those of the packets of a recorded host are that host for sync.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
. "$SRC/tests/pcap/lib.sh" || exit 1
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# events FILE: "TIME WAY DEVICE LEN REST" each
events() {
	"$m" events -q "$1" 2>/dev/null | sed -E 's/^\[([^]]*)\] \([^)]*\) /\1 /; s/ (net_dev_queue|net_if_receive_skb): .*len = ([0-9]+), name = "([^"]*)"/ \1 \3 \2/; s/net_dev_queue/out/; s/net_if_receive_skb/in/; s/, network_header_type.*//'
}
# field FILE NAME: its values in all events
field() { "$m" events -q "$1" 2>/dev/null | grep -oE "[ ,]$2 = [0-9A-Fx]+" | sed 's/.* //' | paste -sd' '; }
t=1795358840 # 2026-11-22 14:47:20

syn=$(ipv4 1 2 6 7 "$(tcp 4000 80 1000 0 2)")
syn_ack=$(ipv4 2 1 6 0 "$(tcp 80 4000 5000 1001 18)")
ack=$(ipv4 1 2 6 8 "$(tcp 4000 80 1001 5001 16)")

# ---- pcap: byte orders, kinds of times ----
for order in le be; do
	{
		pcap_head ns 1
		pcap_record $t 5 "$(ethernet 1 2 0800 "$syn")"
		pcap_record $t 500005 "$(ethernet 2 1 0800 "$syn_ack")"
		pcap_record $t 500105 "$(ethernet 1 2 0800 "$ack")"
	} | to_file "$dir/a-$order.pcap"
	equal "ns, $order" "$(events "$dir/a-$order.pcap")" "14:47:20.000000005 out unknown 54
14:47:20.000500005 in unknown 40
14:47:20.000500105 out unknown 54"
	{
		pcap_head us 1
		pcap_record $t 5 "$(ethernet 1 2 0800 "$syn")"
	} | to_file "$dir/us-$order.pcap"
	equal "us, $order" "$(events "$dir/us-$order.pcap")" "14:47:20.000005000 out unknown 54"
done
order=le
# Packets that come late are put where they belong; the direction of all of them is as it was.
{
	pcap_head ns 1
	pcap_record $t 500105 "$(ethernet 1 2 0800 "$ack")"
	pcap_record $t 5 "$(ethernet 1 2 0800 "$syn")"
	pcap_record $((t + 1)) 7 "$(ethernet 1 2 0800 "$ack")"
	pcap_record $t 500005 "$(ethernet 2 1 0800 "$syn_ack")"
} | to_file "$dir/late.pcap"
equal "late packets" "$(events "$dir/late.pcap" | sed 's/ .*//')" "14:47:20.000000005
14:47:20.000500005
14:47:20.000500105
14:47:21.000000007"
equal "late packets: which is which" "$(field "$dir/late.pcap" seq)" "1000 5000 1001 1001"
equal "addresses" "$("$m" events -q "$dir/a-le.pcap" 2>/dev/null | grep -oE '[sd]addr = \[[^]]*\][^]]*\][^]]*\][^]]*\][^]]*\]' | head -2 | tr -dc '0-9= \n' | sed 's/  */ /g')" " = 0 = 10 1 = 0 2 = 0 3 = 1 
 = 0 = 10 1 = 0 2 = 0 3 = 2 "
equal "ports" "$(field "$dir/a-le.pcap" source_port)" "4000 80 4000"
equal "seq" "$(field "$dir/a-le.pcap" seq)" "1000 5000 1001"
equal "flags" "$(field "$dir/a-le.pcap" flags)" "0x2 0x12 0x10"
run 0 info -v "$dir/a-le.pcap"
text "$dir/out" '^a-le.pcap +pcap +pcap +realtime'
text "$dir/err" 'only packets were recorded'
text "$dir/err" '02:00:00:00:00:01 is taken for this host' 'its own address'

# ---- which side recorded it ----
# At the server the SYN is answered at once, and its answer comes late.
{
	pcap_head ns 1
	pcap_record $t 5 "$(ethernet 1 2 0800 "$syn")"
	pcap_record $t 105 "$(ethernet 2 1 0800 "$syn_ack")"
	pcap_record $t 500105 "$(ethernet 1 2 0800 "$ack")"
	# Long frames: the others would be known by their length, too.
} | sed 's/$//' | to_file "$dir/server.pcap"
long() { # HEX: as long as a frame is at least
	local hex=$1
	while ((${#hex} < 120)); do hex+=00; done
	printf %s "$hex"
}
record() { pcap_record $t "$1" "$(long "$2")"; }
{
	pcap_head ns 1
	record 5 "$(ethernet 1 2 0800 "$syn")"
	record 105 "$(ethernet 2 1 0800 "$syn_ack")"
	record 500105 "$(ethernet 1 2 0800 "$ack")"
} | to_file "$dir/server.pcap"
equal "of the server" "$(events "$dir/server.pcap" | cut -d' ' -f2 | paste -sd' ')" "in out in"
{
	pcap_head ns 1
	record 5 "$(ethernet 1 2 0800 "$syn")"
	record 500105 "$(ethernet 2 1 0800 "$syn_ack")"
	record 500205 "$(ethernet 1 2 0800 "$ack")"
} | to_file "$dir/client.pcap"
equal "of the client" "$(events "$dir/client.pcap" | cut -d' ' -f2 | paste -sd' ')" "out in out"
# Nothing tells: it is said.
{
	pcap_head ns 1
	record 5 "$(ethernet 1 2 0800 "$ack")"
	record 105 "$(ethernet 2 1 0800 "$syn_ack")"
} | to_file "$dir/either.pcap"
run 0 info "$dir/either.pcap"
text "$dir/err" 'may be that of the other host'
# With a third machine, the address that is in all packets; of others, and of broadcasts.
{
	pcap_head ns 1
	record 1 "$(ethernet 1 2 0800 "$ack")"
	record 2 "$(ethernet 3 2 0800 "$(ipv4 3 2 6 1 "$(tcp 1 2 3 4 16)")")"
	record 3 "$(ethernet 2 1 0800 "$syn_ack")"
	record 4 "$(ethernet 1 3 0800 "$(ipv4 1 3 6 1 "$(tcp 1 2 3 4 16)")")"
	record 5 "$(ethernet 3 ffffffffffff 0806 "$(printf '%056d' 0)")"
	record 6 "$(ethernet 2 3 0800 "$(ipv4 2 3 6 1 "$(tcp 1 2 3 4 16)")")"
} | to_file "$dir/third.pcap"
equal "the most frequent address" "$(events "$dir/third.pcap" | cut -d' ' -f2 | paste -sd' ')" "in in out in out"
run 0 info -v "$dir/third.pcap"
text "$dir/err" "1 packet was not this host's"

# ---- links ----
one() { # NAME LINK HEX EVENTS
	{ pcap_head ns "$2" && pcap_record $t 1 "$3"; } | to_file "$dir/one.pcap"
	touch -d "@$((++n_one))" "$dir/one.pcap" # another file for the cache
	equal "$1" "$(events "$dir/one.pcap" | cut -d' ' -f2- | paste -sd';')" "$4"
}
n_one=0
one "any, sent" 113 "$(sll 4 0800 "$syn")" "out unknown 54"
one "any, received" 113 "$(sll 0 0800 "$syn")" "in unknown 40"
one "any, broadcast" 113 "$(sll 1 0800 "$syn")" "in unknown 40"
one "any, for others" 113 "$(sll 3 0800 "$syn")" ""
one "any 2, sent" 276 "$(sll2 4 0800 "$syn" 3)" "out if3 54"
one "any 2, received" 276 "$(sll2 0 0800 "$syn" 2)" "in if2 40"
one "VLAN" 1 "$(ethernet 1 2 8100 "00050800$syn")" "out unknown 58"
one "two VLANs" 1 "$(ethernet 1 2 88a8 "0005810000060800$syn")" "out unknown 62"
one "raw" 101 "$syn" "out unknown 40"
one "loopback of BSD" 0 "02000000$syn" "out lo 40;in lo 40"
one "loopback of OpenBSD" 108 "00000002$syn" "out lo 40;in lo 40"
one "lo" 1 "$(ethernet 000000000000 000000000000 0800 "$syn")" "out lo 54;in lo 40"
one "no IP" 1 "$(ethernet 1 2 0806 0001)" "out unknown 16"
one "IPv6" 1 "$(ethernet 1 2 86dd "$(ipv6 1 2 6 "$(tcp 4000 80 7 0 2)")")" "out unknown 74"
equal "IPv6: its port" "$(field "$dir/one.pcap" dest_port)" 80
one "UDP" 1 "$(ethernet 1 2 0800 "$(ipv4 1 2 17 9 "$(udp 5000 53)")")" "out unknown 42"
equal "UDP: its port" "$(field "$dir/one.pcap" dest_port)" 53
one "a header with options" 101 "46000040000740004006 0000 0a0000010a000002 01010101 $(tcp 4000 8080 1 0 2)" ""
hex=$(printf '46000040000740004006%s%s' 00000a0000010a00000201010101 "$(tcp 4000 8080 1 0 2)")
one "a header with options" 101 "$hex" "out unknown 44"
equal "options: the port" "$(field "$dir/one.pcap" dest_port)" 8080
one "a later fragment" 101 "$(ipv4 1 2 17 9 "$(udp 5000 53)" | sed 's/4000/0010/')" "out unknown 28"
equal "a later fragment has no ports" "$(field "$dir/one.pcap" dest_port)" ""
# A frame is padded: what is behind the packet's end is no header.
one "padding" 1 "$(ethernet 1 2 0800 "$(ipv4 1 2 6 9 '')$(printf '%040d' 0)")" "out unknown 54"
equal "padding has no ports" "$(field "$dir/one.pcap" dest_port)" ""
{ pcap_head ns 147 && pcap_record $t 1 "$syn"; } | to_file "$dir/other.pcap"
run 3 info "$dir/other.pcap"
text "$dir/err" 'link of a kind that is not read'
# Only so many bytes were kept.
{ pcap_head ns 101 && pcap_record $t 1 "${syn:0:56}" 40; } | to_file "$dir/short.pcap"
run 0 info "$dir/short.pcap"
text "$dir/err" 'so few bytes were kept'

# ---- pcapng ----
for order in le be; do
	{
		ng_section
		ng_interface 1 "$(option 2 65746830 && option 9 09 && option 0 '')"
		ng_packet 0 $((t * 1000000000 + 5)) "$(ethernet 1 2 0800 "$syn")" "$(option 2 "$(n32 2)" && option 0 '')"
		block 5 "$(n32 0 && n32 0 && n32 0)$(option 5 "$(n64 3)")"
		ng_packet 0 $((t * 1000000000 + 7)) "$(ethernet 1 2 0800 "$syn")" "$(option 2 "$(n32 1)" && option 0 '')"
		block 3 "$(n32 4)01020304"
		block 99 00000000
	} | to_file "$dir/ng-$order.pcapng"
	equal "ng, $order" "$(events "$dir/ng-$order.pcapng")" "14:47:20.000000005 out eth0 54
14:47:20.000000007 in eth0 40"
	run 0 info "$dir/ng-$order.pcapng"
	text "$dir/out" ' +pcap +pcapng +realtime'
	text "$dir/err" '3 packets were lost while'
	text "$dir/err" '1 packet has no time'
done
order=le
# Units: microseconds, 2^-10 s, with an offset; a second section of another byte order has interfaces of its own.
{
	ng_section
	ng_interface 101 ""
	ng_interface 101 "$(option 9 8a && option 14 "$(n64 $((t - 100)))")"
	ng_packet 0 $((t * 1000000 + 7)) "$syn" "$(option 2 "$(n32 2)")"
	ng_packet 1 $((100 * 1024 + 512)) "$syn" "$(option 2 "$(n32 2)")"
	order=be
	ng_section
	ng_interface 113 ""
	ng_packet 0 $((t * 1000000 + 9)) "$(sll 0 0800 "$syn")"
} | to_file "$dir/units.pcapng"
equal "units, sections" "$(events "$dir/units.pcapng")" "14:47:20.000007000 out unknown 40
14:47:20.000009000 in unknown 40
14:47:20.500000000 out unknown 40"

# ---- cuts ----
for name in a-le.pcap a-be.pcap ng-le.pcapng units.pcapng; do
	n_whole=$(events "$dir/$name" | wc -l) n_bad=0 n_last=0
	size=$(wc -c <"$dir/$name")
	for ((i = 3; i < size; i += 13)); do
		head -c $i "$dir/$name" >"$dir/cut"
		"$m" events -q "$dir/cut" >"$dir/part" 2>"$dir/err"
		[ $? -le 3 ] || n_bad=$((n_bad + 1))
		n=$(wc -l <"$dir/part")
		# Never fewer with more bytes; of pcap those whose last byte is there.
		[ "$n" -ge $n_last ] && [ "$n" -le "$n_whole" ] || n_bad=$((n_bad + 1))
		[[ $name != a-* ]] || [ "$n" = $((i < 24 ? 0 : (i - 24) / 70)) ] || n_bad=$((n_bad + 1))
		n_last=$n
	done
	equal "$name, cut" $n_bad 0
done
head -c $((24 + 16 + 54 + 16 + 54)) "$dir/a-le.pcap" >"$dir/two.pcap"
equal "cut behind a packet" "$(events "$dir/two.pcap" | wc -l)" 2
head -c $((24 + 16 + 54 + 16 + 53)) "$dir/a-le.pcap" >"$dir/cut.pcap"
equal "cut within a packet" "$(events "$dir/cut.pcap" | wc -l)" 1
run 3 info "$dir/cut.pcap"
text "$dir/err" 'ends too early'

# ---- as a host of an experiment ----
real=$lab/wget-cold-hot
# In the ways that tcpdump has them: by -i any, and by -i eth0.
packets_of "$real/server" >"$dir/packets"
equal "packets of the server" $(($(wc -l <"$dir/packets") > 50)) 1
{
	pcap_head ns 113
	while read -r way s ns hex; do pcap_record "$s" "$ns" "$(sll $([ $way = s ] && echo 4 || echo 0) 0800 "$hex")" $((16 + 16#${hex:4:4})); done <"$dir/packets"
} | to_file "$dir/server-any.pcap"
{
	pcap_head ns 1
	while read -r way s ns hex; do
		[ "${hex:24:2}" = 7f ] && continue
		pcap_record "$s" "$ns" "$(ethernet $((16#${hex:30:2})) $((16#${hex:38:2})) 0800 "$hex")" $((14 + 16#${hex:4:4}))
	done <"$dir/packets"
} | to_file "$dir/server-eth.pcap"
# between TRACE: what sync has of the messages between it and the client
between() { "$m" sync --json "$real/client" "$1" 2>/dev/null | jq -c 'table("pairs")[0] | [([.matched_ab, .matched_ba] | sort), .used, .rejected, .hull_upper, .hull_lower, .inversions_before, .inversions_after, .quality]'; }
between "$real/server" >"$dir/want"
text "$dir/want" '^\[\[25,30\],' 'sync with the host itself'
for way in any eth; do
	between "$dir/server-$way.pcap" >"$dir/got"
	same "sync with what tcpdump -i $way has" "$dir/got" "$dir/want"
done
# Requests of the client, by its own system calls and by what the packets say.
run 0 requests "$real/client" "$dir/server-any.pcap"
text "$dir/out" 'wget -> 10.0.0.2:80 +http +2 '
run 0 top net --host server-any.pcap "$real/client" "$dir/server-any.pcap"
equal "packets" "$("$m" top net --json -q "$dir/server-any.pcap" 2>/dev/null | jq '[.tables[0].rows[] | .sent_packets + .received_packets] | add')" "$(wc -l <"$dir/packets")"
# Nothing is said of CPUs that nobody saw.
run 0 summary "$dir/server-any.pcap"
text "$dir/out" '^known by its packets alone: nothing is known of its CPUs, tasks and disks$' summary
no_text "$dir/out" 'unknown|CPUs +' summary
run 0 summary "$real/client" "$dir/server-any.pcap"
text "$dir/out" 'server-any.pcap.* known by its packets alone' 'summary of both'
# What needs tasks says that there are none.
for what in "top cpu" "log sched" requests; do
	run 3 $what "$dir/server-any.pcap"
	text "$dir/out" 'the traces lack the events' "$what"
	text "$dir/err" 'known by a capture of its packets alone' "$what"
done
finish
