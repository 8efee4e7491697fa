#include "trace/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/zeros.h"
#include "ctf/index.h"

struct scanner {
	struct mer_experiment *e;
	uint32_t file;
	struct ctf_decoder d;
	struct ctf_pool pool;
	uint64_t *row, *header_row;
	struct ctf_index index;
	struct mer_file index_map;
	bool has_index;
	uint64_t n_read; /* packets of this file so far */
};

static struct mer_diag place(const struct scanner *s, enum mer_severity severity, const char *code,
	uint64_t packet, uint64_t bit)
{
	return (struct mer_diag){ .severity = severity,
		.code = code,
		.path = s->e->files[s->file].shown,
		.stream = -1,
		.packet = (int64_t)packet,
		.offset_bits = (int64_t)bit };
}

/* The stream that the packet belongs to, made when it is the first; UINT32_MAX: no memory. */
static uint32_t stream_of(struct scanner *s, const struct ctf_packet_info *info, uint32_t class)
{
	struct mer_experiment *e = s->e;
	const struct trace_part *part = &e->parts[e->files[s->file].part];
	bool has_id = info->seen & CTF_ROLE_STREAM_ID;
	uint64_t class_id = part->schema->streams[class].id;
	/* A stream without an id is its file's. */
	uint64_t key[4] = { part->trace, class_id, has_id, has_id ? info->stream_id : s->file };
	uint32_t *k = mer_map_put(&e->stream_map, mer_hash(key, sizeof(key)));
	if (!k)
		return UINT32_MAX;
	if (*k)
		return *k - 1;
	if (!mer_grow32(&e->data, e->n_streams, &e->cap_data, sizeof(*e->data)))
		return UINT32_MAX;
	e->data[e->n_streams] = (struct trace_stream){
		.part = e->files[s->file].part,
		.ordered = true,
		.has_id = has_id,
		.class_id = class_id,
		.id = info->stream_id,
		.file = s->file,
		.cpu = info->seen & CTF_ROLE_CPU_ID && info->cpu_id <= INT32_MAX
			       ? (int32_t)info->cpu_id
			       : -1,
	};
	*k = ++e->n_streams;
	return e->n_streams - 1;
}

static bool append(struct scanner *s, const struct ctf_packet_info *info, struct ctf_packet *p)
{
	uint32_t k = stream_of(s, info, p->stream_class);
	if (k == UINT32_MAX)
		return false;
	struct trace_stream *t = &s->e->data[k];
	if (!t->packets) { /* often there is no second one */
		t->packets = malloc(sizeof(*t->packets));
		t->cap_packets = t->packets != NULL;
	}
	if (!mer_grow32(&t->packets, t->n_packets, &t->cap_packets, sizeof(*t->packets)))
		return false;
	p->file = s->file;
	t->packets[t->n_packets++] = *p;
	t->ordered &= p->has_begin;
	return true;
}

/* Offset of the next packet after a damaged one at `offset`, or the file's size. */
static uint64_t resync(const struct scanner *s, uint64_t offset, uint64_t size_bits)
{
	const struct trace_file *f = &s->e->files[s->file];
	const struct ctf_schema *schema = s->d.program->schema;
	uint64_t size = f->bytes;
	if (s->has_index) {
		uint64_t i = ctf_index_find(&s->index, offset + 1);
		if (i < s->index.n) {
			uint64_t next = ctf_index_get(&s->index, i).offset_bytes;
			if (next > offset && next < size)
				return next;
		}
	}
	const struct ctf_fc *h = schema->packet_header;
	if (!h || h->u.record.n == 0 || !(h->u.record.fields[0].roles & CTF_ROLE_MAGIC)) {
		/* Nothing marks a packet's begin: trust the size, if there is one. */
		return size_bits && size_bits / 8 < size - offset ? offset + size_bits / 8 : size;
	}
	bool be = h->u.record.fields[0].fc->u.bits.order == CTF_BE;
	uint8_t magic[4];
	mer_bits_put(magic, 0, 32, be, CTF_PACKET_MAGIC);
	if (size_bits && size_bits / 8 < size - offset) {
		uint64_t next = offset + size_bits / 8;
		if (size - next >= 4 && memcmp(f->data + next, magic, 4) == 0)
			return next;
	}
	const uint8_t *found = memmem(f->data + offset + 1, size - offset - 1, magic, 4);
	return found ? (uint64_t)(found - f->data) : size;
}

