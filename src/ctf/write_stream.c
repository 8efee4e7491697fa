/* Data stream files: packets of event records, and their LTTng index.
 *
 * One packet is built in memory. Its header and context are encoded twice, with zeros when it
 * opens and with the true sizes, times and counters when it ends; both have the same length.
 * Files are opened for each packet anew, so that a trace may have more streams than a process
 * may have files. */
#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "ctf/header_kind.h"
#include "ctf/write.h"

enum { DEFAULT_PACKET_BYTES = 256 << 10 };

struct ctf_writer {
	const struct ctf_schema *schema;
	const struct ctf_stream_class *class;
	char *path, *index_path;
	uint64_t packet_bytes;
	bool pad, sizes_known; /* the packet context has a size: several packets fit a file */
	bool is_open, has_events;
	struct ctf_encoder enc;
	struct ctf_role_values roles; /* of the open packet */
	uint64_t over_value[CTF_N_ROLES];
	uint32_t over; /* roles that are overridden */
	uint64_t stream_id, seq, discarded, file_bytes, n_packets;
	uint32_t cpu_id;
	uint64_t last_clock; /* of the last event of the packet */
	/* Borrowed: for fields without a role. */
	const struct ctf_value *packet_values, *header_values;
	size_t n_packet_values, n_header_values;
	/* Values for the first id field when the id itself will not do: extended headers. */
	uint32_t n_escapes;
	uint64_t escapes[16];
	unsigned id_bits; /* of LTTng's event header, 5 or 16; 0: it is another one */
};

static bool has_role(const struct ctf_fc *record, uint32_t role)
{
	for (uint32_t i = 0; record && i < record->u.record.n; i++)
		if (record->u.record.fields[i].roles & role)
			return true;
	return false;
}

/* Selector values of the variants of the event header. */
static void find_escapes(struct ctf_writer *w)
{
	const struct ctf_fc *h = w->class->event_header;
	for (uint32_t i = 0; h && i < h->u.record.n; i++) {
		const struct ctf_fc *v = h->u.record.fields[i].fc;
		if (v->kind != CTF_VARIANT)
			continue;
		for (uint32_t k = 0; k < v->u.variant.n; k++)
			if (v->u.variant.options[k].n_ranges && w->n_escapes < 16)
				w->escapes[w->n_escapes++] = v->u.variant.options[k].ranges[0].lo;
	}
}

static int append(const char *path, const void *data, size_t len, bool first, struct mer_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (first ? O_TRUNC : O_APPEND), 0666);
	if (fd < 0)
		return mer_fail_errno(err, "create", path);
	const char *p = data;
	while (len) {
		ssize_t n = write(fd, p, len);
		if (n < 0) {
			int rc = mer_fail_errno(err, "write", path);
			close(fd);
			return rc;
		}
		p += n;
		len -= (size_t)n;
	}
	return close(fd) ? mer_fail_errno(err, "write", path) : 0;
}

int ctf_writer_open(const struct ctf_schema *s, const struct ctf_stream_class *c,
	const struct ctf_writer_options *o, struct ctf_writer **out, struct mer_err *err)
{
	struct ctf_writer *w = calloc(1, sizeof(*w));
	*out = NULL;
	if (!w)
		return mer_fail_nomem(err);
	w->schema = s;
	w->class = c;
	w->path = strdup(o->path);
	w->index_path = o->index_path ? strdup(o->index_path) : NULL;
	if (!w->path || (o->index_path && !w->index_path)) {
		free(w->path);
		free(w->index_path);
		free(w);
		return mer_fail_nomem(err);
	}
	w->packet_bytes = o->packet_bytes ? o->packet_bytes : DEFAULT_PACKET_BYTES;
	w->pad = o->pad;
	w->stream_id = o->stream_id;
	w->cpu_id = o->cpu_id;
	w->sizes_known = has_role(c->packet_context, CTF_ROLE_CONTENT_SIZE | CTF_ROLE_PACKET_SIZE);
	w->enc.where = w->path;
	find_escapes(w);
	if (c->event_header)
		w->id_bits = ctf_is_lttng_header(c->event_header, 5, 27)    ? 5
			     : ctf_is_lttng_header(c->event_header, 16, 32) ? 16
									    : 0;
	int rc = append(w->path, "", 0, true, err);
	if (!rc && w->index_path) {
		uint8_t head[16];
		bool inst = has_role(s->packet_header, CTF_ROLE_STREAM_ID);
		mer_bits_put(head, 0, 32, true, 0xC1F1DCC1);
		mer_bits_put(head, 32, 32, true, 1);
		mer_bits_put(head, 64, 32, true, inst);
		mer_bits_put(head, 96, 32, true, inst ? 72 : 56);
		rc = append(w->index_path, head, sizeof(head), true, err);
	}
	if (rc) {
		ctf_writer_close(w, NULL);
		return rc;
	}
	*out = w;
	return 0;
}

