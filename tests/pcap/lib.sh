# For the scripts of this folder: captures made by hand, and of the packets of a trace.
. "$SRC/tests/support/hex.sh"

# pcap_head ns|us LINK
pcap_head() {
	n32 $(($([ "$1" = ns ] && echo 0xa1b23c4d || echo 0xa1b2c3d4)))
	n16 2 && n16 4 && n32 0 && n32 0 && n32 262144 && n32 "$2"
}
# pcap_record SECONDS FRACTION HEX [FULL-SIZE]
pcap_record() { n32 "$1" && n32 "$2" && n32 $((${#3} / 2)) && n32 "${4:-$((${#3} / 2))}" && printf %s "$3"; }

padded() { # HEX: to 4 bytes
	local hex=$1
	while ((${#hex} % 8)); do hex+=00; done
	printf %s "$hex"
}
option() { n16 "$1" && n16 $((${#2} / 2)) && padded "$2"; }    # CODE HEX
block() { n32 "$1" && n32 $((${#2} / 2 + 12)) && printf %s "$2" && n32 $((${#2} / 2 + 12)); } # TYPE HEX
ng_section() { block $((0x0a0d0d0a)) "$(n32 $((0x1a2b3c4d)) && n16 1 && n16 0 && n64 -1)"; }
ng_interface() { block 1 "$(n16 "$1" && n16 0 && n32 0)${2:-}"; } # LINK OPTIONS
# ng_packet INTERFACE UNITS HEX [OPTIONS [FULL-SIZE]]
ng_packet() { block 6 "$(n32 "$1" && n32 $(($2 >> 32)) && n32 "$2" && n32 $((${#3} / 2)) && n32 "${5:-$((${#3} / 2))}" && padded "$3")${4:-}"; }

# ipv4 FROM TO PROTOCOL ID HEX: addresses are the last byte of 10.0.0.x
ipv4() { printf 45 && printf 00 && be16 $((20 + ${#5} / 2)) && be16 "$4" && printf 4000 && printf '40%02x0000' "$3" && printf '0a0000%02x0a0000%02x%s' "$1" "$2" "$5"; }
ipv6() { printf 60000000 && be16 $((${#4} / 2)) && printf '%02x40' "$3" && printf 'fd0000000000000000000000000000%02xfd0000000000000000000000000000%02x%s' "$1" "$2" "$4"; }
# tcp SOURCE-PORT PORT SEQ ACK FLAGS
tcp() { be16 "$1" && be16 "$2" && be32 "$3" && be32 "$4" && printf '50%02x' "$5" && printf 'ffff00000000'; }
udp() { be16 "$1" && be16 "$2" && be16 8 && be16 0; }
# ethernet FROM TO TYPE HEX: addresses are the last byte of 02:00:00:00:00:xx, or 12 digits
mac() { if [ ${#1} = 12 ]; then printf %s "$1"; else printf '0200000000%02x' "$1"; fi; }
ethernet() { mac "$2" && mac "$1" && printf '%s%s' "$3" "$4"; }
sll() { be16 "$1" && printf 000100060200000000010000 && printf '%s%s' "$2" "$3"; }                # WAY TYPE HEX
sll2() { printf '%s0000' "$2" && be32 "$4" && printf 0001 && printf '%02x06' "$1" && printf 0200000000010000%s "$3"; } # WAY TYPE HEX DEVICE

long_address_in() {
	local rest=${line#* "$1" = [ }
	[ "$rest" != "$line" ] && printf -v "$2" '%04x%04x%04x%04x%04x%04x%04x%04x' $(grep -oE '0x[0-9A-F]+' <<<"${rest%% ]*}")
}
# packets_of TRACE: its packets as "WAY SECONDS NS IP-HEX", WAY: s or r; only TCP and UDP
number_in() { [[ $line =~ [\ ,]$1\ =\ (0x[0-9A-F]+|[0-9]+) ]] && printf -v "$2" %d $((BASH_REMATCH[1])); }
address_in() { [[ $line =~ $1\ =\ \[\ \[0\]\ =\ ([0-9]+),\ \[1\]\ =\ ([0-9]+),\ \[2\]\ =\ ([0-9]+),\ \[3\]\ =\ ([0-9]+) ]] && printf -v "$2" '%02x%02x%02x%02x' "${BASH_REMATCH[@]:1:4}"; }
packets_of() {
	local line day way s ns len id frag from to sport dport seq ack off flags header protocol
	day=$("$m" info --json "$1" 2>/dev/null | grep -oE '"begin": ?[0-9]{10}' | head -1 | grep -oE '[0-9]{10}')
	day=$((day / 86400 * 86400))
	while read -r line; do
		[[ $line =~ ^\[([0-9]+):([0-9]+):([0-9]+)\.([0-9]+)\] ]] || continue
		s=$((day + 10#${BASH_REMATCH[1]} * 3600 + 10#${BASH_REMATCH[2]} * 60 + 10#${BASH_REMATCH[3]})) ns=$((10#${BASH_REMATCH[4]}))
		way=r
		[[ $line = *" net_dev_queue: "* ]] && way=s
		if [[ $line = *'"_ipv6" : container = 2'* ]]; then
			number_in payload_len len && long_address_in saddr from && long_address_in daddr to || continue
		else
			number_in tot_len len && number_in id id && number_in frag_off frag && address_in saddr from && address_in daddr to || continue
		fi
		number_in source_port sport && number_in dest_port dport || continue
		if [[ $line =~ transport_header_type\ =\ \(\ \"_udp\" ]]; then
			[[ $line =~ dest_port\ =\ [0-9]+,\ len\ =\ ([0-9]+) ]] || continue
			header=$(printf '%04x%04x%04x0000' "$sport" "$dport" "${BASH_REMATCH[1]}") protocol=11
		else
			number_in seq seq && number_in ack_seq ack && number_in data_offset off && number_in flags flags || continue
			header=$(printf '%04x%04x%08x%08x%04x%04x00000000' "$sport" "$dport" "$seq" "$ack" $((off << 12 | flags)) 65535) protocol=06
		fi
		if [ ${#from} = 32 ]; then
			printf '%s %d %d 60000000%04x%s40%s%s%s\n' $way $s $ns "$len" $protocol "$from" "$to" "$header"
			continue
		fi
		printf '%s %d %d 4500%04x%04x%04x40%s%s%s%s%s\n' $way $s $ns "$len" "$id" "$frag" $protocol 0000 "$from" "$to" "$header"
	done < <("$m" events -q --filter 'name == "net_dev_queue" || name == "net_if_receive_skb"' "$1" 2>/dev/null)
}
