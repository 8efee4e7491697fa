#include "ftrace/perf/perfdata.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEAD_BYTES = 104,
	PIPE_BYTES = 16,
	PERF_RECENT = 1 << 10,
	MAX_ATTRS = 1 << 16,
	MAX_IDS = 1 << 24,
	ATTR_BYTES = 64 /* of the first version; later ones are longer */
};
enum { /* features */
	TRACING_DATA = 1,
	HOSTNAME = 3,
	OSRELEASE = 4,
	ARCH = 6,
	DIR_FORMAT = 24,
	COMPRESSED = 27,
	CLOCK_DATA = 29,
	N_FEATURES = 256
};
enum { TYPE_SOFTWARE = 1, TYPE_TRACEPOINT = 2, SOFTWARE_DUMMY = 9 }; /* of attributes */
/* Bits of an attribute's flags, numbered as on a little-endian machine. */
enum { SAMPLE_ID_ALL = 18, USE_CLOCKID = 25, CONTEXT_SWITCH = 26 };

static const char magic[] = "PERFILE2", other[] = "2ELIFREP";

bool perfdata_is(const void *head, size_t size)
{
	return size >= 8 && (memcmp(head, magic, 8) == 0 || memcmp(head, other, 8) == 0);
}

static bool flag(const uint8_t *flags, unsigned n, bool is_be)
{
	/* On a big-endian machine, bit fields begin with the highest bit. */
	return flags[n / 8] >> (is_be ? 7 - n % 8 : n % 8) & 1;
}

/* Bits of sample_type. */
enum {
	HAS_IP = 1 << 0,
	HAS_TID = 1 << 1,
	HAS_TIME = 1 << 2,
	HAS_ADDR = 1 << 3,
	HAS_READ = 1 << 4,
	HAS_CALLCHAIN = 1 << 5,
	HAS_ID = 1 << 6,
	HAS_CPU = 1 << 7,
	HAS_PERIOD = 1 << 8,
	HAS_STREAM_ID = 1 << 9,
	HAS_RAW = 1 << 10,
	HAS_IDENTIFIER = 1 << 16
};
/* Bits of read_format. */
enum {
	HAS_TOTAL_TIME = 1 << 0,
	HAS_RUN_TIME = 1 << 1,
	HAS_READ_ID = 1 << 2,
	IS_GROUP = 1 << 3,
	HAS_READ_LOST = 1 << 4
};

/* Bytes of those of these fields that the type has: 8 each. */
static uint32_t bytes_in(uint64_t type, uint64_t fields)
{
	return 8u * (uint32_t)__builtin_popcountll(type & fields);
}

/* Finds where time, CPU and raw data are in samples, if that is the same in all of them. */
static void find_places(struct perf_attr *a)
{
	uint64_t type = a->sample_type, wanted = HAS_TIME | HAS_CPU | HAS_RAW;
	uint32_t at = bytes_in(type, HAS_IDENTIFIER | HAS_IP | HAS_TID);
	a->has_places = (type & wanted) == wanted && !(type & (HAS_READ | HAS_CALLCHAIN));
	a->time_at = (uint16_t)at;
	at += 8 + bytes_in(type, HAS_ADDR | HAS_ID | HAS_STREAM_ID);
	a->cpu_at = (uint16_t)at;
	at += 8 + bytes_in(type, HAS_PERIOD);
	a->raw_at = (uint16_t)at;
}

static void forget_recent(struct perfdata *p)
{
	if (p->recent)
		memset(p->recent, 0, PERF_RECENT * sizeof(*p->recent));
}