int ctf_writer_close(struct ctf_writer *w, struct mer_err *err)
{
	if (!w)
		return 0;
	int rc = ctf_writer_end(w, w->last_clock, err);
	ctf_encoder_fini(&w->enc);
	free(w->path);
	free(w->index_path);
	free(w);
	return rc;
}

bool ctf_writer_is_open(const struct ctf_writer *w)
{
	return w->is_open;
}

uint64_t ctf_writer_bytes(const struct ctf_writer *w)
{
	return w->file_bytes + (w->is_open ? (w->enc.at_bits + 7) / 8 : 0);
}

void ctf_writer_discard(struct ctf_writer *w, uint64_t n)
{
	w->discarded += n;
}

void ctf_writer_skip_packets(struct ctf_writer *w, uint64_t n)
{
	w->seq += n;
}

void ctf_writer_override(struct ctf_writer *w, enum ctf_role role, uint64_t value)
{
	w->over |= role;
	w->over_value[ctf_role_index(role)] = value;
}

void ctf_writer_packet_values(struct ctf_writer *w, const struct ctf_value *values, size_t n)
{
	w->packet_values = n ? values : NULL;
	w->n_packet_values = n;
}

void ctf_writer_header_values(struct ctf_writer *w, const struct ctf_value *values, size_t n)
{
	w->header_values = n ? values : NULL;
	w->n_header_values = n;
}

static void set(struct ctf_writer *w, enum ctf_role role, uint64_t value)
{
	unsigned i = ctf_role_index(role);
	w->roles.value[i] = w->over & role ? w->over_value[i] : value;
}

static int encode_head(struct ctf_writer *w)
{
	struct ctf_encoder *e = &w->enc;
	e->roles = &w->roles;
	e->choose_id = false;
	e->values = w->packet_values;
	e->n_values = w->n_packet_values;
	e->used = 0;
	int rc = ctf_encode_struct(e, w->schema->packet_header);
	return rc ? rc : ctf_encode_struct(e, w->class->packet_context);
}

int ctf_writer_begin(struct ctf_writer *w, uint64_t clock, struct mer_err *err)
{
	struct ctf_encoder *e = &w->enc;
	int rc = ctf_writer_end(w, w->last_clock, err);
	if (rc)
		return rc;
	if (w->n_packets && !w->sizes_known)
		return mer_fail(err, MER_ERR_USAGE,
			"%s: a second packet, but the packet context has no sizes", w->path);
	e->err = err;
	rc = ctf_encoder_regs(e, w->schema->n_regs);
	if (rc)
		return rc;
	set(w, CTF_ROLE_MAGIC, 0xC1FC1FC1);
	w->roles.uuid = w->schema->uuid;
	set(w, CTF_ROLE_STREAM_CLASS_ID, w->class->id);
	set(w, CTF_ROLE_STREAM_ID, w->stream_id);
	set(w, CTF_ROLE_TIMESTAMP, clock);
	set(w, CTF_ROLE_TIMESTAMP_END, 0);
	set(w, CTF_ROLE_CONTENT_SIZE, 0);
	set(w, CTF_ROLE_PACKET_SIZE, 0);
	set(w, CTF_ROLE_SEQ_NUM, w->seq);
	set(w, CTF_ROLE_DISCARDED, w->discarded);
	set(w, CTF_ROLE_CPU_ID, w->cpu_id);
	rc = encode_head(w);
	if (rc) {
		ctf_encoder_rewind(e, 0, CTF_LE);
		return rc;
	}
	if (has_role(w->class->packet_context, CTF_ROLE_TIMESTAMP))
		e->clock = w->roles.value[ctf_role_index(CTF_ROLE_TIMESTAMP)];
	w->last_clock = clock;
	w->is_open = true;
	w->has_events = false;
	return 0;
}

