#include "ftrace/reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "copied/order.h"
#include "ftrace/perf/perfdata.h"
#include "ftrace/perf/switches.h"
#include "ftrace/perf/write.h"
#ifdef MER_HAS_ZSTD
#include <zstd.h>
#endif

/* A recording is read once if it is in the usual order of perf: general records (attributes,
 * formats, tasks that existed before) come before the first sample, and no record comes more than
 * USUAL_LATE_NS after a later one of its CPU. Otherwise all records are first searched for general
 * ones and for how late they are, and the copy is begun anew. */
enum { PATH_BYTES = 4200, MAX_CPUS = 1 << 16, MAX_PARTS = 1 << 12 };
enum { USUAL_LATE_NS = 10000000, LEAST_WAITING = 1 << 12 };
enum { ANEW = 1 }; /* returned instead of 0 or an error */

/* The records of one file: of the main one, or of one beside it. */
struct part {
	const uint8_t *records;
	uint64_t size;
	struct mer_file file;  /* of a part beside the main file */
	struct mer_file plain; /* all its records, if some were compressed */
};

struct cpu {
	struct copied_order order;
	uint64_t taken; /* time of the last record that was taken from the order */
};

struct perf {
	struct ftrace_reading *r;
	struct perfdata file;
	struct part *parts;
	size_t n_parts, cap_parts;
	struct cpu *cpus;
	size_t cap_cpus;
	uint64_t n_lost, n_lost_samples, n_without_cpu, n_other, n_damaged;
	bool is_learned; /* learn_all has read all records */
	bool is_begun;	 /* the first sample has come */
	bool is_told;	 /* sched_switch is recorded: records of switches are left out */
	struct perf_tasks tasks;
	struct perf_writer *writer;
};

/* ---- records that are compressed ---- */

static bool is_compressed(const struct perf_record *r)
{
	return r->type == PERF_COMPRESSED || r->type == PERF_COMPRESSED2;
}

static bool has_compressed(const struct part *part, bool is_be)
{
	struct ftrace_bytes b = ftrace_bytes(part->records, part->size, is_be);
	struct perf_record r;
	while (perf_record_next(&b, &r))
		if (is_compressed(&r))
			return true;
	return false;
}

#ifdef MER_HAS_ZSTD

/* The compressed records form one stream: a record in it may begin in one of them and end in the
 * next. */
static int unpack(struct perf *p, ZSTD_DStream *stream, const struct perf_record *r, FILE *to)
{
	uint8_t out[1 << 16];
	uint32_t skipped = r->type == PERF_COMPRESSED2 ? 8 : 0;
	if (r->size < skipped)
		return 0;
	uint64_t size = skipped ? ftrace_load64(r->data, p->file.is_be) : r->size;
	ZSTD_inBuffer from = { r->data + skipped,
		size > r->size - skipped ? r->size - skipped : size, 0 };
	/* What did not fit is still in the stream. */
	for (bool is_full = false; from.pos < from.size || is_full;) {
		ZSTD_outBuffer o = { out, sizeof(out), 0 };
		size_t rc = ZSTD_decompressStream(stream, &o, &from);
		is_full = o.pos == o.size;
		if (ZSTD_isError(rc)) {
			p->r->n_damaged++;
			return 0;
		}
		if (fwrite(out, 1, o.pos, to) != o.pos)
			return mer_fail_errno(p->r->err, "write", "a copy without compression");
	}
	return 0;
}

/* Unpacks all records of a part into an unlinked file, which replaces its records. */
static int unpack_all(struct perf *p, struct part *part)
{
	char path[PATH_BYTES];
	struct ftrace_bytes b = ftrace_bytes(part->records, part->size, p->file.is_be);
	struct perf_record r;
	int n = snprintf(path, sizeof(path), "%s/plain", p->r->folder);
	if ((size_t)n >= sizeof(path))
		return mer_fail(p->r->err, MER_ERR_LIMIT, "the path of its copy is too long");
	FILE *to = fopen(path, "wbxe");
	ZSTD_DStream *stream = ZSTD_createDStream();
	int rc = to && stream ? 0 : mer_fail_errno(p->r->err, "write", path);
	for (const uint8_t *begin = b.at; rc == 0 && perf_record_next(&b, &r); begin = b.at) {
		size_t size = (size_t)(b.at - begin);
		if (is_compressed(&r))
			rc = unpack(p, stream, &r, to);
		else if (fwrite(begin, 1, size, to) != size)
			rc = mer_fail_errno(p->r->err, "write", path);
	}
	p->file.is_cut |= b.ended;
	ZSTD_freeDStream(stream);
	if (to && fclose(to) && rc == 0)
		rc = mer_fail_errno(p->r->err, "write", path);
	if (rc == 0)
		rc = mer_file_open(&part->plain, path, p->r->err);
	(void)unlink(path);
	part->records = rc ? part->records : part->plain.data;
	part->size = rc ? 0 : part->plain.size;
	return rc;
}

