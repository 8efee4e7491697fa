#include "sync/write_traces.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "ctf/plain.h"
#include "ctf/writer.h"
#include "trace/damage.h"

enum { MAX_PACKET_BYTES = 1 << 30 }; /* packets are never split */

struct part { /* of the copy; as e->parts */
	const char *dir;
	struct ctf_schema schema; /* the original's, with other clocks */
	int64_t *zero;		  /* per clock: time of its cycle 0, and that of the copy's */
	bool has_metadata;
};

struct item { /* the packets of one stream in one file */
	uint32_t stream, file;
	const char *path;	 /* of the copy */
	const uint32_t *packets; /* their numbers in the stream */
	uint32_t n_packets;
};

struct job {
	struct mer_experiment *e;
	struct part *parts;
	struct item *items; /* by stream */
	uint32_t n_items;
	uint32_t *first; /* per stream, and at the end */
	bool is_outline;
	struct mer_cancel *cancel;
	_Atomic uint64_t *done_bytes;
	pthread_mutex_t diags_lock;
	struct mer_arena arena;
};

/* ---- where the copies go ---- */

/* The folder: new (*is_new), or there and empty. */
static int make_target(const char *dir, bool *is_new, struct mer_err *err)
{
	*is_new = mkdir(dir, 0777) == 0;
	if (*is_new)
		return 0;
	if (errno != EEXIST)
		return mer_fail_errno(err, "create", dir);
	DIR *d = opendir(dir);
	if (!d)
		return mer_fail_errno(err, "open", dir);
	struct dirent *entry;
	bool empty = true;
	while (empty && (entry = readdir(d)))
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	closedir(d);
	return empty ? 0
		     : mer_fail_remedy(
			       err, MER_ERR_USAGE, MER_REMEDY_NEW_FOLDER, "%.800s: not empty", dir);
}

/* Makes all folders of a path below the first `from` characters. */
static int make_dirs(char *path, size_t from, struct mer_err *err)
{
	for (char *p = path + from;; p++) {
		if (*p && *p != '/')
			continue;
		char end = *p;
		*p = '\0';
		int rc = mkdir(path, 0777) != 0 && errno != EEXIST
				 ? mer_fail_errno(err, "create", path)
				 : 0;
		*p = end;
		if (rc || !end)
			return rc;
	}
}

/* Length of the path of the folder that all parts are in, each with at least its last name
 * beyond. */
static size_t common_length(char *const *real, uint32_t n)
{
	size_t len = (size_t)(strrchr(real[0], '/') - real[0]);
	for (uint32_t i = 1; i < n; i++) {
		size_t own = (size_t)(strrchr(real[i], '/') - real[i]), k = 0, last = 0;
		while (k < len && k < own && real[i][k] == real[0][k]) {
			k++;
			if ((k == len || real[0][k] == '/') && (k == own || real[i][k] == '/'))
				last = k;
		}
		len = last;
	}
	return len;
}

static int place_parts(struct job *j, const char *dir, struct mer_err *err)
{
	const struct mer_experiment *e = j->e;
	char **real = calloc(e->n_parts + 1u, sizeof(*real));
	int rc = real ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < e->n_parts; i++) {
		real[i] = realpath(e->parts[i].path, NULL);
		if (!real[i])
			rc = mer_fail_errno(err, "find", e->parts[i].path);
	}
	size_t common = rc || !e->n_parts ? 0 : common_length(real, e->n_parts);
	for (uint32_t i = 0; rc == 0 && i < e->n_parts; i++) {
		char *path = mer_arena_printf(&j->arena, "%s%s", dir, real[i] + common);
		rc = path ? make_dirs(path, strlen(dir) + 1, err) : mer_fail_nomem(err);
		j->parts[i].dir = path;
	}
	for (uint32_t i = 0; real && i < e->n_parts; i++)
		free(real[i]);
	free(real);
	return rc;
}

