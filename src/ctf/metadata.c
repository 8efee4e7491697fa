/* Metadata packets, and which language the text is in.
 *
 * A packet: magic u32 0x75D11D57, trace UUID [16], checksum u32, content size u32 and packet size
 * u32 (both in bits, header included), compression, encryption and checksum scheme u8 each, major
 * and minor version u8: 37 bytes in all, then text up to the content size, then padding up to the
 * packet size. The order of the magic's bytes is that of the header's other numbers. Source: CTF
 * 1.8, section 7.1.
 *
 * CTF 2 (CTF2-PMETA-1.0, section 3) appends three reserved bytes and the header's own size in bits,
 * u32. LTTng's kernel tracer writes version 2.0 with the short header all the same; the text that
 * stands there then is never zero, the reserved bytes are.
 *
 * A last packet that is cut off (the tracer died, the disk was full) gives the text that is there:
 * events declared up to there can be read. */
#include "ctf/metadata.h"

#include <string.h>
#include "base/bits.h"
#include "base/zeros.h"

enum { HEADER_BYTES = 37, LONG_HEADER_BYTES = 44 };
static const uint32_t MAGIC = 0x75D11D57;

struct framing {
	const char *path;
	struct mer_diags *diags;
	struct mer_err *err;
	bool is_be;
	uint64_t n_packets;
	size_t cut_at; /* byte; 0: not cut */
	uint8_t uuid[16];
	bool has_other_uuid;
};

static bool has_magic(const uint8_t *data, size_t len, bool be)
{
	return len >= 4 && mer_load_u32(data, be) == MAGIC;
}

/* Bytes of the packet header at h; 0: it makes no sense. */
static uint64_t header_bytes(
	const struct framing *f, const uint8_t *h, size_t len, uint64_t content_bits)
{
	if (h[35] != 2 || content_bits < LONG_HEADER_BYTES * 8 || len == HEADER_BYTES || h[37] != 0)
		return HEADER_BYTES;
	if (len < LONG_HEADER_BYTES)
		return LONG_HEADER_BYTES;
	uint64_t bits = mer_load_u32(h + 40, f->is_be);
	return bits % 8 != 0 || bits < LONG_HEADER_BYTES * 8 || bits > content_bits ? 0 : bits / 8;
}

/* One packet at data[at]; gives where its content begins and ends and the next packet begins. */
static int check_header(struct framing *f, const uint8_t *data, size_t len, size_t at,
	size_t *content, size_t *content_end, size_t *packet_end)
{
	const uint8_t *h = data + at;
	unsigned long long place = at, number = f->n_packets;
	if (!has_magic(h, len - at, f->is_be))
		return mer_fail(f->err, MER_ERR_INPUT,
			"%s: byte %llu: expected metadata packet %llu to begin with 0x%08X",
			f->path, place, number, MAGIC);
	uint64_t content_bits = mer_load_u32(h + 24, f->is_be);
	uint64_t packet_bits = mer_load_u32(h + 28, f->is_be);
	if (h[32] != 0 || h[33] != 0 || h[34] != 0)
		return mer_fail(f->err, MER_ERR_INPUT,
			"%s: byte %llu: metadata packet %llu is compressed, encrypted or has a checksum scheme (%u, %u, %u): that cannot be read",
			f->path, place, number, h[32], h[33], h[34]);
	if (!(h[35] == 1 && h[36] == 8) && !(h[35] == 2 && h[36] == 0))
		return mer_fail(f->err, MER_ERR_INPUT,
			"%s: byte %llu: metadata packet %llu is of version %u.%u, only 1.8 and 2.0 can be read",
			f->path, place, number, h[35], h[36]);
	uint64_t header = header_bytes(f, h, len - at, content_bits);
	if (content_bits % 8 != 0 || packet_bits % 8 != 0 || content_bits < HEADER_BYTES * 8 ||
		content_bits > packet_bits || header == 0)
		return mer_fail(f->err, MER_ERR_INPUT,
			"%s: byte %llu: metadata packet %llu has sizes that cannot be: content %llu bits, packet %llu bits",
			f->path, place, number, (unsigned long long)content_bits,
			(unsigned long long)packet_bits);
	*content = at + header;
	*content_end = at + content_bits / 8;
	*packet_end = at + packet_bits / 8;
	return 0;
}