static int add_index(struct ctf_writer *w, struct mer_err *err)
{
	static const uint32_t entry[] = { CTF_ROLE_PACKET_SIZE, CTF_ROLE_CONTENT_SIZE,
		CTF_ROLE_TIMESTAMP, CTF_ROLE_TIMESTAMP_END, CTF_ROLE_DISCARDED,
		CTF_ROLE_STREAM_CLASS_ID, CTF_ROLE_STREAM_ID, CTF_ROLE_SEQ_NUM };
	bool inst = has_role(w->schema->packet_header, CTF_ROLE_STREAM_ID);
	uint8_t row[72];
	mer_bits_put(row, 0, 64, true, w->file_bytes);
	for (unsigned i = 0; i < 8; i++)
		mer_bits_put(row, 64 + i * 64, 64, true, w->roles.value[ctf_role_index(entry[i])]);
	return append(w->index_path, row, inst ? 72 : 56, false, err);
}

int ctf_writer_end(struct ctf_writer *w, uint64_t clock, struct mer_err *err)
{
	struct ctf_encoder *e = &w->enc;
	if (!w->is_open)
		return 0;
	e->err = err;
	uint64_t content = e->at_bits, bytes = (content + 7) / 8;
	if (w->pad && bytes < w->packet_bytes)
		bytes = w->packet_bytes;
	int rc = ctf_encoder_room(e, bytes * 8 - content);
	if (rc)
		return rc;
	set(w, CTF_ROLE_TIMESTAMP, w->roles.value[ctf_role_index(CTF_ROLE_TIMESTAMP)]);
	set(w, CTF_ROLE_TIMESTAMP_END, clock);
	set(w, CTF_ROLE_CONTENT_SIZE, content);
	set(w, CTF_ROLE_PACKET_SIZE, bytes * 8);
	set(w, CTF_ROLE_SEQ_NUM, w->seq);
	set(w, CTF_ROLE_DISCARDED, w->discarded);
	set(w, CTF_ROLE_STREAM_CLASS_ID, w->class->id);
	set(w, CTF_ROLE_STREAM_ID, w->stream_id);
	set(w, CTF_ROLE_MAGIC, 0xC1FC1FC1);
	set(w, CTF_ROLE_CPU_ID, w->cpu_id);
	uint8_t order = e->order;
	e->at_bits = 0;
	rc = encode_head(w);
	e->at_bits = content;
	e->order = order;
	if (!rc)
		rc = append(w->path, e->data, bytes, false, err);
	if (!rc && w->index_path)
		rc = add_index(w, err);
	w->file_bytes += bytes;
	w->n_packets++;
	w->seq++;
	w->over = 0;
	w->is_open = false;
	ctf_encoder_rewind(e, 0, CTF_LE);
	return rc;
}

/* Writes LTTng's event header, which nearly all traces have, in a few instructions to p, which has
 * room for MOST_HEADER bytes; returns its length. */
