/* Metadata streams: the text in its language, and the packets around it. The header of a packet is
 * that of CTF 1.8, section 7.1; CTF 2 (CTF2-PMETA-1.0) appends three reserved bytes and the
 * header's size. */
#include <string.h>

#include "base/bits.h"
#include "ctf/write.h"

enum {
	HEADER_BYTES = 37,
	LONG_HEADER_BYTES = 44,
	DEFAULT_BYTES = 4096,
	MIN_BYTES = 64,
	MAX_BYTES = 1 << 28
};

static void ctf_write_packets(const char *text, size_t len, const uint8_t uuid[16], uint8_t major,
	uint8_t minor, bool be, size_t packet_bytes, struct mer_str *out)
{
	if (!packet_bytes)
		packet_bytes = DEFAULT_BYTES;
	if (packet_bytes < MIN_BYTES)
		packet_bytes = MIN_BYTES;
	if (packet_bytes > MAX_BYTES)
		packet_bytes = MAX_BYTES;
	const size_t header = major == 2 ? LONG_HEADER_BYTES : HEADER_BYTES;
	while (len && !out->failed) {
		size_t n = packet_bytes - header;
		if (n > len)
			n = len;
		uint8_t h[LONG_HEADER_BYTES] = { 0 };
		mer_bits_put(h, 0, 32, be, 0x75D11D57);
		memcpy(h + 4, uuid, 16);
		mer_bits_put(h, 24 * 8, 32, be, (n + header) * 8);
		mer_bits_put(h, 28 * 8, 32, be, packet_bytes * 8);
		h[35] = major;
		h[36] = minor;
		if (header == LONG_HEADER_BYTES)
			mer_bits_put(h, 40 * 8, 32, be, header * 8);
		mer_str_add(out, (const char *)h, header);
		mer_str_add(out, text, n);
		size_t pad = packet_bytes - header - n;
		if (pad && mer_str_reserve(out, pad)) {
			memset(out->data + out->len, 0, pad + 1);
			out->len += pad;
		}
		text += n;
		len -= n;
	}
}

int ctf_write_metadata(const struct ctf_schema *s, const struct ctf_metadata_options *o,
	struct mer_str *out, struct mer_err *err)
{
	unsigned major = o->major ? o->major : s->major;
	struct mer_str text = { 0 };
	int rc = major == 2 ? ctf_write_json(s, &text, err) : ctf_write_tsdl(s, &text, err);
	if (!rc && o->framing == CTF_PLAIN)
		mer_str_add(out, text.data, text.len);
	else if (!rc)
		ctf_write_packets(text.data, text.len, s->uuid, major == 2 ? 2 : 1,
			major == 2 ? 0 : 8, o->framing == CTF_PACKETS_BE, o->packet_bytes, out);
	mer_str_fini(&text);
	return !rc && out->failed ? mer_fail_nomem(err) : rc;
}