/* A rest that is shorter than a header: padding of the file, or the start of a packet. */
static int check_rest(struct framing *f, const uint8_t *data, size_t len, size_t at)
{
	/* A whole packet came before, so data begins with its magic. */
	size_t n = len - at < 4 ? len - at : 4;
	if (memcmp(data + at, data, n) != 0)
		return mer_fail(f->err, MER_ERR_INPUT,
			"%s: byte %llu: %llu bytes that are no metadata packet", f->path,
			(unsigned long long)at, (unsigned long long)(len - at));
	f->cut_at = at;
	return 0;
}

/* Joins the contents of all packets. */
static int join(struct framing *f, const uint8_t *data, size_t len, char *out, size_t *out_len)
{
	size_t at = 0;
	*out_len = 0;
	while (at < len && !mer_is_zeros(data + at, len - at)) {
		if (len - at < HEADER_BYTES) {
			if (at > 0)
				return check_rest(f, data, len, at);
			return mer_fail(f->err, MER_ERR_INPUT,
				"%s: the metadata ends after %llu bytes, within its first packet header",
				f->path, (unsigned long long)len);
		}
		size_t content = 0, content_end = 0, packet_end = 0;
		int code = check_header(f, data, len, at, &content, &content_end, &packet_end);
		if (code)
			return code;
		if (f->n_packets++ == 0)
			memcpy(f->uuid, data + at + 4, 16);
		else if (memcmp(f->uuid, data + at + 4, 16) != 0)
			f->has_other_uuid = true;
		if (content_end > len) {
			f->cut_at = len;
			content_end = len;
		}
		if (content < content_end) {
			memcpy(out + *out_len, data + content, content_end - content);
			*out_len += content_end - content;
		}
		at = packet_end;
	}
	return 0;
}

static int deframe(struct framing *f, const uint8_t *data, size_t len, struct mer_arena *arena,
	const char **text, size_t *text_len, int *order)
{
	*order = -1;
	if (len > CTF_MAX_METADATA_BYTES)
		return mer_fail(f->err, MER_ERR_LIMIT, "%s: more than %d bytes of metadata",
			f->path, CTF_MAX_METADATA_BYTES);
	if (!has_magic(data, len, false) && !has_magic(data, len, true)) {
		*text = (const char *)data;
		*text_len = len;
		return 0;
	}
	f->is_be = has_magic(data, len, true);
	*order = f->is_be ? CTF_BE : CTF_LE;
	char *joined = mer_arena_alloc(arena, len);
	if (!joined)
		return mer_fail_nomem(f->err);
	*text = joined;
	return join(f, data, len, joined, text_len);
}

static bool is_json(const char *text, size_t len)
{
	size_t i = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	while (i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'))
		i++;
	return i < len && (text[i] == '\x1E' || text[i] == '{');
}

static void report(struct framing *f)
{
	struct mer_diag where = { .severity = MER_WARNING,
		.code = "metadata",
		.path = f->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	if (f->has_other_uuid)
		mer_diag_add(f->diags, &where, "not all metadata packets have the same UUID");
	if (f->cut_at > 0) {
		where.severity = MER_ERROR;
		where.offset_bits = (int64_t)f->cut_at * 8;
		mer_diag_add(f->diags, &where,
			"the metadata is cut off at byte %llu, in metadata packet %llu: events declared behind it cannot be read",
			(unsigned long long)f->cut_at, (unsigned long long)f->n_packets);
	}
}

int ctf_metadata_read(const uint8_t *data, size_t len, const char *path, struct mer_arena *arena,
	struct mer_diags *diags, struct ctf_schema **schema, struct mer_err *err)
{
	struct framing f = { .path = path, .diags = diags, .err = err };
	const char *text = NULL;
	size_t text_len = 0;
	int order;
	int code = deframe(&f, data, len, arena, &text, &text_len, &order);
	if (code)
		return code;
	if (is_json(text, text_len))
		code = ctf_json_parse(text, text_len, path, arena, diags, schema, err);
	else
		code = ctf_tsdl_parse(text, text_len, path, order, arena, diags, schema, err);
	if (code == 0)
		report(&f);
	return code;
}
