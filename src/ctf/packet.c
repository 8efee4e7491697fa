#include "ctf/packet.h"

#include <string.h>

const char *ctf_packet_status_text(enum ctf_packet_status s)
{
	switch (s) {
	case CTF_PACKET_OK: return "sound";
	case CTF_PACKET_TRUNCATED: return "the file ends before the packet does";
	case CTF_PACKET_MAGIC_BAD: return "no packet begins here (wrong magic number)";
	case CTF_PACKET_UUID_BAD: return "the packet belongs to another trace";
	case CTF_PACKET_CLASS_UNKNOWN:
		return "the metadata has no data stream class with this packet's id";
	case CTF_PACKET_HEADER_BAD: return "the packet's header or context cannot be decoded";
	case CTF_PACKET_SIZE_BAD: return "the packet's sizes cannot be right";
	case CTF_PACKET_CONTENT_BAD: return "the packet's content size cannot be right";
	}
	return "unknown";
}

bool ctf_packet_uuid(const struct ctf_program *p, const uint64_t *header_row, uint8_t uuid[16])
{
	const struct ctf_fc *h = p->schema->packet_header;
	for (uint32_t i = 0; h && i < h->u.record.n; i++) {
		const struct ctf_field *f = &h->u.record.fields[i];
		if (!(f->roles & CTF_ROLE_TRACE_UUID))
			continue;
		const uint64_t *slot =
			header_row + p->packet_header.slots[CTF_SCOPE_PACKET_HEADER][i];
		if (f->fc->kind == CTF_BLOB || f->fc->kind == CTF_TEXT) {
			/* In a text, the bytes after a NUL belong to the UUID, too. */
			uint64_t n = f->fc->u.text.ref.reg ? slot[1] : f->fc->u.text.len_bytes;
			n = n < 16 ? n : 16;
			memset(uuid, 0, 16);
			memcpy(uuid, (const void *)(uintptr_t)slot[0], n);
			return true;
		}
		if (f->fc->kind != CTF_ARRAY || slot[0] != 16 || !slot[1])
			continue;
		const uint64_t *bytes = (const uint64_t *)(uintptr_t)slot[1];
		for (int b = 0; b < 16; b++)
			uuid[b] = (uint8_t)bytes[b];
		return true;
	}
	return false;
}

static bool uuid_matches(const struct ctf_program *p, const uint64_t *row)
{
	uint8_t uuid[16];
	return !p->schema->has_uuid || p->schema->any_uuid || !ctf_packet_uuid(p, row, uuid) ||
	       memcmp(uuid, p->schema->uuid, 16) == 0;
}

/* The data stream class that the header names; -1: none. */
static int64_t class_index(const struct ctf_schema *s, const struct ctf_packet_info *info)
{
	if (!(info->seen & CTF_ROLE_STREAM_CLASS_ID) && s->n_streams == 1)
		return 0;
	uint64_t id = info->seen & CTF_ROLE_STREAM_CLASS_ID ? info->stream_class_id : 0;
	const struct ctf_stream_class *c = ctf_stream_class_find(s, id);
	return c ? c - s->streams : -1;
}

/* Sizes from the context, checked against each other and the file. */
static enum ctf_packet_status judge_sizes(const struct ctf_packet_info *info, uint64_t left_bits,
	uint64_t body_bit, struct ctf_packet *p)
{
	bool has_size = info->seen & CTF_ROLE_PACKET_SIZE,
	     has_content = info->seen & CTF_ROLE_CONTENT_SIZE;
	uint64_t size = has_size ? info->packet_size : has_content ? info->content_size : left_bits;
	uint64_t content = has_content ? info->content_size : size;
	p->size_bits = 0;
	if (!has_size && has_content)
		size = (size + 7) & ~(uint64_t)7;
	if (size % 8 || size < body_bit || size == 0)
		return CTF_PACKET_SIZE_BAD;
	p->size_bits = size < left_bits ? size : left_bits;
	p->content_bits = content < p->size_bits ? content : p->size_bits;
	p->is_cut = content > left_bits;
	if (content > size)
		return CTF_PACKET_SIZE_BAD;
	if (content < body_bit)
		return CTF_PACKET_CONTENT_BAD;
	return size > left_bits ? CTF_PACKET_TRUNCATED : CTF_PACKET_OK;
}

enum ctf_packet_status ctf_packet_read(struct ctf_decoder *d, const uint8_t *file, uint64_t bytes,
	uint64_t offset, uint64_t *header_row, uint64_t *row, struct ctf_packet_info *info,
	struct ctf_packet *packet, enum ctf_status *why, uint64_t *bit)
{
	const struct ctf_schema *s = d->program->schema;
	struct ctf_pos pos = { .base = file + offset, .end_bit = (bytes - offset) * 8 };
	*info = (struct ctf_packet_info){ 0 };
	*packet = (struct ctf_packet){ .offset = offset };
	*why = CTF_OK;
	*bit = 0;
	d->info = info;
	d->order = -1;
	size_t used = d->pool->n;
	*why = ctf_execute(d, &pos, d->program->packet_header.first_op, header_row);
	*bit = pos.bit;
	enum ctf_packet_status status = CTF_PACKET_HEADER_BAD;
	int64_t class = class_index(s, info);
	if ((info->seen & CTF_ROLE_MAGIC) && info->magic != CTF_PACKET_MAGIC)
		status = CTF_PACKET_MAGIC_BAD;
	else if (!*why && s->packet_header && !uuid_matches(d->program, header_row))
		status = CTF_PACKET_UUID_BAD;
	else if (!*why && class < 0)
		status = CTF_PACKET_CLASS_UNKNOWN;
	if (!*why && status != CTF_PACKET_HEADER_BAD)
		*bit = 0; /* all of the packet is meant */
	if (*why || status != CTF_PACKET_HEADER_BAD)
		goto bad;
	packet->stream_class = (uint32_t) class & (CTF_MAX_STREAM_CLASSES - 1);
	*why = ctf_execute(d, &pos, d->program->streams[class].context.first_op, row);
	*bit = pos.bit;
	if (*why)
		goto bad;
	d->info = NULL;
	d->pool->n = used;
	packet->has_begin = (info->seen & CTF_ROLE_TIMESTAMP) != 0;
	packet->has_end = (info->seen & CTF_ROLE_TIMESTAMP_END) != 0;
	packet->has_discarded = (info->seen & CTF_ROLE_DISCARDED) != 0;
	packet->has_seq_num = (info->seen & CTF_ROLE_SEQ_NUM) != 0;
	packet->begin = info->begin;
	packet->end = info->end;
	packet->discarded = info->discarded;
	packet->discarded_len = (uint32_t)info->discarded_len & 0x7f;
	packet->seq_num = info->seq_num;
	info->body_bit = pos.bit;
	return judge_sizes(info, (bytes - offset) * 8, pos.bit, packet);
bad:
	d->info = NULL;
	d->pool->n = used;
	return status;
}

struct ctf_pos ctf_packet_body(const struct ctf_packet *p, uint64_t body_bit, const uint8_t *file,
	uint64_t bytes, uint64_t clock)
{
	return (struct ctf_pos){
		.base = file + p->offset,
		.bit = body_bit,
		.end_bit = p->content_bits,
		.mapped_bit = (bytes - p->offset) * 8,
		.clock = p->has_begin ? p->begin : clock,
	};
}