#else

static int unpack_all(struct perf *p, struct part *part)
{
	(void)part;
	return mer_fail(p->r->err, MER_ERR_INPUT,
		"it is compressed with zstd, and this meridian was built without libzstd; install it (Debian: libzstd-dev) and build meridian again");
}

#endif

static int add_part(struct perf *p, struct part part)
{
	if (!mer_grow(&p->parts, p->n_parts, &p->cap_parts, sizeof(*p->parts))) {
		mer_file_close(&part.file);
		return mer_fail_nomem(p->r->err);
	}
	p->parts[p->n_parts++] = part;
	return !p->file.is_plain && has_compressed(&part, p->file.is_be)
		       ? unpack_all(p, &p->parts[p->n_parts - 1])
		       : 0;
}

/* The main file, and those beside it: data.0, data.1, ... */
static int find_parts(struct perf *p)
{
	char path[PATH_BYTES];
	struct mer_err ignored;
	int rc = add_part(
		p, (struct part){ .records = p->file.records, .size = p->file.records_size });
	for (unsigned i = 0; rc == 0 && p->file.is_folder && i < MAX_PARTS; i++) {
		struct part part = { 0 };
		int n = snprintf(path, sizeof(path), "%s.%u", p->r->path, i);
		if ((size_t)n >= sizeof(path) || mer_file_open(&part.file, path, &ignored))
			break;
		part.records = part.file.data;
		part.size = part.file.size;
		rc = add_part(p, part);
	}
	return rc;
}

/* ---- entries of records ---- */

static struct cpu *cpu_of(struct perf *p, uint32_t cpu)
{
	return mer_grow_at(&p->cpus, &p->cap_cpus, cpu, sizeof(*p->cpus));
}

/* The entry of a record for perf_writer_put, and its CPU; false: it is not written. */
static bool entry_of(
	struct perf *p, const struct perf_record *r, struct copied_waiting *e, uint32_t *cpu)
{
	struct perf_sample s;
	if (r->type == PERF_SAMPLE) {
		if (!perf_sample_of(&p->file, r, &s)) {
			p->n_damaged++;
			return false;
		}
		if (!s.raw || s.raw_size == 0) {
			p->n_other++;
			return false;
		}
		e->at = s.raw;
		e->size = s.raw_size;
		e->more = s.n_chain;
	} else if (r->type == PERF_LOST && r->size >= 16) {
		uint64_t n = ftrace_load64(r->data + 8, p->file.is_be);
		perf_end_of(&p->file, r, &s);
		e->at = NULL;
		e->size = 0;
		e->more = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
		p->n_lost += n;
	} else if (perf_is_of_task(r)) {
		perf_end_of(&p->file, r, &s);
		if (!s.has_time || s.time == 0 || !s.has_cpu)
			return false;
		e->at = r->data - PERF_HEAD;
		e->size = e->more = 0;
	} else if (perf_is_switch(r)) {
		if (p->is_told)
			return false;
		perf_end_of(&p->file, r, &s);
		s.has_cpu &= s.has_tid;
		e->at = r->data - PERF_HEAD;
		e->size = 0;
		e->more = 1;
	} else {
		if (r->type == PERF_LOST_SAMPLES && r->size >= 8)
			p->n_lost_samples += ftrace_load64(r->data, p->file.is_be);
		return false;
	}
	if (!s.has_cpu || !s.has_time || s.cpu >= MAX_CPUS) {
		p->n_without_cpu++;
		return false;
	}
	e->time = s.time;
	*cpu = s.cpu;
	return true;
}

/* Is it about a task that existed when the recording began? Such records have no time. */
static bool is_state(const struct perf *p, const struct perf_record *r)
{
	struct perf_sample s;
	perf_end_of(&p->file, r, &s);
	return !s.has_time || s.time == 0;
}

/* Is it about the whole recording? */
static bool is_general(const struct perf *p, const struct perf_record *r)
{
	switch (r->type) {
	case PERF_ATTR:
	case PERF_TRACING_DATA:
	case PERF_FEATURE: return true;
	case PERF_COMM:
	case PERF_FORK: return is_state(p, r);
	default: return false;
	}
}

/* Is it about something that happened while the recording ran? */
static bool is_sample(const struct perf_record *r)
{
	return r->type == PERF_SAMPLE || perf_is_switch(r);
}

static int take_general(struct perf *p, const struct perf_record *r)
{
	bool ok = !is_general(p, r)    ? true
		  : perf_is_of_task(r) ? perf_tasks_take(&p->tasks, r, p->file.is_be)
				       : perfdata_take(&p->file, r);
	return ok ? 0 : mer_fail_nomem(p->r->err);
}