/* ": its UUID is X, the metadata's Y" */
static void say_uuids(const struct scanner *s, char *out, size_t size)
{
	uint8_t found[16];
	const uint8_t *want = s->d.program->schema->uuid;
	char text[2][40];
	if (!ctf_packet_uuid(s->d.program, s->header_row, found))
		return;
	for (int i = 0; i < 2; i++) {
		char *p = text[i];
		for (int b = 0; b < 16; b++)
			p += sprintf(p, "%s%02x", b == 4 || b == 6 || b == 8 || b == 10 ? "-" : "",
				(i ? want : found)[b]);
	}
	snprintf(out, size, ": its UUID is %s, that of the metadata %s", text[0], text[1]);
}

static void report_damage(const struct scanner *s, enum ctf_packet_status status,
	enum ctf_status why, uint64_t offset, uint64_t bit, uint64_t next)
{
	const struct trace_file *f = &s->e->files[s->file];
	const char *then = next < f->bytes ? "reading goes on at the next packet"
					   : "nothing after it in this file is read";
	struct mer_diag d = place(s, MER_ERROR, "bad-packet", s->n_read, offset * 8 + bit);
	char more[160] = "";
	if (status == CTF_PACKET_UUID_BAD) {
		say_uuids(s, more, sizeof(more));
		d.remedy = MER_REMEDY_IGNORE_UUID;
	} else if (status == CTF_PACKET_HEADER_BAD && why) {
		snprintf(more, sizeof(more), ": %s", ctf_status_text(why));
	}
	mer_diag_add(&s->e->diags, &d, "%s%s; %" PRIu64 " %s skipped, %s",
		ctf_packet_status_text(status), more, next - offset,
		mer_plural(next - offset, "byte", "bytes"), then);
}

/* Does the index say the same as the packets? The first lie is reported, with their number. */
struct index_check {
	uint64_t n_wrong, first;
};

static void check_index(const struct scanner *s, struct index_check *c, const struct ctf_packet *p)
{
	if (!s->has_index)
		return;
	bool same = false;
	if (s->n_read < s->index.n) {
		struct ctf_index_entry i = ctf_index_get(&s->index, s->n_read);
		same = i.offset_bytes == p->offset && i.size_bits == p->size_bits &&
		       i.content_bits == p->content_bits &&
		       (!p->has_begin || i.begin == p->begin) && (!p->has_end || i.end == p->end);
	}
	if (!same && c->n_wrong++ == 0)
		c->first = s->n_read;
}