enum { MOST_HEADER = 2 + 4 + 8 };
static size_t lttng_header(struct ctf_writer *w, uint64_t id, uint64_t clock, uint8_t *p)
{
	struct ctf_encoder *e = &w->enc;
	uint64_t escape = (UINT64_C(1) << w->id_bits) - 1;
	unsigned time_bits = w->id_bits == 5 ? 27 : 32, bytes = w->id_bits == 5 ? 4 : 6;
	bool fits = id < escape && (clock - e->clock) >> time_bits == 0;
	uint64_t first = fits ? id : escape;
	e->order = CTF_LE;
	e->regs[w->class->event_header->u.record.fields[0].reg] = first;
	if (fits) {
		uint64_t time = clock & ((UINT64_C(1) << time_bits) - 1);
		uint64_t bits = htole64(first | time << w->id_bits);
		memcpy(p, &bits, bytes);
		return bytes;
	}
	uint64_t time = htole64(clock);
	uint32_t number = htole32((uint32_t)id);
	unsigned before = w->id_bits == 5 ? 1 : 2;
	memset(p, 0xff, before);
	p[0] = w->id_bits == 5 ? (uint8_t)escape : 0xff;
	memcpy(p + before, &number, 4);
	memcpy(p + before + 4, &time, 8);
	return before + 4 + 8;
}

static int put_lttng_header(struct ctf_writer *w, uint64_t id, uint64_t clock)
{
	struct ctf_encoder *e = &w->enc;
	int rc = ctf_encoder_room(e, 8 + MOST_HEADER * 8);
	if (rc)
		return rc;
	uint64_t at = (e->at_bits + 7) / 8;
	e->at_bits = (at + lttng_header(w, id, clock, e->data + at)) * 8;
	return 0;
}

/* The header: first with the id itself in the first id field, then with each value that selects
 * another layout, until id and time come out right. */
static int encode_header(struct ctf_writer *w, uint64_t id, uint64_t clock)
{
	struct ctf_encoder *e = &w->enc;
	uint64_t start = e->at_bits;
	uint8_t order = e->order;
	int rc = 0;
	if (w->id_bits && !w->n_header_values && id <= UINT32_MAX)
		return put_lttng_header(w, id, clock);
	w->roles.value[ctf_role_index(CTF_ROLE_EVENT_ID)] = id;
	uint64_t begin = w->roles.value[ctf_role_index(CTF_ROLE_TIMESTAMP)];
	w->roles.value[ctf_role_index(CTF_ROLE_TIMESTAMP)] = clock;
	e->roles = &w->roles;
	e->choose_id = true;
	struct mer_err *err = e->err;
	struct mer_err last = { 0 };
	e->err = &last;
	bool done = false;
	for (uint32_t i = 0; !done && i <= w->n_escapes; i++) {
		ctf_encoder_rewind(e, start, order);
		e->first_id = i ? w->escapes[i - 1] : id;
		e->last_id = id; /* when the header has none */
		e->n_ids = 0;
		e->values = w->header_values;
		e->n_values = w->n_header_values;
		e->used = 0;
		e->clock_lost = false;
		rc = ctf_encode_struct(e, w->class->event_header);
		done = !rc && e->last_id == id && !e->clock_lost;
		if (rc == MER_ERR_NOMEM || rc == MER_ERR_LIMIT)
			break;
	}
	e->err = err;
	e->choose_id = false;
	w->roles.value[ctf_role_index(CTF_ROLE_TIMESTAMP)] = begin;
	if (done)
		return 0;
	if (rc)
		return mer_fail(err, rc, "%s", last.text);
	return mer_fail(err, MER_ERR_USAGE,
		"%s: the event header cannot hold %s (id %llu, time %llu after %llu)", w->path,
		e->clock_lost ? "the time" : "the id", (unsigned long long)id,
		(unsigned long long)clock, (unsigned long long)e->clock);
}

/* What follows an event's header: values, or (bytes != NULL) their encoding. */
struct body {
	const struct ctf_value *values;
	const void *bytes;
	size_t n;
};