/* "DIR/0", "DIR/1": of an outline. */
static int number_parts(struct job *j, const char *dir, struct mer_err *err)
{
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < j->e->n_parts; i++) {
		char *path = mer_arena_printf(&j->arena, "%s/%u", dir, (unsigned)i);
		rc = path ? make_dirs(path, strlen(dir) + 1, err) : mer_fail_nomem(err);
		j->parts[i].dir = path;
	}
	return rc;
}

/* ---- metadata ---- */

static uint64_t scale(uint64_t cycles, uint64_t freq_hz)
{
	unsigned __int128 ns = (unsigned __int128)cycles * NS_PER_S / freq_hz;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* The copy's clock: its zero is that of the original, on the reference clock; maps never fall, so
 * no event has a time before it. */
static void make_clock(struct ctf_clock *c, const struct mer_clock *clock, int64_t *zero)
{
	*zero = mer_clock_ns(clock, 0);
	int64_t s = *zero / NS_PER_S, ns = *zero % NS_PER_S;
	if (ns < 0) {
		ns += NS_PER_S;
		s--;
	}
	c->precision_cycles = scale(c->precision_cycles, c->freq_hz);
	c->freq_hz = NS_PER_S;
	if (__builtin_add_overflow(s, clock->base_s, &c->offset_s))
		c->offset_s = INT64_MAX;
	c->offset_cycles = ns;
	c->is_absolute = true;
}

static int write_metadata(struct part *p, struct mer_err *err)
{
	struct mer_str text = { 0 };
	struct ctf_metadata_options o = { 0 };
	char path[4200];
	int n = snprintf(path, sizeof(path), "%s/metadata", p->dir);
	int rc = n < 0 || (size_t)n >= sizeof(path)
			 ? mer_fail(err, MER_ERR_LIMIT, "%.800s: path too long", p->dir)
			 : ctf_write_metadata(&p->schema, &o, &text, err);
	FILE *f = rc ? NULL : fopen(path, "wx");
	p->has_metadata = f != NULL;
	if (rc == 0 && !f)
		rc = mer_fail_errno(err, "create", path);
	if (f && fwrite(text.data, 1, text.len, f) != text.len)
		rc = mer_fail_errno(err, "write", path);
	if (f && fclose(f) != 0 && rc == 0)
		rc = mer_fail_errno(err, "write", path);
	mer_str_fini(&text);
	return rc;
}

static int make_parts(struct job *j, struct mer_err *err)
{
	for (uint32_t i = 0; i < j->e->n_parts; i++) {
		const struct trace_part *from = &j->e->parts[i];
		struct part *p = &j->parts[i];
		uint32_t n = from->schema->n_clocks;
		p->schema = *from->schema;
		if (j->is_outline) {
			int written = write_metadata(p, err);
			if (written)
				return written;
			continue;
		}
		p->schema.clocks = mer_arena_zalloc(&j->arena, n + 1u, sizeof(*p->schema.clocks));
		p->zero = mer_arena_zalloc(&j->arena, n + 1u, sizeof(*p->zero));
		if (!p->schema.clocks || !p->zero)
			return mer_fail_nomem(err);
		for (uint32_t c = 0; c < n; c++) {
			p->schema.clocks[c] = from->schema->clocks[c];
			make_clock(&p->schema.clocks[c], &from->clocks[c], &p->zero[c]);
		}
		int rc = write_metadata(p, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- packets ---- */

struct values { /* of the leaves of an event record, or of a packet's head */
	struct ctf_value *v;
	size_t n, cap;
	bool failed;
};

struct bounds { /* which of a stream's events an outline has so far */
	bool has_first, has_last;
};

struct copy { /* of one item, while it is made */
	struct job *job;
	struct bounds *bounds; /* of an outline; NULL: all events are copied */
	const struct item *item;
	struct ctf_plain plain;
	struct ctf_writer *w;
	struct values body, header, head;
	unsigned filled_in; /* depth inside of what the writer fills in as a whole */
	bool in_head;
	const struct mer_clock *clock; /* NULL: none */
	int64_t zero;
};

static void add(struct values *to, const struct ctf_plain_field *f)
{
	if (!mer_grow(&to->v, to->n, &to->cap, sizeof(*to->v))) {
		to->failed = true;
		return;
	}
	struct ctf_value *v = &to->v[to->n++];
	switch (f->fc->kind) {
	case CTF_STRING:
	case CTF_TEXT:
	case CTF_BLOB:
		*v = (struct ctf_value){ .kind = CTF_VALUE_BYTES,
			.v.bytes = { f->bytes, f->n_bytes } };
		break;
	case CTF_FLOAT: {
		uint64_t bits = ctf_float_slot(f->value, f->fc->u.bits.len_bits);
		v->kind = CTF_VALUE_REAL;
		memcpy(&v->v.f, &bits, sizeof(v->v.f));
		break;
	}
	case CTF_INT:
	case CTF_VARINT:
		v->kind = f->fc->u.bits.is_signed ? CTF_VALUE_INT : CTF_VALUE_UINT;
		v->v.u = f->value;
		break;
	default: *v = (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = f->value }; break;
	}
}

static void see(void *arg, const struct ctf_plain_field *f)
{
	struct copy *c = arg;
	bool leaf = f->step == CTF_PLAIN_FIELD, head = f->scope <= CTF_SCOPE_EVENT_HEADER;
	uint32_t roles = head && f->field ? f->field->roles : 0;
	if (f->step == CTF_PLAIN_BEGIN)
		c->filled_in += c->filled_in || (roles & CTF_ROLE_TRACE_UUID);
	else if (f->step == CTF_PLAIN_END && c->filled_in)
		c->filled_in--;
	if (!leaf || c->filled_in || roles)
		return;
	add(c->in_head ? &c->head : head ? &c->header : &c->body, f);
}

static uint64_t cycles(const struct copy *c, uint64_t from)
{
	return c->clock ? (uint64_t)mer_clock_ns(c->clock, from) - (uint64_t)c->zero : from;
}

/* A header that is too narrow for the new times makes the copy impossible: explains that. */
static int explain(const struct copy *c, int rc, struct mer_err *err)
{
	struct mer_err why = *err;
	if (rc != MER_ERR_USAGE)
		return rc;
	return mer_fail(err, MER_ERR_LIMIT, "%.300s cannot be copied: %.600s",
		c->job->e->files[c->item->file].path, why.text);
}

/* Of an outline: may the packet have an event that it needs? */
static bool may_have_bound(const struct copy *c, const struct ctf_packet *p)
{
	const struct mer_stream *s = &c->job->e->streams[c->item->stream];
	int64_t end = trace_packet_end(c->job->e, p);
	return !c->bounds->has_first ||
	       (!c->bounds->has_last && (end == MER_NO_TIME || end >= s->end));
}

/* Is it the first or the last event of the stream, by its time? The bound is there then. */
static bool is_bound(struct copy *c, const struct ctf_packet *p, uint64_t clock)
{
	const struct mer_experiment *e = c->job->e;
	const struct mer_stream *s = &e->streams[c->item->stream];
	const struct mer_clock *k =
		trace_clock(&e->parts[e->files[c->item->file].part], p->stream_class);
	int64_t time = k ? mer_clock_ns(k, clock) : MER_NO_TIME;
	bool *has = time == MER_NO_TIME				? NULL
		    : !c->bounds->has_first && time == s->begin ? &c->bounds->has_first
		    : !c->bounds->has_last && time == s->end	? &c->bounds->has_last
								: NULL;
	if (has)
		*has = true;
	return has != NULL;
}

static int copy_events(struct copy *c, const struct ctf_packet *p, uint32_t number,
	struct ctf_pos *pos, struct mer_err *err)
{
	const struct mer_experiment *e = c->job->e;
	const struct trace_part *part = &e->parts[e->files[c->item->file].part];
	const struct ctf_stream_class *sc = &part->schema->streams[p->stream_class];
	const struct ctf_stream_plan *plan = &part->scan->streams[p->stream_class];
	while (!ctf_at_end(plan, pos)) {
		const struct ctf_event_class *class = NULL;
		uint64_t head_bit = pos->bit;
		c->body.n = c->header.n = 0;
		enum ctf_status st = ctf_plain_event(&c->plain, pos, sc, &class);
		if (st == CTF_OK && pos->bit == head_bit)
			st = CTF_E_EMPTY;
		if (c->body.failed || c->header.failed)
			return mer_fail_nomem(err);
		if (st) {
			pthread_mutex_lock(&c->job->diags_lock);
			trace_report_damage(&c->job->e->diags, e, c->item->stream, number,
				&(struct trace_damage){ st, head_bit, c->plain.event_id });
			pthread_mutex_unlock(&c->job->diags_lock);
			return 0;
		}
		if (c->bounds && !is_bound(c, p, pos->clock))
			continue;
		ctf_writer_header_values(c->w, c->header.v, c->header.n);
		int rc = ctf_writer_event(
			c->w, class, cycles(c, pos->clock), c->body.v, c->body.n, err);
		/* A header too narrow for the time since the event before: packets tell it, too. */
		if (rc == MER_ERR_USAGE && c->bounds)
			continue;
		if (rc)
			return explain(c, rc, err);
	}
	return 0;
}

static int copy_data(
	struct copy *c, uint32_t number, const uint8_t *data, uint64_t *clock, struct mer_err *err)
{
	const struct mer_experiment *e = c->job->e;
	const struct ctf_packet *p = &e->data[c->item->stream].packets[number];
	const struct trace_file *f = &e->files[p->file];
	const struct ctf_schema *s = e->parts[f->part].schema;
	const struct ctf_stream_class *sc = &s->streams[p->stream_class];
	struct ctf_packet_info info = { 0 };
	struct ctf_pos pos = { .base = data + p->offset, .end_bit = (f->bytes - p->offset) * 8 };
	c->head.n = 0;
	c->in_head = true;
	c->plain.info = &info;
	ctf_plain_begin_packet(&c->plain);
	enum ctf_status st =
		ctf_plain_read(&c->plain, &pos, CTF_SCOPE_PACKET_HEADER, s->packet_header);
	if (st == CTF_OK)
		st = ctf_plain_read(&c->plain, &pos, CTF_SCOPE_PACKET_CONTEXT, sc->packet_context);
	c->plain.info = NULL;
	c->in_head = false;
	if (c->head.failed)
		return mer_fail_nomem(err);
	if (st)
		return mer_fail(err, MER_ERR_BUG, "%.800s: packet %u cannot be read again", f->path,
			(unsigned)number);
	pos = ctf_packet_body(p, pos.bit, data, f->bytes, *clock);
	if (p->has_discarded)
		ctf_writer_override(c->w, CTF_ROLE_DISCARDED, p->discarded);
	if (p->has_seq_num)
		ctf_writer_override(c->w, CTF_ROLE_SEQ_NUM, p->seq_num);
	if (info.seen & CTF_ROLE_CPU_ID)
		ctf_writer_override(c->w, CTF_ROLE_CPU_ID, info.cpu_id);
	ctf_writer_packet_values(c->w, c->head.v, c->head.n);
	uint64_t begin = cycles(c, p->has_begin ? p->begin : *clock);
	int rc = ctf_writer_begin(c->w, begin, err);
	if (rc)
		return explain(c, rc, err);
	if (!c->bounds || may_have_bound(c, p))
		rc = copy_events(c, p, number, &pos, err);
	*clock = pos.clock;
	/* A tracer that crashed leaves 0. */
	bool said = p->has_end && (p->end || !p->begin);
	if (rc == 0)
		rc = ctf_writer_end(c->w, said ? cycles(c, p->end) : cycles(c, pos.clock), err);
	if (rc == 0 && c->job->done_bytes)
		*c->job->done_bytes += p->size_bits / 8;
	return rc;
}

static int copy_packet(struct copy *c, uint32_t number, uint64_t *clock, struct mer_err *err)
{
	const struct mer_experiment *e = c->job->e;
	const struct ctf_packet *p = &e->data[c->item->stream].packets[number];
	const uint8_t *data = trace_file_use(e, p->file);
	if (!data)
		return mer_fail(err, MER_ERR_INPUT, "%.800s: changed while it was read",
			e->files[p->file].path);
	int rc = copy_data(c, number, data, clock, err);
	trace_file_done(e, p->file);
	return rc;
}

/* clock: before the first packet, for packets that do not say when they begin; and after the
 * last. */
static int copy_item(struct job *j, const struct item *item, struct bounds *bounds, uint64_t *clock,
	struct mer_err *err)
{
	const struct mer_experiment *e = j->e;
	const struct trace_stream *t = &e->data[item->stream];
	uint32_t part = e->files[item->file].part;
	uint32_t class = t->packets[item->packets[0]].stream_class;
	int clock_number = e->parts[part].schema->streams[class].clock;
	struct copy c = { .job = j, .item = item, .bounds = bounds };
	if (!bounds) {
		c.clock = trace_clock(&e->parts[part], class);
		c.zero = clock_number < 0 ? 0 : j->parts[part].zero[clock_number];
	}
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct ctf_writer_options o = {
		.path = item->path, .stream_id = t->id, .packet_bytes = MAX_PACKET_BYTES
	};
	int rc = ctf_plain_init(&c.plain, e->parts[part].schema, &arena)
			 ? ctf_writer_open(&j->parts[part].schema,
				   &j->parts[part].schema.streams[class], &o, &c.w, err)
			 : mer_fail_nomem(err);
	c.plain.see = see;
	c.plain.arg = &c;
	for (uint32_t i = 0; rc == 0 && i < item->n_packets; i++) {
		rc = copy_packet(&c, item->packets[i], clock, err);
		if (rc == 0 && mer_cancelled(j->cancel))
			rc = mer_fail(err, MER_ERR_CANCELLED, "interrupted");
	}
	struct mer_err late;
	int closed = c.w ? ctf_writer_close(c.w, &late) : 0;
	if (rc == 0 && closed) {
		rc = closed;
		*err = late;
	}
	free(c.body.v);
	free(c.header.v);
	free(c.head.v);
	mer_arena_fini(&arena);
	return rc;
}

static int copy_stream(void *ctx, size_t stream, unsigned worker, struct mer_err *err)
{
	struct job *j = ctx;
	struct bounds bounds = { false, false };
	uint64_t clock = 0;
	int rc = 0;
	(void)worker;
	for (uint32_t i = j->first[stream]; rc == 0 && i < j->first[stream + 1]; i++)
		rc = copy_item(j, &j->items[i], j->is_outline ? &bounds : NULL, &clock, err);
	return rc;
}

/* ---- which packets go where ---- */

static const char *copy_path(struct job *j, uint32_t stream, uint32_t file, bool shared)
{
	const struct trace_file *f = &j->e->files[file];
	const char *slash = strrchr(f->path, '/'), *name = slash ? slash + 1 : f->path;
	const char *dir = j->parts[f->part].dir;
	if (j->is_outline)
		return mer_arena_printf(&j->arena, "%s/%u", dir, (unsigned)j->n_items);
	return shared ? mer_arena_printf(&j->arena, "%s/%s.stream-%u", dir, name, (unsigned)stream)
		      : mer_arena_printf(&j->arena, "%s/%s", dir, name);
}

/* A stream's packets, file by file, each file's in the order of the stream. */
static int add_items(struct job *j, uint32_t stream, bool *used, uint32_t *cap, struct mer_err *err)
{
	const struct mer_experiment *e = j->e;
	const struct trace_stream *t = &e->data[stream];
	uint32_t *numbers = mer_arena_alloc(&j->arena, (t->n_packets + 1u) * sizeof(*numbers));
	uint32_t *count = calloc(e->n_files + 1u, sizeof(*count));
	int rc = numbers && count ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < t->n_packets; i++)
		count[t->packets[i].file]++;
	uint32_t at = 0;
	for (uint32_t f = 0; rc == 0 && f < e->n_files; f++) {
		uint32_t n = count[f];
		if (!n)
			continue;
		count[f] = at;
		if (!mer_grow32(&j->items, j->n_items, cap, sizeof(*j->items))) {
			rc = mer_fail_nomem(err);
			break;
		}
		j->items[j->n_items++] = (struct item){ .stream = stream,
			.file = f,
			.path = copy_path(j, stream, f, used[f]),
			.packets = numbers + at,
			.n_packets = n };
		used[f] = true;
		at += n;
	}
	for (uint32_t i = 0; rc == 0 && i < t->n_packets; i++)
		numbers[count[t->packets[i].file]++] = i;
	free(count);
	return rc == 0 && j->arena.failed ? mer_fail_nomem(err) : rc;
}

static int make_items(struct job *j, struct mer_err *err)
{
	uint32_t cap = 0;
	bool *used = calloc(j->e->n_files + 1u, sizeof(*used));
	int rc = used ? 0 : mer_fail_nomem(err);
	j->first = mer_arena_zalloc(&j->arena, j->e->n_streams + 1u, sizeof(*j->first));
	if (!j->first)
		rc = mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < j->e->n_streams; i++) {
		rc = add_items(j, i, used, &cap, err);
		j->first[i + 1] = j->n_items;
	}
	free(used);
	return rc;
}

/* Removes what was written so far: copies of only a part of the traces would mislead. Removes only
 * our own files and folders; the folder was empty. */
static void remove_copies(const struct job *j, const char *dir, bool is_new)
{
	for (uint32_t i = 0; i < j->n_items; i++)
		if (j->items[i].path)
			unlink(j->items[i].path);
	for (uint32_t i = 0; i < j->e->n_parts; i++) {
		char path[4200];
		int n = j->parts[i].dir
				? snprintf(path, sizeof(path), "%s/metadata", j->parts[i].dir)
				: 0;
		if (n <= 0 || (size_t)n >= sizeof(path))
			continue;
		if (j->parts[i].has_metadata)
			unlink(path);
		for (char *slash; (slash = strrchr(path, '/')) && strlen(path) > strlen(dir);) {
			*slash = '\0';
			if (strlen(path) > strlen(dir) && rmdir(path) != 0)
				break; /* another trace is in it too, and will remove it */
		}
	}
	if (is_new)
		rmdir(dir);
}

/* Of the parts that have a place. */
static int write_placed(struct job *j, unsigned n_threads, struct mer_err *err)
{
	int rc = make_parts(j, err);
	if (rc == 0)
		rc = make_items(j, err);
	return rc ? rc : mer_pool_run(n_threads, j->e->n_streams, copy_stream, j, j->cancel, err);
}

static int begin_job(struct job *j, struct mer_err *err)
{
	mer_arena_init(&j->arena);
	pthread_mutex_init(&j->diags_lock, NULL);
	j->parts = mer_arena_zalloc(&j->arena, j->e->n_parts + 1u, sizeof(*j->parts));
	return j->parts ? 0 : mer_fail_nomem(err);
}

static void end_job(struct job *j)
{
	free(j->items);
	pthread_mutex_destroy(&j->diags_lock);
	mer_arena_fini(&j->arena);
}

int sync_write_traces(struct mer_experiment *e, const char *dir, unsigned n_threads,
	struct mer_cancel *cancel, _Atomic uint64_t *done_bytes, struct mer_err *err)
{
	struct job j = { .e = e, .cancel = cancel, .done_bytes = done_bytes };
	bool is_new = false;
	int rc = begin_job(&j, err);
	if (rc == 0)
		rc = make_target(dir, &is_new, err);
	bool is_ours = rc == 0;
	if (rc == 0)
		rc = place_parts(&j, dir, err);
	if (rc == 0)
		rc = write_placed(&j, n_threads, err);
	if (rc && is_ours)
		remove_copies(&j, dir, is_new);
	end_job(&j);
	return rc;
}

int sync_write_outline(struct mer_experiment *e, const char *dir, unsigned n_threads,
	struct mer_cancel *cancel, struct mer_err *err)
{
	struct job j = { .e = e, .is_outline = true, .cancel = cancel };
	int rc = begin_job(&j, err);
	if (rc == 0)
		rc = number_parts(&j, dir, err);
	if (rc == 0)
		rc = write_placed(&j, n_threads, err);
	end_job(&j);
	return rc;
}