static void open_index(struct scanner *s, struct mer_arena *arena)
{
	const char *path = s->e->files[s->file].path;
	const char *base = strrchr(path, '/') + 1;
	char *idx = mer_arena_printf(arena, "%.*sindex/%s.idx", (int)(base - path), path, base);
	if (!idx || mer_file_open(&s->index_map, idx, NULL) != 0)
		return;
	s->has_index = ctf_index_open(&s->index, s->index_map.data, s->index_map.size);
	if (s->has_index)
		return;
	struct mer_diag d = { .severity = MER_NOTE,
		.code = "index-unknown",
		.path = idx,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	mer_diag_add(&s->e->diags, &d,
		"not an LTTng index of a known layout; the packet headers are read instead");
}

/* More damaged packets in a row are no packets, but for example bytes that look like the magic
 * number. */
enum { MAX_DAMAGED = 100000 };

static int scan(struct scanner *s, struct mer_err *err)
{
	const struct trace_file *f = &s->e->files[s->file];
	struct index_check check = { 0 };
	uint64_t offset = 0, n_damaged = 0;
	while (offset < f->bytes) {
		struct ctf_packet_info info;
		struct ctf_packet p;
		enum ctf_status why;
		uint64_t bit;
		enum ctf_packet_status st = ctf_packet_read(&s->d, f->data, f->bytes, offset,
			s->header_row, s->row, &info, &p, &why, &bit);
		if (st > CTF_PACKET_TRUNCATED && s->n_read &&
			mer_is_zeros(f->data + offset, f->bytes - offset)) {
			struct mer_diag d =
				place(s, MER_WARNING, "zeros-at-end", s->n_read, offset * 8);
			mer_diag_add(&s->e->diags, &d,
				"%" PRIu64
				" bytes of zeros follow the last packet: the file was made longer than what was recorded",
				f->bytes - offset);
			break;
		}
		if (st > CTF_PACKET_TRUNCATED) {
			uint64_t next = resync(s, offset, p.size_bits);
			if (++n_damaged == MAX_DAMAGED)
				next = f->bytes;
			report_damage(s, st, why, offset, bit, next);
			offset = next;
			s->n_read++;
			continue;
		}
		if (st == CTF_PACKET_TRUNCATED) {
			uint64_t said = info.seen & CTF_ROLE_PACKET_SIZE ? info.packet_size
									 : info.content_size;
			struct mer_diag d =
				place(s, MER_ERROR, "truncated-packet", s->n_read, f->bytes * 8);
			mer_diag_add(&s->e->diags, &d,
				"the file ends %" PRIu64 " %s before the packet does (%" PRIu64
				" bytes); what is there is read",
				(said - p.size_bits) / 8,
				mer_plural((said - p.size_bits) / 8, "byte", "bytes"), said / 8);
		}
		n_damaged = 0;
		check_index(s, &check, &p);
		if (!append(s, &info, &p))
			return mer_fail_nomem(err);
		s->n_read++;
		offset += p.size_bits / 8;
	}
	if (s->has_index && check.n_wrong == 0 && s->index.n > s->n_read) {
		check.n_wrong = s->index.n - s->n_read;
		check.first = s->n_read;
	}
	if (check.n_wrong) {
		struct mer_diag d = place(s, MER_WARNING, "index-mismatch", check.first, 0);
		d.offset_bits = -1;
		d.count = check.n_wrong;
		mer_diag_add(&s->e->diags, &d,
			"the LTTng index disagrees with %" PRIu64 " of %" PRIu64
			" packets, first with packet %" PRIu64 "; the packet headers are used",
			check.n_wrong, s->n_read, check.first);
	}
	return 0;
}

int trace_scan_file(
	struct mer_experiment *e, uint32_t file, struct mer_arena *arena, struct mer_err *err)
{
	const struct ctf_program *p = e->parts[e->files[file].part].scan;
	struct scanner s = { .e = e, .file = file, .d = { .program = p, .order = -1 } };
	enum { POOL_SLOTS = 4096 };
	s.d.pool = &s.pool;
	s.d.regs = mer_arena_zalloc(arena, p->n_regs, sizeof(uint64_t));
	s.row = mer_arena_zalloc(arena, p->max_slots + 1u, sizeof(uint64_t));
	s.header_row = mer_arena_zalloc(arena, p->max_slots + 1u, sizeof(uint64_t));
	s.pool.cap = POOL_SLOTS;
	s.pool.slots = mer_arena_zalloc(arena, POOL_SLOTS, sizeof(uint64_t));
	if (!s.d.regs || !s.row || !s.header_row || !s.pool.slots)
		return mer_fail_nomem(err);
	open_index(&s, arena);
	int rc = scan(&s, err);
	mer_file_close(&s.index_map);
	return rc;
}