/* Goes over all records, as long as act returns 0. */
static inline __attribute__((always_inline)) int each_record(
	struct perf *p, int (*act)(struct perf *, const struct perf_record *))
{
	int rc = 0;
	p->n_lost = p->n_lost_samples = p->n_without_cpu = p->n_other = p->n_damaged = 0;
	for (size_t i = 0; i < p->n_parts && rc == 0; i++) {
		struct ftrace_bytes b =
			ftrace_bytes(p->parts[i].records, p->parts[i].size, p->file.is_be);
		struct perf_record r;
		while (rc == 0 && perf_record_next(&b, &r))
			rc = act(p, &r);
		p->file.is_cut |= b.ended;
	}
	return rc;
}

/* ---- learning ---- */

static int take_beginning(struct perf *p, const struct perf_record *r)
{
	return is_sample(r) ? ANEW : take_general(p, r);
}

/* Is sched_switch recorded, so that records of switches would repeat it? */
static void find_switches(struct perf *p)
{
	const struct ftrace_formats *f = &p->file.tracing.formats;
	for (uint32_t i = 0; i < f->n; i++)
		p->is_told |= strcmp(f->list[i]->system, "sched") == 0 &&
			      strcmp(f->list[i]->name, "sched_switch") == 0;
}

static int look_at(struct perf *p, const struct perf_record *r)
{
	struct copied_waiting e;
	uint32_t cpu;
	if (!entry_of(p, r, &e, &cpu))
		return 0;
	struct cpu *c = cpu_of(p, cpu);
	if (!c)
		return mer_fail_nomem(p->r->err);
	copied_order_look(&c->order, e.time);
	return 0;
}

static void forget_cpus(struct perf *p)
{
	for (size_t i = 0; i < p->cap_cpus; i++) {
		copied_order_fini(&p->cpus[i].order);
	}
	free(p->cpus);
	p->cpus = NULL;
	p->cap_cpus = 0;
}

/* Takes general records up to the first sample. */
static int learn_beginning(struct perf *p)
{
	int rc = each_record(p, take_beginning);
	find_switches(p);
	return rc == ANEW ? 0 : rc;
}

/* Takes all general records of the recording, then finds how late records are. */
static int learn_all(struct perf *p)
{
	struct ftrace_reading *r = p->r;
	bool is_cut = p->file.is_cut;
	size_t n = 0;
	forget_cpus(p);
	perf_tasks_fini(&p->tasks);
	int rc = perfdata_open(&p->file, &r->file, &r->arena, r->err);
	p->file.is_cut |= is_cut;
	if (rc == 0)
		rc = each_record(p, take_general);
	find_switches(p);
	if (rc == 0)
		rc = each_record(p, look_at);
	for (size_t i = 0; i < p->cap_cpus; i++)
		n += p->cpus[i].order.newest > 0;
	for (size_t i = 0; i < p->cap_cpus; i++) {
		copied_order_begin(&p->cpus[i].order);
		p->cpus[i].order.most = COPIED_ORDER_MOST / (n + 1) + LEAST_WAITING;
	}
	p->is_learned = true;
	return rc;
}

/* ---- writing ---- */

static int write_ready(struct perf *p, struct cpu *c, uint32_t cpu, bool is_end)
{
	struct copied_waiting e;
	int rc = 0;
	while (rc == 0 && copied_order_take(&c->order, is_end, &e)) {
		c->taken = e.time;
		rc = perf_writer_put(p->writer, cpu, &e, p->r->err);
	}
	return rc;
}

static int put(struct perf *p, const struct perf_record *r)
{
	struct copied_waiting e;
	uint32_t cpu;
	if (!p->is_learned) {
		if (p->is_begun && is_general(p, r))
			return ANEW;
		p->is_begun |= is_sample(r);
	}
	if (!entry_of(p, r, &e, &cpu))
		return 0;
	struct cpu *c = cpu_of(p, cpu);
	if (!c)
		return mer_fail_nomem(p->r->err);
	if (!p->is_learned) {
		if (e.time < c->taken)
			return ANEW;
		c->order.late = USUAL_LATE_NS;
	}
	if (c->order.late == 0)
		return perf_writer_put(p->writer, cpu, &e, p->r->err);
	if (!copied_order_put(&c->order, &e))
		return mer_fail_nomem(p->r->err);
	return write_ready(p, c, cpu, false);
}

/* ---- notes ---- */

static const char *clock_of(const struct perfdata *f)
{
	const struct perf_attr *a = f->n_attrs ? f->attrs : NULL;
	if (!a || !a->has_clock)
		return "perf";
	switch (a->clock) {
	case CLOCK_REALTIME: return "realtime";
	case CLOCK_MONOTONIC: return "mono";
	case CLOCK_MONOTONIC_RAW: return "mono_raw";
	case CLOCK_BOOTTIME: return "boot";
	case CLOCK_TAI: return "tai";
	default: return "perf";
	}
}