/* Attributes may be longer or shorter than is known here. */
static bool add_attr(struct perfdata *p, const uint8_t *data, size_t size)
{
	uint8_t whole[128] = { 0 };
	if (size < ATTR_BYTES || p->n_attrs == MAX_ATTRS)
		return true;
	if (p->n_attrs == p->cap_attrs) {
		uint32_t cap = p->cap_attrs ? 2 * p->cap_attrs : 32;
		struct perf_attr *attrs = mer_arena_zalloc(p->arena, cap, sizeof(*attrs));
		if (!attrs)
			return false;
		if (p->n_attrs)
			memcpy(attrs, p->attrs, p->n_attrs * sizeof(*attrs));
		p->attrs = attrs;
		p->cap_attrs = cap;
	}
	memcpy(whole, data, size < sizeof(whole) ? size : sizeof(whole));
	struct perf_attr *a = &p->attrs[p->n_attrs++];
	*a = (struct perf_attr){ .type = ftrace_load32(whole, p->is_be),
		.config = ftrace_load64(whole + 8, p->is_be),
		.sample_type = ftrace_load64(whole + 24, p->is_be),
		.read_format = ftrace_load64(whole + 32, p->is_be),
		.branch_type = ftrace_load64(whole + 72, p->is_be),
		.has_ids_in_all = flag(whole + 40, SAMPLE_ID_ALL, p->is_be),
		.has_switches = flag(whole + 40, CONTEXT_SWITCH, p->is_be),
		.has_clock = flag(whole + 40, USE_CLOCKID, p->is_be),
		.clock = (int32_t)ftrace_load32(whole + 92, p->is_be) };
	find_places(a);
	/* One that perf adds for the records of tasks has no samples. */
	bool has_samples = a->type != TYPE_SOFTWARE || a->config != SOFTWARE_DUMMY;
	p->is_uniform =
		p->n_attrs == 1 ||
		(p->is_uniform &&
			(!has_samples || (a->sample_type == p->attrs[0].sample_type &&
						 a->read_format == p->attrs[0].read_format)));
	forget_recent(p);
	return true;
}

/* Adds ids of the attribute that was added last. */
static bool add_ids(struct perfdata *p, struct ftrace_bytes b)
{
	uint64_t n = ftrace_left(&b) / 8;
	if (!p->n_attrs || n > MAX_IDS - p->n_ids)
		return true;
	if (n > p->cap_ids - p->n_ids) {
		uint32_t cap = 2 * (p->n_ids + (uint32_t)n);
		struct perf_id *ids = mer_arena_zalloc(p->arena, cap, sizeof(*ids));
		if (!ids)
			return false;
		if (p->n_ids)
			memcpy(ids, p->ids, p->n_ids * sizeof(*ids));
		p->ids = ids;
		p->cap_ids = cap;
	}
	for (uint64_t i = 0; i < n; i++)
		p->ids[p->n_ids++] = (struct perf_id){ ftrace_u64(&b), p->n_attrs - 1 };
	p->is_sorted = false;
	forget_recent(p);
	return true;
}

