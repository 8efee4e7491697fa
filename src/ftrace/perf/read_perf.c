#include "ftrace/reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/map.h"
#include "ftrace/perf/order.h"
#include "ftrace/perf/perfdata.h"
#ifdef MER_HAS_ZSTD
#include <zstd.h>
#endif

enum { PATH_BYTES = 4200, MAX_CPUS = 1 << 16, MAX_PARTS = 1 << 12 };

/* A file of records, or that of the whole recording: what is to be read of it. */
struct part {
	const uint8_t *records;
	uint64_t size;
	struct mer_file file;  /* of a part beside the main file */
	struct mer_file plain; /* all records, where some were compressed */
};

struct task {
	int32_t tid, pid, ppid;
	char comm[16];
};

struct cpu {
	struct ftrace_order order;
	struct ftrace_stream *stream;
};

struct perf {
	struct ftrace_reading *r;
	struct perfdata file;
	struct part *parts;
	size_t n_parts, cap_parts;
	struct cpu *cpus;
	size_t cap_cpus;
	uint64_t n_lost, n_lost_samples, n_without_cpu, n_other;
	uint64_t n_entries;
	int (*act)(struct perf *, const struct ftrace_entry *);
	bool is_counted; /* what is damaged: records are gone over twice */
	/* Tasks that were there when the recording began. */
	struct task *tasks;
	size_t n_tasks, cap_tasks;
	struct mer_map by_tid; /* -> task, plus 1 */
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

/* The compressed records are one stream, which a record of it may begin in one and end in the
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

/* All records of a part into a file without a name, which then stands for it. */
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

/* ---- what is in it ---- */

/* Tasks of before the recording stand at time 0. */
static int take_task(struct perf *p, const struct perf_record *r)
{
	struct perf_sample s;
	struct ftrace_bytes b = ftrace_bytes(r->data, r->size, p->file.is_be);
	perf_end_of(&p->file, r, &s);
	if (s.has_time && s.time)
		return 0;
	int32_t pid = (int32_t)ftrace_u32(&b), ppid = 0, tid;
	if (r->type == PERF_FORK)
		ppid = (int32_t)ftrace_u32(&b);
	tid = (int32_t)ftrace_u32(&b);
	if (b.ended)
		return 0;
	uint32_t *at = mer_map_put(&p->by_tid, (uint64_t)(uint32_t)tid + 1);
	if (!at || !mer_grow(&p->tasks, p->n_tasks, &p->cap_tasks, sizeof(*p->tasks)))
		return mer_fail_nomem(p->r->err);
	if (!*at) {
		p->tasks[p->n_tasks++] = (struct task){ .tid = tid, .pid = pid, .ppid = -1 };
		*at = (uint32_t)p->n_tasks;
	}
	struct task *t = &p->tasks[*at - 1];
	if (r->type == PERF_FORK)
		t->ppid = pid == tid ? ppid : t->ppid;
	else
		snprintf(t->comm, sizeof(t->comm), "%.*s",
			(int)strnlen((const char *)b.at, ftrace_left(&b)), (const char *)b.at);
	return 0;
}

/* What is to be written of a record; false: nothing. */
static bool entry_of(struct perf *p, const struct perf_record *r, struct ftrace_entry *e)
{
	struct perf_sample s;
	*e = (struct ftrace_entry){ 0 };
	if (r->type == PERF_SAMPLE) {
		if (!perf_sample_of(&p->file, r, &s)) {
			p->r->n_damaged++;
			return false;
		}
		if (!s.raw) {
			p->n_other++;
			return false;
		}
		e->raw = s.raw;
		e->size = s.raw_size;
	} else if (r->type == PERF_LOST && r->size >= 16) {
		uint64_t n = ftrace_load64(r->data + 8, p->file.is_be);
		perf_end_of(&p->file, r, &s);
		e->lost = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
		p->n_lost += n;
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
	e->cpu = s.cpu;
	return true;
}

/* Goes over all records. */
static int each_record(struct perf *p, int (*act)(struct perf *, const struct perf_record *))
{
	int rc = 0;
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

static int act_on_entry(struct perf *p, const struct perf_record *r)
{
	struct ftrace_entry e;
	return entry_of(p, r, &e) ? p->act(p, &e) : 0;
}

/* And over what is written of them; counts anew what is not. */
static int each(struct perf *p, int (*act)(struct perf *, const struct ftrace_entry *))
{
	uint64_t n_damaged = p->r->n_damaged;
	p->act = act;
	p->n_lost = p->n_lost_samples = p->n_without_cpu = p->n_other = 0;
	int rc = each_record(p, act_on_entry);
	if (p->is_counted)
		p->r->n_damaged = n_damaged;
	p->is_counted = true;
	return rc;
}

static struct cpu *cpu_of(struct perf *p, uint32_t cpu)
{
	return mer_grow_at(&p->cpus, &p->cap_cpus, cpu, sizeof(*p->cpus));
}

/* Of all records first: tasks, and how late a CPU's come. */
static int look_at(struct perf *p, const struct ftrace_entry *e)
{
	struct cpu *c = cpu_of(p, e->cpu);
	if (!c)
		return mer_fail_nomem(p->r->err);
	ftrace_order_look(&c->order, e->time);
	return 0;
}

static int look_at_record(struct perf *p, const struct perf_record *r)
{
	if (!perfdata_take(&p->file, r))
		return mer_fail_nomem(p->r->err);
	return r->type == PERF_COMM || r->type == PERF_FORK ? take_task(p, r) : 0;
}

static int look(struct perf *p)
{
	int rc = each_record(p, look_at_record);
	perfdata_done(&p->file);
	if (rc == 0)
		rc = each(p, look_at);
	for (size_t i = 0; i < p->cap_cpus; i++)
		ftrace_order_begin(&p->cpus[i].order);
	return rc;
}

/* ---- writing ---- */

static int write_tasks(struct perf *p, struct ftrace_stream *s, uint64_t time)
{
	int rc = 0;
	for (size_t i = 0; i < p->n_tasks && rc == 0; i++)
		rc = ftrace_stream_dump(s, time,
			&(struct ftrace_dump){ .kind = FTRACE_DUMP_TASK,
				.numbers = { p->tasks[i].tid, p->tasks[i].pid, p->tasks[i].ppid },
				.texts = { p->tasks[i].comm } },
			p->r->err);
	p->n_tasks = 0;
	return rc;
}

static int write_entry(struct perf *p, const struct ftrace_entry *e)
{
	struct cpu *c = &p->cpus[e->cpu];
	int rc = 0;
	if (!c->stream) {
		rc = ftrace_stream_open(p->r->copy, "", e->cpu, &c->stream, p->r->err);
		if (rc == 0)
			rc = write_tasks(p, c->stream, e->time);
	}
	if (rc)
		return rc;
	return e->size ? ftrace_stream_record(c->stream, e->time, e->raw, e->size, p->r->err)
		       : ftrace_stream_lost(c->stream, e->lost, p->r->err);
}

static int write_ready(struct perf *p, struct cpu *c, bool is_end)
{
	struct ftrace_entry e;
	int rc = 0;
	while (rc == 0 && ftrace_order_take(&c->order, is_end, &e))
		rc = write_entry(p, &e);
	return rc;
}

static int put(struct perf *p, const struct ftrace_entry *e)
{
	struct cpu *c = &p->cpus[e->cpu];
	struct ftrace_entry numbered = *e;
	if (c->order.late == 0)
		return write_entry(p, e);
	numbered.n = p->n_entries++;
	if (!ftrace_order_put(&c->order, &numbered))
		return mer_fail_nomem(p->r->err);
	return write_ready(p, c, false);
}

static int write_all(struct perf *p)
{
	int rc = each(p, put);
	for (size_t i = 0; i < p->cap_cpus && rc == 0; i++)
		rc = write_ready(p, &p->cpus[i], true);
	return rc;
}

/* ---- what is told ---- */

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
		ftrace_note(r, MER_ERROR, "perf-without-cpu", p->n_without_cpu,
			"samples do not say on which CPU they were taken, or when, and were left out; record with 'perf record -a'");
	if (p->n_other)
		ftrace_note(r, MER_NOTE, "perf-other-samples", p->n_other,
			"samples of no tracepoint (of a profile, or of counters) were left out");
	/* The kernel counts those of LOST records again at the end. */
	if (p->n_lost_samples > p->n_lost)
		ftrace_note(r, MER_WARNING, "ftrace-lost", p->n_lost_samples - p->n_lost,
			"samples were lost, and perf did not say where");
	r->is_cut |= p->file.is_cut;
}

static void fini(struct perf *p)
{
	for (size_t i = 0; i < p->cap_cpus; i++) {
		(void)ftrace_stream_close(p->cpus[i].stream, NULL);
		ftrace_order_fini(&p->cpus[i].order);
	}
	free(p->cpus);
	free(p->tasks);
	mer_map_fini(&p->by_tid);
	for (size_t i = 0; i < p->n_parts; i++) {
		mer_file_close(&p->parts[i].file);
		mer_file_close(&p->parts[i].plain);
	}
	free(p->parts);
}

static int close_streams(struct perf *p)
{
	int rc = 0;
	for (size_t i = 0; i < p->cap_cpus; i++) {
		int closed = ftrace_stream_close(p->cpus[i].stream, rc ? NULL : p->r->err);
		p->cpus[i].stream = NULL;
		rc = rc ? rc : closed;
	}
	return rc;
}

static int read_it(struct perf *p)
{
	struct ftrace_reading *r = p->r;
	struct perfdata *f = &p->file;
	int rc = perfdata_open(f, &r->file, &r->arena, r->err);
	if (rc == 0)
		rc = find_parts(p);
	if (rc == 0)
		rc = look(p);
	if (rc)
		return rc;
	if (f->tracing.formats.n == 0)
		return mer_fail(r->err, MER_ERR_INPUT,
			f->is_cut
				? "the formats of its events are missing, which stand at its end: it is cut; record with 'perf record -o -' where that may happen"
				: "it has no tracepoints, only a profile or counters; record with 'perf record -a -e sched:sched_switch,...'");
	const struct ftrace_copy_host host = { .name = f->host,
		.release = f->release,
		.machine = f->machine,
		.tracer = "perf",
		.clock = clock_of(f),
		.id = r->id,
		.offset_ns = (int64_t)(f->wall_ns - f->clock_ns),
		.is_be = f->is_be,
		.wants_closes = r->has_state };
	rc = ftrace_copy_new(r->folder, &host, &f->tracing.formats, &r->copy, r->err);
	if (rc == 0)
		rc = write_all(p);
	if (rc == 0)
		rc = close_streams(p);
	tell(p, host.clock);
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
