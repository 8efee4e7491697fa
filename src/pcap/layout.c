#include "pcap/layout.h"

/* It takes the macros for something else: */
/* clang-format off */

/* Numbers of the wire, in its byte order; those of the copy. */
#define U(bits) "integer { size = " #bits "; align = 8; signed = 0; byte_order = be; } "
#define X(bits) "integer { size = " #bits "; align = 8; signed = 0; base = 16; byte_order = be; } "
#define NIBBLE "integer { size = 4; align = 4; signed = 0; byte_order = be; } "
#define BITS(bits) "integer { size = " #bits "; align = 1; signed = 0; base = 16; byte_order = be; } "
#define OWN(bits) "integer { size = " #bits "; align = 8; signed = 0; } "
#define TIME "integer { size = 64; align = 8; signed = 0; map = clock.realtime.value; } "
#define CHOICE "enum : integer { size = 8; align = 8; signed = 0; } "

#define PROTOCOL \
	CHOICE "{ \"_unknown\" = 0, \"_icmp\" = 1, \"_unknown\" = 2 ... 5, \"_tcp\" = 6, " \
	"\"_unknown\" = 7 ... 16, \"_udp\" = 17, \"_unknown\" = 18 ... 255, } "
#define TCP \
	"struct { " U(16) "_source_port; " U(16) "_dest_port; " U(32) "_seq; " U(32) "_ack_seq; " \
	NIBBLE "_data_offset; " BITS(3) "_reserved; " BITS(9) "_flags; " U(16) "_window_size; " \
	X(16) "_checksum; " U(16) "_urg_ptr; } _tcp; "
#define UDP \
	"struct { " U(16) "_source_port; " U(16) "_dest_port; " U(16) "_len; " X(16) "_check; } _udp; "
#define ICMP \
	"struct { " U(8) "_type; " U(8) "_code; " X(16) "_checksum; " U(32) "_gateway; } _icmp; "
#define TRANSPORT \
	CHOICE "{ \"_unknown\" = 0, \"_tcp\" = 1, \"_udp\" = 2, \"_icmp\" = 3, } " \
	"_transport_header_type; variant <_transport_header_type> { struct { } _unknown; " \
	TCP UDP ICMP "} _transport_header; "
#define IPV4 \
	"struct { " NIBBLE "_version; " NIBBLE "_ihl; " U(8) "_tos; " U(16) "_tot_len; " X(16) "_id; " \
	U(16) "_frag_off; " U(8) "_ttl; " PROTOCOL "_protocol; " X(16) "_checksum; " \
	U(8) "_saddr[4]; " U(8) "_daddr[4]; " TRANSPORT "} _ipv4; "
#define IPV6 \
	"struct { " NIBBLE "_version; " NIBBLE "_prio; " X(8) "_flow_lbl[3]; " U(16) "_payload_len; " \
	PROTOCOL "_nexthdr; " U(8) "_hop_limit; " X(16) "_saddr[8]; " X(16) "_daddr[8]; " \
	TRANSPORT "} _ipv6; "
/* As lttng-modules has it: the headers as they are on the wire. */
#define PACKET \
	"fields := struct { " OWN(64) "_skbaddr; " OWN(32) "_len; string _name; " \
	CHOICE "{ \"_unknown\" = 0, \"_ipv4\" = 1, \"_ipv6\" = 2, } _network_header_type; " \
	"variant <_network_header_type> { struct { } _unknown; " IPV4 IPV6 "} _network_header; }; "

/* Names begin with an underscore that does not count, as LTTng writes CTF 1.8. There is no CPU: it
 * is not known. */
const char pcap_layout[] =
	"/* CTF 1.8 */\n"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { "
	OWN(32) "magic; " OWN(8) "uuid[16]; " OWN(32) "stream_id; }; };\n"
	"env { domain = \"kernel\"; tracer_name = \"pcap\"; };\n"
	"clock { name = \"realtime\"; freq = 1000000000; offset = 0; };\n"
	"stream { id = 0; packet.context := struct { "
	TIME "timestamp_begin; " TIME "timestamp_end; " OWN(64) "content_size; " OWN(64) "packet_size; "
	OWN(64) "packet_seq_num; " OWN(64) "events_discarded; }; "
	"event.header := struct { " OWN(16) "id; " TIME "timestamp; }; };\n"
	"event { name = \"net_dev_queue\"; id = 0; stream_id = 0; " PACKET "};\n"
	"event { name = \"net_if_receive_skb\"; id = 1; stream_id = 0; " PACKET "};\n";