static int encode_event(struct ctf_writer *w, const struct ctf_event_class *c, uint64_t clock,
	const struct body *body)
{
	struct ctf_encoder *e = &w->enc;
	int rc = encode_header(w, c->id, clock);
	if (rc)
		return rc;
	if (body->bytes)
		return ctf_encode_bytes(e, body->bytes, body->n);
	e->roles = NULL;
	e->values = body->values;
	e->n_values = body->n;
	e->used = 0;
	rc = ctf_encode_struct(e, w->class->event_context);
	if (!rc)
		rc = ctf_encode_struct(e, c->specific_context);
	if (!rc)
		rc = ctf_encode_struct(e, c->payload);
	if (!rc && e->used != body->n)
		rc = mer_fail(e->err, MER_ERR_USAGE, "%s: event %s: %zu values given, %zu taken",
			w->path, c->name, body->n, e->used);
	return rc;
}

static int add_event(struct ctf_writer *w, const struct ctf_event_class *c, uint64_t clock,
	const struct body *body, struct mer_err *err)
{
	struct ctf_encoder *e = &w->enc;
	int rc = w->is_open ? 0 : ctf_writer_begin(w, clock, err);
	if (rc)
		return rc;
	e->err = err;
	rc = ctf_encoder_regs(e, w->schema->n_regs);
	if (rc)
		return rc;
	uint64_t start = e->at_bits;
	uint8_t order = e->order;
	rc = encode_event(w, c, clock, body);
	if (!rc && e->at_bits > w->packet_bytes * 8 && w->has_events && w->sizes_known) {
		ctf_encoder_rewind(e, start, order);
		rc = ctf_writer_begin(w, clock, err);
		if (rc)
			return rc;
		start = e->at_bits;
		order = e->order;
		rc = encode_event(w, c, clock, body);
	}
	if (rc) {
		ctf_encoder_rewind(e, start, order);
		return rc;
	}
	e->clock = clock;
	w->last_clock = clock;
	w->has_events = true;
	return 0;
}

int ctf_writer_event(struct ctf_writer *w, const struct ctf_event_class *c, uint64_t clock,
	const struct ctf_value *values, size_t n_values, struct mer_err *err)
{
	return add_event(w, c, clock, &(struct body){ .values = values, .n = n_values }, err);
}

/* The fast path for nearly all records: the header is LTTng's, and there is room in the open
 * packet. False: it is not so, and nothing was written. */
static bool put_record(struct ctf_writer *w, const struct ctf_event_class *c, uint64_t clock,
	const void *bytes, size_t n)
{
	struct ctf_encoder *e = &w->enc;
	uint64_t at = (e->at_bits + 7) / 8, most = at + MOST_HEADER + n;
	if (!w->is_open || !w->id_bits || w->n_header_values || c->id > UINT32_MAX || !e->regs ||
		w->schema->n_regs > e->n_regs || n > w->packet_bytes || most > w->packet_bytes ||
		most + 16 > e->cap_bytes)
		return false;
	at += lttng_header(w, c->id, clock, e->data + at);
	memcpy(e->data + at, bytes, n);
	e->at_bits = (at + n) * 8;
	e->clock = w->last_clock = clock;
	w->has_events = true;
	return true;
}

int ctf_writer_record(struct ctf_writer *w, const struct ctf_event_class *c, uint64_t clock,
	const void *bytes, size_t n, struct mer_err *err)
{
	if (put_record(w, c, clock, bytes, n))
		return 0;
	return add_event(w, c, clock, &(struct body){ .bytes = bytes, .n = n }, err);
}

int ctf_writer_raw(struct ctf_writer *w, const void *data, size_t len, struct mer_err *err)
{
	int rc = w->is_open ? 0 : ctf_writer_begin(w, w->last_clock, err);
	if (rc)
		return rc;
	w->enc.err = err;
	w->has_events = true;
	return ctf_encode_bytes(&w->enc, data, len);
}
