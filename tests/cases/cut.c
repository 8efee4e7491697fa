/* Event records are copied as the bytes that they are, into packets of which the head is the
 * original's with other times, sizes and counters. A record's clock has 27 bits at least; so
 * nothing is kept that comes later than that after what was kept last, unless a packet begins with
 * it. */
#include "cut.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/grow.h"
#include "ctf/plain.h"

enum { CLOCK_REACH = 1 << 26, LTTNG_HEAD = 200 };

struct record {
	const uint8_t *bytes;
	uint32_t n;
	uint64_t clock;
};

struct field { /* of a packet's head, in bytes */
	uint64_t at, n;
};

struct copy {
	struct cut *cut;
	const struct mer_experiment *e;
	FILE *f;
	struct record *records; /* of the stream */
	uint32_t n_records, cap_records;
	/* The packet that is being made: */
	uint8_t *packet;
	size_t n, cap;
	bool is_open;
	uint64_t begin, last;
	/* Its head, and where in it is what. */
	uint8_t head[LTTNG_HEAD];
	size_t n_head;
	struct field begin_at, end_at, content_at, size_at, seq_at, lost_at;
	uint64_t seq, lost;
	bool has_padding;
};

static double unit(struct cut *c)
{
	c->seed = c->seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(c->seed >> 11) / (double)(UINT64_C(1) << 53);
}

static uint64_t between(struct cut *c, double low, double high)
{
	return (uint64_t)(low + unit(c) * (high - low));
}

/* ---- what there is ---- */

static void see(void *arg, const struct ctf_plain_field *f)
{
	struct copy *c = arg;
	if (f->step != CTF_PLAIN_FIELD || !f->field || f->scope > CTF_SCOPE_PACKET_CONTEXT)
		return;
	const struct {
		uint32_t role;
		struct field *to;
	} fields[] = { { CTF_ROLE_TIMESTAMP, &c->begin_at }, { CTF_ROLE_TIMESTAMP_END, &c->end_at },
		{ CTF_ROLE_CONTENT_SIZE, &c->content_at }, { CTF_ROLE_PACKET_SIZE, &c->size_at },
		{ CTF_ROLE_SEQ_NUM, &c->seq_at }, { CTF_ROLE_DISCARDED, &c->lost_at } };
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (f->field->roles & fields[i].role)
			*fields[i].to = (struct field){ f->bit / 8, f->n_bits / 8 };
}

static void read_packet(struct copy *c, struct ctf_plain *plain, const struct ctf_packet *p)
{
	const struct trace_file *file = &c->e->files[p->file];
	const struct ctf_schema *s = c->e->parts[file->part].schema;
	const struct ctf_stream_class *class = &s->streams[p->stream_class];
	struct ctf_packet_info info = { 0 };
	struct ctf_pos pos = { .base = file->data + p->offset, .end_bit = p->size_bits };
	plain->info = &info;
	ctf_plain_begin_packet(plain);
	assert_int_equal(
		ctf_plain_read(plain, &pos, CTF_SCOPE_PACKET_HEADER, s->packet_header), CTF_OK);
	assert_int_equal(
		ctf_plain_read(plain, &pos, CTF_SCOPE_PACKET_CONTEXT, class->packet_context),
		CTF_OK);
	plain->info = NULL;
	uint64_t body_bit = pos.bit;
	assert_true(body_bit % 8 == 0 && body_bit / 8 <= LTTNG_HEAD);
	c->n_head = body_bit / 8;
	memcpy(c->head, pos.base, c->n_head);
	pos = ctf_packet_body(p, body_bit, file->data, file->bytes, 0);
	while (pos.bit < pos.end_bit) {
		uint64_t begin = pos.bit;
		const struct ctf_event_class *event;
		assert_int_equal(ctf_plain_event(plain, &pos, class, &event), CTF_OK);
		c->has_padding |= begin % 8 != 0 || pos.bit % 8 != 0;
		assert_true(mer_grow32(
			&c->records, c->n_records, &c->cap_records, sizeof(*c->records)));
		c->records[c->n_records++] = (struct record){ pos.base + begin / 8,
			(uint32_t)((pos.bit - begin) / 8), pos.clock };
	}
}

/* ---- packets written ---- */

static void put(const struct copy *c, struct field f, uint64_t v)
{
	for (uint64_t i = 0; i < f.n; i++)
		c->packet[f.at + i] = (uint8_t)(v >> 8 * i);
}

static void make_room(struct copy *c, size_t n)
{
	if (c->n + n <= c->cap)
		return;
	c->cap = (c->n + n) * 2;
	c->packet = realloc(c->packet, c->cap);
	assert_non_null(c->packet);
}

static void begin_packet(struct copy *c, uint64_t clock)
{
	c->n = 0;
	make_room(c, c->n_head);
	memcpy(c->packet, c->head, c->n_head);
	c->n = c->n_head;
	c->is_open = true;
	c->begin = c->last = clock;
}

static void end_packet(struct copy *c, uint64_t clock, bool write)
{
	if (!c->is_open)
		return;
	c->is_open = false;
	put(c, c->begin_at, c->begin);
	put(c, c->end_at, clock);
	put(c, c->content_at, c->n * 8);
	put(c, c->size_at, c->n * 8);
	put(c, c->seq_at, c->seq++);
	put(c, c->lost_at, c->lost);
	if (write)
		assert_int_equal(fwrite(c->packet, 1, c->n, c->f), c->n);
}