static void tell(struct perf *p, const char *clock)
{
	struct ftrace_reading *r = p->r;
	ftrace_note_clock(r, clock, true, "perf record -k CLOCK_MONOTONIC");
	if (p->n_without_cpu)
		copied_notef(&r->notes, MER_ERROR, "perf-without-cpu", p->n_without_cpu,
			"samples do not say on which CPU they were taken, or when, and were left out; record with 'perf record -a'");
	if (p->n_other)
		copied_notef(&r->notes, MER_NOTE, "perf-other-samples", p->n_other,
			"samples of no tracepoint (of a profile, or of counters) were left out");
	/* LOST_SAMPLES, at the end, also count the samples of LOST records. */
	if (p->n_lost_samples > p->n_lost)
		copied_notef(&r->notes, MER_WARNING, "ftrace-lost", p->n_lost_samples - p->n_lost,
			"samples were lost, and perf did not say where");
	r->is_cut |= p->file.is_cut;
}

static void fini(struct perf *p)
{
	forget_cpus(p);
	perf_tasks_fini(&p->tasks);
	for (size_t i = 0; i < p->n_parts; i++) {
		mer_file_close(&p->parts[i].file);
		mer_file_close(&p->parts[i].plain);
	}
	free(p->parts);
}

/* Begins an empty copy. */
static int begin_copy(struct perf *p)
{
	struct ftrace_reading *r = p->r;
	const struct perfdata *f = &p->file;
	const struct ftrace_copy_host host = { .name = f->host,
		.release = f->release,
		.machine = f->machine,
		.tracer = "perf",
		.form = "perf.data",
		.clock = clock_of(f),
		.id = r->id,
		.offset_ns = (int64_t)(f->wall_ns - f->clock_ns),
		.is_be = f->is_be,
		.has_chains = perfdata_has_chains(f),
		.wants_closes = r->has_state };
	return ftrace_copy_new(r->folder, &host, &f->tracing.formats, &r->copy, r->err);
}

static int forget_copy(struct perf *p)
{
	struct ftrace_reading *r = p->r;
	forget_cpus(p);
	ftrace_copy_free(r->copy);
	r->copy = NULL;
	return mer_remove_folder(r->folder) && mer_make_folder(r->folder)
		       ? 0
		       : mer_fail_errno(r->err, "make the folder", r->folder);
}

static int copy_all(struct perf *p)
{
	int rc = begin_copy(p);
	if (rc)
		return rc;
	p->writer = perf_writer_new(p->r->copy, &p->tasks, p->file.is_be);
	if (!p->writer)
		return mer_fail_nomem(p->r->err);
	rc = each_record(p, put);
	for (size_t i = 0; i < p->cap_cpus && rc == 0; i++)
		rc = write_ready(p, &p->cpus[i], (uint32_t)i, true);
	if (rc == 0)
		rc = perf_writer_end(p->writer, p->r->err);
	perf_writer_free(p->writer);
	return rc;
}

static int learn(struct perf *p)
{
	const struct perfdata *f = &p->file;
	int rc = learn_beginning(p);
	/* Without tracepoints there are no formats. */
	bool is_complete = perfdata_has_switches(f) && !perfdata_has_tracepoints(f);
	if (rc == 0 && f->tracing.formats.n == 0 && !is_complete)
		rc = learn_all(p);
	if (rc || f->tracing.formats.n || perfdata_has_switches(f))
		return rc;
	return mer_fail(p->r->err, MER_ERR_INPUT,
		p->file.is_cut
			? "the formats of its events are missing, which stand at its end: it is cut; record with 'perf record -o -' where that may happen"
			: "it has no tracepoints, only a profile or counters; record with 'perf record -a -e sched:sched_switch,...'");
}

static int read_it(struct perf *p)
{
	struct ftrace_reading *r = p->r;
	int rc = perfdata_open(&p->file, &r->file, &r->arena, r->err);
	if (rc == 0)
		rc = find_parts(p);
	if (rc == 0)
		rc = learn(p);
	if (rc == 0)
		rc = copy_all(p);
	if (rc == ANEW) {
		rc = forget_copy(p);
		if (rc == 0)
			rc = learn_all(p);
		if (rc == 0)
			rc = copy_all(p);
	}
	r->n_damaged += p->n_damaged;
	if (rc == 0)
		rc = ftrace_copy_declare(r->copy, r->err);
	if (rc == 0)
		tell(p, clock_of(&p->file));
	return rc;
}

int ftrace_read_perf(struct ftrace_reading *r)
{
	struct perf *p = calloc(1, sizeof(*p));
	if (!p)
		return mer_fail_nomem(r->err);
	p->r = r;
	int rc = read_it(p);
	fini(p);
	free(p);
	return rc;
}