static int by_id(const void *a, const void *b)
{
	const struct perf_id *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static const struct perf_attr *search(struct perfdata *p, uint64_t id)
{
	if (!p->is_sorted && p->n_ids)
		qsort(p->ids, p->n_ids, sizeof(*p->ids), by_id);
	p->is_sorted = true;
	const struct perf_id *found = p->n_ids ? bsearch(&(struct perf_id){ .id = id }, p->ids,
							 p->n_ids, sizeof(*p->ids), by_id)
					       : NULL;
	return found ? &p->attrs[found->attr] : NULL;
}

static const struct perf_attr *attr_of(struct perfdata *p, uint64_t id)
{
	struct perf_id *recent = p->recent ? &p->recent[id % PERF_RECENT] : NULL;
	if (recent && recent->id == id && id)
		return &p->attrs[recent->attr];
	const struct perf_attr *a = search(p, id);
	if (recent && a)
		*recent = (struct perf_id){ id, (uint32_t)(a - p->attrs) };
	return a;
}

/* ---- features ---- */

static bool take_formats(struct perfdata *p, struct ftrace_bytes b)
{
	struct mer_err ignored;
	if (p->tracing.formats.n || ftrace_tracing_head(&p->tracing, &b, &ignored))
		return true;
	ftrace_tracing_pages(&p->tracing, &b);
	bool ok = ftrace_tracing_formats(&p->tracing, &b, "ftrace", p->arena) &&
		  ftrace_tracing_systems(&p->tracing, &b, p->arena);
	p->is_cut |= b.ended;
	return ok;
}

/* A text with its length in front. */
static const char *take_text(struct perfdata *p, struct ftrace_bytes b)
{
	uint32_t size = ftrace_u32(&b);
	const uint8_t *text = ftrace_take(&b, size);
	return text ? mer_arena_strndup(
			      p->arena, (const char *)text, strnlen((const char *)text, size))
		    : NULL;
}

static bool take_feature(struct perfdata *p, unsigned feature, struct ftrace_bytes b)
{
	switch (feature) {
	case TRACING_DATA: return take_formats(p, b);
	case DIR_FORMAT: p->is_folder = true; break;
	case HOSTNAME: p->host = take_text(p, b); break;
	case OSRELEASE: p->release = take_text(p, b); break;
	case ARCH: p->machine = take_text(p, b); break;
	case CLOCK_DATA:
		(void)ftrace_u64(&b); /* version, and which clock */
		p->wall_ns = ftrace_u64(&b);
		p->clock_ns = ftrace_u64(&b);
		if (b.ended)
			p->wall_ns = p->clock_ns = 0;
		break;
	default: break;
	}
	return !p->arena->failed;
}

bool perfdata_take(struct perfdata *p, const struct perf_record *r)
{
	struct ftrace_bytes b = ftrace_bytes(r->data, r->size, p->is_be);
	uint32_t size;
	uint64_t feature;
	const uint8_t *attr;
	switch (r->type) {
	case PERF_ATTR:
		size = r->size >= ATTR_BYTES ? ftrace_load32(r->data + 4, p->is_be) : 0;
		attr = ftrace_take(&b, size ? size : ATTR_BYTES);
		return !attr || (add_attr(p, attr, size ? size : ATTR_BYTES) && add_ids(p, b));
	case PERF_TRACING_DATA:
		return take_formats(p, ftrace_bytes(r->behind, r->behind_size, p->is_be));
	case PERF_FEATURE:
		feature = ftrace_u64(&b);
		return feature >= N_FEATURES || take_feature(p, (unsigned)feature, b);
	default: return true;
	}
}

/* ---- the file's head ---- */

struct section {
	uint64_t offset, size;
};

static struct section take_section(struct ftrace_bytes *b)
{
	uint64_t offset = ftrace_u64(b), size = ftrace_u64(b);
	return (struct section){ offset, size };
}

/* The bytes of a section, as far as the file has them. */
static struct ftrace_bytes bytes_of(struct perfdata *p, const struct mer_file *f, struct section s)
{
	if (s.offset > f->size || s.size > f->size - s.offset) {
		p->is_cut = true;
		s.offset = s.offset > f->size ? f->size : s.offset;
		s.size = f->size - s.offset;
	}
	return ftrace_bytes(f->data + s.offset, s.size, p->is_be);
}

static bool read_attrs(
	struct perfdata *p, const struct mer_file *f, struct section attrs, uint64_t attr_size)
{
	struct ftrace_bytes b = bytes_of(p, f, attrs);
	if (attr_size < ATTR_BYTES + 16 || attr_size > 4096)
		return true;
	/* Lists of ids do not overlap: together they cannot be larger than the file. */
	uint64_t room = f->size;
	while (ftrace_left(&b) >= attr_size) {
		const uint8_t *attr = ftrace_take(&b, attr_size - 16);
		struct ftrace_bytes ids = bytes_of(p, f, take_section(&b));
		bool fits = ftrace_left(&ids) <= room;
		room -= fits ? ftrace_left(&ids) : 0;
		if (!add_attr(p, attr, attr_size - 16) || (fits && !add_ids(p, ids)))
			return false;
	}
	return true;
}

/* The table of features follows the records: a file that was cut has none. */
static bool read_features(
	struct perfdata *p, const struct mer_file *f, uint64_t table, const uint8_t *bits)
{
	if (table > f->size) {
		p->is_cut = true;
		return true;
	}
	struct ftrace_bytes b = ftrace_bytes(f->data + table, f->size - table, p->is_be);
	p->is_plain = !(ftrace_load64(bits, p->is_be) >> COMPRESSED & 1);
	for (unsigned i = 0; i < N_FEATURES; i++) {
		uint64_t word = ftrace_load64(bits + i / 64 * 8, p->is_be);
		if (!(word >> i % 64 & 1))
			continue;
		struct section s = take_section(&b);
		if (b.ended) {
			p->is_cut = true;
			break;
		}
		if (!take_feature(p, i, bytes_of(p, f, s)))
			return false;
	}
	return true;
}

int perfdata_open(struct perfdata *p, const struct mer_file *file, struct mer_arena *arena,
	struct mer_err *err)
{
	*p = (struct perfdata){ .arena = arena };
	p->recent = mer_arena_zalloc(arena, PERF_RECENT, sizeof(*p->recent));
	if (!p->recent)
		return mer_fail_nomem(err);
	if (file->size < PIPE_BYTES || !perfdata_is(file->data, file->size))
		return mer_fail(err, MER_ERR_INPUT, "it ends within its first bytes");
	p->is_be = memcmp(file->data, magic, 8) != 0;
	/* The magic is a number, in the byte order of the machine. */
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		p->is_be = !p->is_be;
	struct ftrace_bytes b = ftrace_bytes(file->data + 8, file->size - 8, p->is_be);
	uint64_t size = ftrace_u64(&b);
	p->is_pipe = size == PIPE_BYTES;
	if (p->is_pipe) {
		p->records = b.at;
		p->records_size = ftrace_left(&b);
		return 0;
	}
	if (size < HEAD_BYTES || file->size < HEAD_BYTES)
		return mer_fail(err, MER_ERR_INPUT, "it ends within its first bytes");
	uint64_t attr_size = ftrace_u64(&b);
	struct section attrs = take_section(&b), data = take_section(&b);
	(void)take_section(&b); /* names of events, of old versions */
	const uint8_t *bits = b.at;
	if (!read_attrs(p, file, attrs, attr_size))
		return mer_fail_nomem(err);
	/* Size 0: the recording was not ended; all the rest of the file is records. */
	bool is_open = data.size == 0;
	if (is_open && data.offset <= file->size)
		data.size = file->size - data.offset;
	struct ftrace_bytes records = bytes_of(p, file, data);
	p->records = records.at;
	p->records_size = ftrace_left(&records);
	p->is_cut |= is_open && p->records_size > 0;
	if (!is_open && !read_features(p, file, data.offset + data.size, bits))
		return mer_fail_nomem(err);
	return 0;
}

/* ---- records ---- */

bool perf_record_behind(struct ftrace_bytes *b, struct perf_record *r)
{
	uint64_t size = 0;
	if (r->type == PERF_TRACING_DATA && r->size >= 4)
		size = ((uint64_t)ftrace_load32(r->data, b->is_be) + 7) / 8 * 8;
	else if (r->type == PERF_AUXTRACE && r->size >= 8)
		size = ftrace_load64(r->data, b->is_be);
	r->behind_size = size;
	r->behind = ftrace_take(b, size);
	return r->behind != NULL;
}

static void skip_read(const struct perf_attr *a, struct ftrace_bytes *b)
{
	uint64_t f = a->read_format;
	uint32_t times = bytes_in(f, HAS_TOTAL_TIME | HAS_RUN_TIME);
	uint32_t each = 8 + bytes_in(f, HAS_READ_ID | HAS_READ_LOST);
	if (!(f & IS_GROUP)) {
		ftrace_take(b, times + each);
		return;
	}
	uint64_t n = ftrace_u64(b);
	ftrace_take(b, times);
	ftrace_take(b, n > UINT32_MAX ? UINT64_MAX : each * n);
}

/* The attribute of a sample, by its id. This is the first field of samples with an IDENTIFIER, and
 * otherwise at an offset that is the same in all samples. */
static const struct perf_attr *attr_of_sample(struct perfdata *p, const struct perf_record *r)
{
	const struct perf_attr *first = p->n_attrs ? p->attrs : NULL;
	if (!first || p->is_uniform)
		return first;
	uint64_t type = first->sample_type;
	uint32_t at = 0;
	if (!(type & HAS_IDENTIFIER)) {
		if (!(type & HAS_ID))
			return first;
		at = bytes_in(type, HAS_IP | HAS_TID | HAS_TIME | HAS_ADDR);
	}
	if (r->size < at + 8)
		return NULL;
	const struct perf_attr *a = attr_of(p, ftrace_load64(r->data + at, p->is_be));
	return a ? a : first;
}

bool perf_sample_of_any(struct perfdata *p, const struct perf_record *r, struct perf_sample *s)
{
	const struct perf_attr *a = attr_of_sample(p, r);
	if (!a)
		return false;
	if (a->has_places)
		return perf_sample_at_places(a, r, p->is_be, s);
	struct ftrace_bytes b = ftrace_bytes(r->data, r->size, p->is_be);
	*s = (struct perf_sample){ 0 };
	uint64_t type = a->sample_type;
	s->has_time = type & HAS_TIME;
	s->has_cpu = type & HAS_CPU;
	ftrace_take(&b, bytes_in(type, HAS_IDENTIFIER | HAS_IP | HAS_TID));
	if (s->has_time)
		s->time = ftrace_u64(&b);
	ftrace_take(&b, bytes_in(type, HAS_ADDR | HAS_ID | HAS_STREAM_ID));
	if (s->has_cpu) {
		s->cpu = ftrace_u32(&b);
		(void)ftrace_u32(&b);
	}
	ftrace_take(&b, bytes_in(type, HAS_PERIOD));
	if (type & HAS_READ)
		skip_read(a, &b);
	if (type & HAS_CALLCHAIN) {
		uint64_t n = ftrace_u64(&b);
		bool is_there = ftrace_take(&b, n > UINT32_MAX ? UINT64_MAX : 8 * n) != NULL;
		s->n_chain = is_there ? (uint32_t)n : 0;
	}
	if (type & HAS_RAW) {
		s->raw_size = ftrace_u32(&b);
		s->raw = ftrace_take(&b, s->raw_size);
	}
	return !b.ended;
}

bool perfdata_has_chains(const struct perfdata *p)
{
	for (uint32_t i = 0; i < p->n_attrs; i++)
		if (p->attrs[i].sample_type & HAS_CALLCHAIN)
			return true;
	return false;
}

bool perfdata_has_switches(const struct perfdata *p)
{
	for (uint32_t i = 0; i < p->n_attrs; i++)
		if (p->attrs[i].has_switches)
			return true;
	return false;
}

bool perfdata_has_tracepoints(const struct perfdata *p)
{
	for (uint32_t i = 0; i < p->n_attrs; i++)
		if (p->attrs[i].type == TYPE_TRACEPOINT)
			return true;
	return false;
}

void perf_end_of(const struct perfdata *p, const struct perf_record *r, struct perf_sample *s)
{
	const struct perf_attr *a = p->n_attrs ? p->attrs : NULL;
	*s = (struct perf_sample){ 0 };
	if (!a || !a->has_ids_in_all)
		return;
	uint64_t type = a->sample_type;
	uint32_t size = bytes_in(
		type, HAS_TID | HAS_TIME | HAS_ID | HAS_STREAM_ID | HAS_CPU | HAS_IDENTIFIER);
	if (r->size < size)
		return;
	struct ftrace_bytes b = ftrace_bytes(r->data + r->size - size, size, p->is_be);
	s->has_time = type & HAS_TIME;
	s->has_cpu = type & HAS_CPU;
	s->has_tid = type & HAS_TID;
	if (s->has_tid) {
		s->pid = ftrace_u32(&b);
		s->tid = ftrace_u32(&b);
	}
	if (s->has_time)
		s->time = ftrace_u64(&b);
	ftrace_take(&b, bytes_in(type, HAS_ID | HAS_STREAM_ID));
	if (s->has_cpu)
		s->cpu = ftrace_u32(&b);
}