static void keep(struct copy *c, const struct record *r)
{
	if (!c->is_open)
		begin_packet(c, r->clock);
	make_room(c, r->n);
	memcpy(c->packet + c->n, r->bytes, r->n);
	c->n += r->n;
	c->last = r->clock;
}

/* Some events are discarded: the packet that was open all the time ends when there is room again,
 * or had ended before; small events may still find room in it. */
static void discard(struct copy *c)
{
	struct cut *cut = c->cut;
	static const double events[][2] = {
		[CUT_SHORT] = { 10, 200 }, [CUT_LONG] = { 300, 2000 }, [CUT_TINY] = { 2, 20 }
	};
	double least = events[cut->manner][0], most = events[cut->manner][1];
	double factor = 1 / cut->share - 1;
	uint64_t len = between(cut, least, most), size = between(cut, 4096, 65536);
	uint64_t next = between(cut, 0, (double)len * factor);
	for (uint32_t i = 0; i < c->n_records;) {
		const struct record *r = &c->records[i];
		if (i < next) {
			if (c->is_open && c->n + r->n > size)
				end_packet(c, c->last, true);
			keep(c, r);
			i++;
			continue;
		}
		uint64_t room = between(cut, 0, 200), n_lost = 0;
		if (!c->is_open || unit(cut) < 0.3) {
			end_packet(c, r->clock, true);
			room = 0;
		}
		for (; n_lost < len && i < c->n_records; i++) {
			r = &c->records[i];
			if (r->n <= room && r->clock - c->last < CLOCK_REACH) {
				room -= r->n;
				keep(c, r);
			} else {
				room = r->clock - c->last < CLOCK_REACH ? room : 0;
				n_lost++;
			}
		}
		c->lost += n_lost;
		cut->n_lost += n_lost;
		uint64_t now = i < c->n_records ? c->records[i].clock : c->records[i - 1].clock;
		end_packet(c, now, true);
		if (i < c->n_records || n_lost)
			begin_packet(c, now);
		len = between(cut, least, most);
		next = i + between(cut, 0.2 * (double)len * factor, 1.8 * (double)len * factor);
	}
	end_packet(c, c->last, true);
}

static void lose_packets(struct copy *c)
{
	struct cut *cut = c->cut;
	enum { SIZE = 4096 };
	uint64_t n = 0;
	bool keeps = true;
	for (uint32_t i = 0; i < c->n_records; i++) {
		const struct record *r = &c->records[i];
		if (c->is_open && c->n + r->n > SIZE) {
			end_packet(c, c->last, keeps);
			cut->n_lost += keeps ? 0 : n;
			/* The last packet is still there when the recording ends; runs of two on
			 * average. */
			keeps = unit(cut) >= (keeps ? cut->share / 2 : 0.5);
			n = 0;
		}
		keep(c, r);
		n++;
	}
	end_packet(c, c->last, true);
}

static void copy_stream(struct copy *c, uint32_t stream)
{
	const struct trace_stream *t = &c->e->data[stream];
	const struct mer_trace *trace = &c->e->traces[c->e->streams[stream].trace];
	struct mer_arena arena;
	struct ctf_plain plain;
	mer_arena_init(&arena);
	assert_true(ctf_plain_init(&plain, c->e->parts[t->part].schema, &arena));
	plain.see = see;
	plain.arg = c;
	bool as_it_is = strcmp(trace->domain, "kernel") != 0;
	for (uint32_t i = 0; i < t->n_packets && !as_it_is; i++)
		read_packet(c, &plain, &t->packets[i]);
	if (c->has_padding)
		fail_msg("%s: there is padding between events", c->e->files[t->file].path);
	c->cut->n_events += c->n_records;
	if (as_it_is)
		for (uint32_t i = 0; i < t->n_packets; i++) {
			const struct ctf_packet *p = &t->packets[i];
			size_t n = p->size_bits / 8;
			const uint8_t *from = c->e->files[p->file].data + p->offset;
			assert_int_equal(fwrite(from, 1, n, c->f), n);
		}
	else if (c->n_records && c->cut->manner == CUT_PACKETS)
		lose_packets(c);
	else if (c->n_records)
		discard(c);
	mer_arena_fini(&arena);
}

static void copy_metadata(const char *from, const char *to)
{
	char path[1100], buffer[4096];
	size_t n;
	snprintf(path, sizeof(path), "%s/metadata", from);
	FILE *in = fopen(path, "rb");
	snprintf(path, sizeof(path), "%s/metadata", to);
	FILE *out = fopen(path, "wb");
	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		assert_int_equal(fwrite(buffer, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

void cut_recording(const struct mer_experiment *e, const char *dir, struct cut *cut)
{
	char path[1000];
	for (uint32_t i = 0; i < e->n_parts; i++) {
		snprintf(path, sizeof(path), "%s/part%u", dir, (unsigned)i);
		assert_int_equal(mkdir(path, 0777), 0);
		copy_metadata(e->parts[i].path, path);
	}
	for (uint32_t i = 0; i < e->n_streams; i++) {
		struct copy c = { .cut = cut, .e = e };
		snprintf(path, sizeof(path), "%s/part%u/stream%u", dir, (unsigned)e->data[i].part,
			(unsigned)i);
		c.f = fopen(path, "wb");
		assert_non_null(c.f);
		copy_stream(&c, i);
		assert_int_equal(fclose(c.f), 0);
		free(c.records);
		free(c.packet);
	}
}
